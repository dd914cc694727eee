package proof

import (
	"fmt"
	"path"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

// parts is how many bubbles Whole uses, one after the other: a server leaves goroutines and
// memory to the bubble in which it was tried.
const parts = 60

// Whole tries each fault whose name matches a pattern in a run of all cases, as selftest --full
// does. It waits in the clock of a bubble: whether an answer comes in time does not depend on how
// busy the machine is.
func Whole(t *testing.T, pattern string) {
	t.Helper()
	within, outside := split(slices.DeleteFunc(inprocess.Subjects(), func(s selftest.Subject) bool {
		named, err := path.Match(pattern, s.Name)
		return !named || err != nil
	}))
	if len(within)+len(outside) == 0 {
		t.Fatalf("no fault has a name like %s", pattern)
	}
	parts := min(parts, len(within))
	for i := range parts {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			bubble.Run(t, func(t *testing.T) {
				try(t, within, func(o *selftest.Options) { o.Full, o.Shard = true, plan.Shard{Index: i + 1, Of: parts} })
			})
		})
	}
	if len(outside) == 0 {
		return
	}
	t.Run("outside", func(t *testing.T) {
		try(t, outside, func(o *selftest.Options) { o.Full = true })
	})
}
