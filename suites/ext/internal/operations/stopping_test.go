package operations_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
)

// stopping refuses to resume a call for some time after it was first asked to: the
// call that was given up has not ended yet.
type stopping struct {
	takes  time.Duration
	record object // in the refusal; nil where it has none

	mu      sync.Mutex
	until   map[string]time.Time
	refused map[string]any // the ids of refused requests, by the ids that the server sees instead
	asked   int
}

func (s *stopping) in(m object) {
	params, _ := m["params"].(object)
	if m["method"] != "resume" || params["operation_id"] == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil {
		s.until, s.refused = map[string]time.Time{}, map[string]any{}
	}
	operation := fmt.Sprint(params["operation_id"])
	if _, known := s.until[operation]; !known {
		s.until[operation] = time.Now().Add(s.takes)
	}
	s.asked++
	if time.Now().Before(s.until[operation]) {
		seen := fmt.Sprintf("refused-%d", s.asked) // connections have the same ids
		s.refused[seen] = m["id"]
		m["method"], m["id"] = "ping", seen
	}
}

func (s *stopping) out(m object) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, _ := m["id"].(string)
	if id, refused := s.refused[seen]; refused {
		delete(s.refused, seen)
		delete(m, "result")
		m["id"] = id
		refusal := object{"code": -32000, "message": "The call is still stopping."}
		if s.record != nil {
			refusal["data"] = s.record
		}
		m["error"] = refusal
	}
	return true
}

// A call that was given up takes its time to stop, and cannot be resumed before.
func TestStillStopping(t *testing.T) {
	t.Parallel()
	record := func(category string, more object) object {
		r := object{"code": "OPERATION_RUNNING", "message": "The call is still stopping.", "category": category}
		for name, value := range more {
			r[name] = value
		}
		return r
	}
	const while, ever = 700 * time.Millisecond, 24 * time.Hour
	for _, row := range []*struct {
		name   string
		server stopping
		want   reports.Status
		once   bool // each call is asked for once only
	}{
		{name: "for now", server: stopping{takes: while, record: record("transient", nil)}, want: reports.Pass},
		{name: "for a time", server: stopping{takes: while, record: record("transient", object{"retry_after_seconds": 1})}, want: reports.Pass},
		{name: "too often", server: stopping{takes: while, record: record("rate_limited", object{"retry_after_seconds": 1})}, want: reports.Pass},
		{name: "for now, for ever", server: stopping{takes: ever, record: record("transient", nil)}, want: reports.Fail},
		{
			name: "for a very long time", want: reports.Skip,
			server: stopping{takes: ever, record: record("transient", object{"retry_after_seconds": 86400})},
		},
		{name: "without a reason", server: stopping{takes: while}, want: reports.Skip},
		{name: "in words of its own", server: stopping{takes: while, record: record("busy", nil)}, want: reports.Skip},
		{name: "without a reason, for ever", server: stopping{takes: ever}, want: reports.Fail},
		{name: "for good", server: stopping{takes: while, record: record("permanent", nil)}, want: reports.Fail, once: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range judged(t, dialects.Translator{In: row.server.in, Out: row.server.out}, nil).Findings {
				if !strings.HasPrefix(f.Case, "ext-streaming/") || f.Reason != nil && f.Reason.Kind == reports.OtherTransport {
					continue
				}
				switch {
				case f.Case == "ext-streaming/resume-continues" && f.Status != row.want,
					f.Status == reports.Skip && f.Reason.Kind != reports.Undecided,
					strings.Contains(f.Case, "/resume-") && row.want == reports.Pass && f.Status != reports.Pass:
					t.Errorf("%s %s, want %s: %s %+v", f.Status, f.Case, row.want, f.Problem, f.Reason)
				}
			}
			if operations := len(row.server.until); row.once && row.server.asked > 3*operations {
				t.Errorf("%d calls were resumed %d times", operations, row.server.asked)
			}
		})
	}
}
