package operations_test

import (
	"testing"

	served "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reports"
)

// Two calls that nobody can tell apart break a rule; a count that both share does not
// keep anybody from that.
func TestInterleaved(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		breaks served.Switches
		want   reports.Status
	}{
		"a shared count":             {served.Switches{SharedSequence: true}, reports.Warn},
		"a shared count, that falls": {served.Switches{FallingNumbers: true}, reports.Fail},
		"each other's result":        {served.Switches{Swapped: true}, reports.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range judged(t, translator{fault: &fault.Fault{Ext: row.breaks}}, nil).Findings {
				if f.Case == "ext-streaming/interleaved" && f.Status != row.want {
					t.Errorf("%s, want %s: %s %+v", f.Status, row.want, f.Problem, f.Reason)
				}
			}
		})
	}
}
