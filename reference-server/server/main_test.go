package server_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs more tests in parallel than there are cores: the tests of streams wait
// for calls that take a second.
func TestMain(m *testing.M) {
	if err := flag.Lookup("test.parallel").Value.Set("8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
