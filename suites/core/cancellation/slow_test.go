package cancellation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// steps are calls that take a second, and report progress at each step. A cancelled call looks for its
// cancellation at some steps only, and is not answered.
type steps struct {
	mu    sync.Mutex
	given map[string]bool // the ids that were cancelled
	every int             // at which steps it looks
	pause time.Duration   // how long a step takes
	made  int             // the steps of all calls so far
	shown bool            // a call without a progress token shows them
	loose bool            // "1" cancels 1
}

func (s *steps) line(line []byte, out io.Writer) bool {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			RequestID json.RawMessage
			Name      string
			Arguments json.RawMessage
			Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
	}
	switch err := json.Unmarshal(line, &m); {
	case err == nil && m.Method == "notifications/cancelled" && m.Params.RequestID != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		id := string(m.Params.RequestID)
		if s.loose {
			id = strings.Trim(id, `"`)
		}
		s.given[id] = true
		return true
	case err == nil && m.Method == "tools/call" && m.Params.Meta.ProgressToken != nil:
		s.mu.Lock()
		delete(s.given, string(m.ID)) // of another connection
		s.mu.Unlock()
		go s.work(string(m.ID), m.Params.Meta.ProgressToken, out)
		return true
	case err == nil && m.Method == "tools/call" && s.shown && m.Params.Name == "hours" && string(m.Params.Arguments) == "{}":
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%d"}]}}`+"\n", m.ID, s.made)
		return true
	}
	return false
}

func (s *steps) work(id string, token json.RawMessage, out io.Writer) {
	for n := 1; n <= int(time.Second/s.pause); n++ {
		time.Sleep(s.pause)
		s.mu.Lock()
		stops := s.given[id] && n%s.every == 0
		if !stops {
			s.made++
		}
		s.mu.Unlock()
		if stops {
			return
		}
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", token, n)
	}
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", id)
}

// The finding names the ids that were cancelled and that of the call: "1" beside 1 is what
// the author of a server that makes one of the other has to see.
func TestOtherIDsAreNamed(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse(config.FileName, []byte("roles: {slow-tool: {tool: hours, duration: 1s}}"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	loose := &steps{given: map[string]bool{}, every: 1, pause: 50 * time.Millisecond, loose: true}
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Stdio: fakeserver.Stdio{Line: loose.line}}
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Serve: server.Serve}, Seed: 1, Timeout: 5 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "cancellation/unknown-id-spares-calls" },
	})
	for _, f := range report.Findings {
		if f.Status != reports.Warn || !regexp.MustCompile(`\("no-such-\w+" and "(\d+)", and its own is \d+\)`).MatchString(f.Problem) {
			t.Errorf("%s %s: %s", f.Case, f.Status, f.Problem)
		}
	}
	if len(report.Findings) != 1 {
		t.Errorf("got %d findings, want 1", len(report.Findings))
	}
}
