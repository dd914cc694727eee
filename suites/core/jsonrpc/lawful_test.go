package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "jsonrpc", []lawful.Row{
		{Name: "out-of-order answers", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Stdio: fakeserver.Stdio{OutOfOrder: true}}, Over: requirements.Stdio},
		{Name: "silence for garbage", Server: &fakeserver.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1), Stdio: fakeserver.Stdio{
				Line: func(line []byte, _ io.Writer) bool { return !strings.HasPrefix(string(line), `{"jsonrpc":"2.0"`) },
			},
		}, Over: requirements.Stdio},
		{Name: "all numbers with a fraction", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: fractions,
		}},
		{Name: "calls one after the other, each for most of a second", Server: unhurried(), Over: requirements.Stdio, Judged: []string{"jsonrpc/all-answered"}},
		{Name: "a repeated id gets the answer it got before", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
			HTTP: fakeserver.HTTP{Sessions: true, Around: func(inner http.Handler) http.Handler { return &remembering{inner: inner} }},
		}, Over: requirements.HTTP, Judged: []string{"jsonrpc/ids-scoped-to-sender", "jsonrpc/all-answered"}},
	})
}

// unhurried takes most of a second for each call.
func unhurried() *fakeserver.Server {
	plain := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1)}
	return &fakeserver.Server{Capabilities: plain.Capabilities, Tools: plain.Tools, Answer: fakeserver.Answers{
		"tools/call": func(r fakeserver.Request) any {
			time.Sleep(800 * time.Millisecond)
			return plain.Call(r)
		},
	}}
}

var number = regexp.MustCompile(`([:\[,])(-?[0-9]+)([,}\]])`)

// fractions writes every number with a fraction, as languages do whose only numbers are
// floats.
func fractions(text string) string { return number.ReplaceAllString(text, "$1$2.0$3") }

// TestFractionsWithoutHandshake repeats the same in a revision without a handshake, with
// the full reference server.
func TestFractionsWithoutHandshake(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20250326), string(requirements.R20260728)}}
	local := inprocess.Server(&fault.Fault{Bytes: func(_ fault.Exchange, text []byte) []byte { return []byte(fractions(string(text))) }})
	local.Handler = nil
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: lawful.Prompt,
	})
	lawful.NothingSaid(t, report)
}

// A remembering server keeps the answers of each session by the ids of the requests, which no
// client may use again in a session of this revision.
type remembering struct {
	inner http.Handler

	mu    sync.Mutex
	kept  map[string]*httptest.ResponseRecorder
	again []string // requests with an id of an earlier one
}

func (s *remembering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct{ ID, Method json.RawMessage }
	if err != nil || json.Unmarshal(body, &asked) != nil || asked.ID == nil || asked.Method == nil || r.Header.Get("Mcp-Session-Id") == "" {
		s.inner.ServeHTTP(w, r)
		return
	}
	key := r.Header.Get("Mcp-Session-Id") + " " + string(asked.ID)
	s.mu.Lock()
	answer := s.kept[key]
	s.mu.Unlock()
	if answer != nil {
		s.mu.Lock()
		s.again = append(s.again, string(body))
		s.mu.Unlock()
	} else {
		answer = httptest.NewRecorder()
		s.inner.ServeHTTP(answer, r)
	}
	s.mu.Lock()
	if s.kept == nil {
		s.kept = map[string]*httptest.ResponseRecorder{}
	}
	if answer.Code == http.StatusOK {
		s.kept[key] = answer
	}
	s.mu.Unlock()
	write(w, answer)
}

// No case uses an id a second time in a session of the revision that forbids it.
func TestIDsOnce(t *testing.T) {
	t.Parallel()
	var front *remembering
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(6),
		HTTP: fakeserver.HTTP{Sessions: true, Around: func(inner http.Handler) http.Handler {
			front = &remembering{inner: inner}
			return front
		}},
	}
	lawful.NothingSaid(t, lawful.Judge(t, &plan.Local{Handler: server.Handler(), Path: "/mcp"}, lawful.WithoutLoad))
	for _, request := range front.again {
		t.Errorf("the id of %s was used before in its session", request)
	}
}
