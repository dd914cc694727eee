package discover_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
)

// Where a process starts slowly, the cases that start one leave more time to the others.
func TestLead(t *testing.T) {
	t.Parallel()
	for started, want := range map[time.Duration]time.Duration{
		40 * time.Millisecond: 400 * time.Millisecond, 2 * time.Second: 3 * time.Second,
	} {
		if got := discover.Lead(started); got != want {
			t.Errorf("after a start of %s: %s, want %s", started, got, want)
		}
	}
}
