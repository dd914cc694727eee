package operations_test

import (
	"fmt"
	"strings"
	"testing"

	served "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
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
		"a shared count, that falls": {served.Switches{FallingNumbers: true}, reports.Warn},
		"each other's result":        {served.Switches{Swapped: true}, reports.Warn},
		"the result of one of them":  {served.Switches{SameResult: true}, reports.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range judged(t, dialects.Translator{Options: server.Options{Fault: &fault.Fault{Ext: row.breaks}}}, nil).Findings {
				if f.Case == "ext-streaming/interleaved" && f.Status != row.want {
					t.Errorf("%s, want %s: %s %+v", f.Status, row.want, f.Problem, f.Reason)
				}
			}
		})
	}
}

// Two calls may have the same result. That a chunk of one of them is lost is another rule's.
func TestSameResult(t *testing.T) {
	t.Parallel()
	seen := &counts{}
	loses := dialects.Translator{Out: func(m object) bool {
		params, _ := m["params"].(object)
		if m["method"] != "notifications/stream_chunk" {
			return true
		}
		id := fmt.Sprint(params["operation_id"])
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if seen.held == nil {
			seen.held = map[string]any{}
		}
		if seen.held[id] == nil {
			seen.held[id] = len(seen.held)%2 == 0
		}
		if fmt.Sprint(params["sequence"]) == "2" && seen.held[id] == true {
			params["data"] = []any{}
		}
		return true
	}}
	config := strings.NewReplacer(`watch: "kit-${nonce}", entries: 8`, `watch: noon, entries: 8`)
	for _, f := range judged(t, loses, config).Findings {
		if f.Case == "ext-streaming/interleaved" && f.Status != reports.Pass {
			t.Errorf("%s: %s %+v", f.Status, f.Problem, f.Reason)
		}
	}
}
