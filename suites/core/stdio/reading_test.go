package stdio_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// TestLongLineRefused: a server that does not read a long line to its end cannot know the
// id.
func TestLongLineRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(refusal fault.Message){
		"null": func(refusal fault.Message) { refusal["id"] = nil },
		"none": func(refusal fault.Message) { delete(refusal, "id") },
	} {
		f := judged(t, "stdio/long-line", func(x fault.Exchange) fault.Verdict {
			refusal := x.Refusal(-32600, "the line is too long")
			change(refusal)
			return fault.Verdict{Instead: len(x.Params) > 64<<10, Answer: []fault.Message{refusal}}
		})
		if f.Status != reports.Pass {
			t.Errorf("id %s: got %s %s %v", name, f.Status, f.Problem, f.Reason)
		}
	}
}

// TestPiecesAnsweredLate: a server may answer requests in any order, and one request may
// take longer than others.
func TestPiecesAnsweredLate(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"stdio/line-in-pieces", "stdio/character-in-pieces"} {
		var met sync.Map
		f := judged(t, id, func(x fault.Exchange) fault.Verdict {
			if _, again := met.LoadOrStore(string(x.ID), true); again || !bytes.HasPrefix(x.ID, []byte(`"kit-`)) {
				return fault.Verdict{}
			}
			return fault.Verdict{Delay: 3 * time.Second}
		})
		if f.Status != reports.Pass {
			t.Errorf("%s: got %s %s %v", id, f.Status, f.Problem, f.Reason)
		}
	}
}

// judged is the finding of one case about a server that treats its input in the given
// way.
func judged(t *testing.T, id string, does func(fault.Exchange) fault.Verdict) reports.Finding {
	t.Helper()
	local := inprocess.Server(&fault.Fault{Inbound: does})
	local.Handler = nil
	return proof.Found(t, plan.Plan{Config: config.Default(), Local: local}, id)
}
