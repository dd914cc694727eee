package proof

import (
	"flag"
	"fmt"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

var whole = flag.Bool("whole", false, "try each fault in a run of all cases, which takes an hour of one processor")

// parts is how many bubbles Whole uses, one after the other: a server leaves goroutines and
// memory to the bubble in which it was tried.
const parts = 60

// Whole tries each fault in a run of all cases, as selftest --full does. It waits in the clock
// of a bubble: whether an answer comes in time does not depend on how busy the machine is.
func Whole(t *testing.T) {
	t.Helper()
	if !*whole {
		t.Skip("it takes an hour of one processor: make selftest-full")
	}
	within, outside := split(inprocess.Subjects())
	for i := range parts {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			bubble.Run(t, func(t *testing.T) {
				try(t, within, func(o *selftest.Options) { o.Full, o.Shard = true, plan.Shard{Index: i + 1, Of: parts} })
			})
		})
	}
	t.Run("outside", func(t *testing.T) {
		try(t, outside, func(o *selftest.Options) { o.Full = true })
	})
}
