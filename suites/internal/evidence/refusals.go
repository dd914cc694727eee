package evidence

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

const (
	// few is how many refusals with one status the report does not speak of: cases about a
	// quota bring about some themselves.
	few = 10

	// many is how many refusals one after the other, up to the end of the run, mean that
	// nothing is answered any more: cases about access bring about some dozens themselves.
	many = 50
)

// Refusals counts the answers that a server gives, and those that refuse a request whatever it
// asks: by the status of HTTP, or by the text of an error.
type Refusals struct {
	mu        sync.Mutex
	answers   int         // over HTTP
	by        map[int]int // refusals by a status that depends neither on the request nor on credentials
	last      int         // the status of the last answer
	row       int         // how many answers in a row have had it
	responses int
	limited   int    // responses that name a rate limit
	named     string // what the first of them says
}

// Beside counts the frames that go on to trace, which may be nil.
func (r *Refusals) Beside(trace func(int, probe.Seen)) func(int, probe.Seen) {
	return func(connection int, s probe.Seen) {
		if s.Kind == frame.KindHead && s.HTTP != nil && s.Dir != frame.Sent {
			r.count(s.HTTP.Status)
		}
		if s.Kind == frame.KindMessage && s.Dir != frame.Sent {
			for _, m := range probe.Singles(s.Message()) {
				r.read(m)
			}
		}
		if trace != nil {
			trace(connection, s)
		}
	}
}

func (r *Refusals) count(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[int]int{}
	}
	r.answers++
	if slices.Contains(busyStatuses(), status) {
		r.by[status]++
	}
	if status != r.last {
		r.last, r.row = status, 0
	}
	r.row++
}

func (r *Refusals) read(m frame.Message) {
	if m.Class != frame.Result && m.Class != frame.Error {
		return
	}
	text, limited := limited(m)
	if !limited {
		text, limited = limitedTool(m)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.responses++
	if limited {
		r.limited++
		r.named = cmp.Or(r.named, text)
	}
}

// Say adds to the report what kept the server from answering: that explains why many cases
// are undecided.
func (r *Refusals) Say(report *reports.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var said []string
	for _, status := range slices.Sorted(maps.Keys(r.by)) {
		if n := r.by[status]; n > few {
			said = append(said, fmt.Sprintf("the server answered %d of %d requests with HTTP status %d, %s", n, r.answers, status, refused(status)))
		}
	}
	if r.limited > few {
		said = append(said, fmt.Sprintf("%d of %d responses name a rate limit, such as %s: cases are undecided because of that; %s",
			r.limited, r.responses, probe.Show(r.named), slower))
	}
	if what := shut(r.last); what != "" && many <= r.row && r.row < r.answers {
		said = append(said, fmt.Sprintf("the server answered the last %d of %d requests with HTTP status %d: %s", r.row, r.answers, r.last, what))
	}
	if len(said) > 0 {
		if report.Verdict.Text != "" {
			said = append(said, report.Verdict.Text)
		}
		report.Verdict.Text = strings.Join(said, "\n")
	}
}

// refused explains a status that depends neither on the request nor on credentials.
func refused(status int) string {
	if status == http.StatusTooManyRequests {
		return "too many requests: cases are undecided because of that; " + slower
	}
	return "which says that it, or a proxy before it, cannot serve now: cases are undecided because of that; " +
		"give it more time to start, lower --jobs, or set " + reports.RateKey + " in mcp-conform.yaml"
}

// shut explains a status with which nothing is answered any more, if it is such a status.
func shut(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "credentials that it took before are not taken any more, so cases are undecided; let them live longer than the run"
	case http.StatusForbidden:
		return "something refuses all that the kit sends, perhaps a firewall; findings since then are not about the server"
	}
	return ""
}
