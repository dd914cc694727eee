package proof

import (
	"flag"
	"os"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/room"
)

// Main runs the tests of a package that judges servers. They mostly wait, so more of
// them run at once than there are cores. They make much garbage, and keep little.
func Main(m *testing.M) {
	room.Leave(1 << 30)
	// Set directly: Ginkgo takes the flag for a wish to run specs in parallel.
	if err := flag.Lookup("test.parallel").Value.Set("16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
