package server_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs more tests at once than there are cores: those of streams wait for
// calls that take a second.
func TestMain(m *testing.M) {
	if err := flag.Lookup("test.parallel").Value.Set("8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
