package evidence

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// fewTooMany is how many answers with status 429 the report does not speak of: cases about
// a quota bring about some themselves.
const fewTooMany = 10

// TooMany counts the answers that a server gives over HTTP, and those that say that it was
// asked too often.
type TooMany struct{ answers, refusals atomic.Int64 }

// Beside counts the frames that go on to trace, which may be nil.
func (t *TooMany) Beside(trace func(int, probe.Seen)) func(int, probe.Seen) {
	return func(connection int, s probe.Seen) {
		if s.Kind == frame.KindHead && s.HTTP != nil && s.Dir != frame.Sent {
			t.answers.Add(1)
			if s.HTTP.Status == http.StatusTooManyRequests {
				t.refusals.Add(1)
			}
		}
		if trace != nil {
			trace(connection, s)
		}
	}
}

// Say adds to the report that the server limited how often it was asked: that explains
// why many cases are undecided.
func (t *TooMany) Say(r *reports.Report) {
	if n := t.refusals.Load(); n > fewTooMany {
		text := fmt.Sprintf("the server answered %d of %d requests with HTTP status 429, too many requests: "+
			"cases are undecided because of that; raise its limit for this kit, or set limits.rate in mcp-conform.yaml", n, t.answers.Load())
		if r.Verdict.Text != "" {
			text += "\n" + r.Verdict.Text
		}
		r.Verdict.Text = text
	}
}
