package proof

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// Main runs the tests of a package that judges servers. Most of them wait, so that
// more run at once than there are cores; and they make much garbage, and keep little.
func Main(m *testing.M) {
	debug.SetGCPercent(400)
	// Set where Ginkgo does not see it, which takes the flag for a wish to run specs
	// in parallel.
	if err := flag.Lookup("test.parallel").Value.Set("8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
