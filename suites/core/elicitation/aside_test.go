package elicitation_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/bubblelock"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// An aside is a server over HTTP that asks on the stream of GET, as many do: it asks nobody
// who does not listen there.
type aside struct {
	mu       sync.Mutex
	sessions map[string]*listener
	next     int
	reads    bool // the tool that asks says that it is read-only
	single   bool // it does nothing else while the stream of GET is open, and its tool asks nobody
	one      bubblelock.Mutex
}

type listener struct {
	questions chan string
	answers   chan json.RawMessage
	user      bool // the client declares forms
	listens   bool
}

func (a *aside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodDelete {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if a.single {
		a.one.Lock()
		defer a.one.Unlock()
	}
	a.mu.Lock()
	l := a.sessions[r.Header.Get("Mcp-Session-Id")]
	a.mu.Unlock()
	if r.Method == http.MethodGet && l != nil {
		a.listen(w, r, l)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
		Params struct {
			ProtocolVersion string
			Capabilities    map[string]map[string]any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.ID == nil || m.Method == "" {
		if m.Result != nil && l != nil {
			select {
			case l.answers <- m.Result:
			case <-r.Context().Done(): // nobody waits for it
			}
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := `"result":{}`
	switch m.Method {
	case "initialize":
		a.mu.Lock()
		a.next++
		id := fmt.Sprintf("session-%d", a.next)
		modes, user := m.Params.Capabilities["elicitation"]
		_, forms := modes["form"]
		a.sessions[id] = &listener{make(chan string), make(chan json.RawMessage), user && (forms || len(modes) == 0), false}
		a.mu.Unlock()
		w.Header().Set("Mcp-Session-Id", id)
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"aside","version":"1"}}`
	case "tools/list":
		answer = `"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":` + a.readOnly() + `}}]}`
	case "tools/call":
		answer = `"result":{"content":[{"type":"text","text":"` + a.ask(l) + `"}]}`
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer) // a client that is gone needs no answer
}

func (a *aside) listen(w http.ResponseWriter, r *http.Request, l *listener) {
	a.mu.Lock()
	l.listens = true
	a.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	for {
		select {
		case q := <-l.questions:
			_, _ = fmt.Fprintf(w, "data: %s\n\n", q)
			_ = flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (a *aside) readOnly() string { return strconv.FormatBool(a.reads) }

func (a *aside) ask(l *listener) string {
	a.mu.Lock()
	listens := l != nil && l.user && l.listens && !a.single
	a.mu.Unlock()
	if !listens {
		return "nobody listens"
	}
	select {
	case l.questions <- `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Which berth?","requestedSchema":` +
		`{"type":"object","properties":{"berth":{"type":"string"}}}}}`:
	case <-time.After(10 * time.Second):
		return "nobody listens any more"
	}
	select {
	case answer := <-l.answers:
		var given struct{ Action string }
		_ = json.Unmarshal(answer, &given) // no action then
		return "the user says " + given.Action
	case <-time.After(10 * time.Second):
		return "nobody answers"
	}
}

// TestAskedAside: the kit listens where a server asks beside the answer to the call.
func TestAskedAside(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse(config.FileName, []byte("roles: {client-request: {elicitation: {tool: ask}}}"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	local := &plan.Local{Handler: &aside{sessions: map[string]*listener{}}, Path: "/mcp"}
	report := proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "elicitation" }})
	lawful.NothingSaid(t, report)
	seen := map[string]reports.Status{}
	for _, f := range report.Findings {
		seen[f.Case] = f.Status
	}
	for _, id := range []string{"elicitation/accepted", "elicitation/decline", "elicitation/cancel", "elicitation/request", "elicitation/only-if-declared"} {
		if seen[id] != reports.Pass {
			t.Errorf("%s: %s, want pass", id, seen[id])
		}
	}
}

// TestReadOnlyToolAsksAside: without a configuration the kit listens there, too.
func TestReadOnlyToolAsksAside(t *testing.T) {
	t.Parallel()
	local := &plan.Local{Handler: &aside{sessions: map[string]*listener{}, reads: true}, Path: "/mcp"}
	report := proof.Judge(t, plan.Plan{Config: config.Default(), Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool {
			return c.ID == "elicitation/read-only-tools-answer" || c.ID == "elicitation/request"
		}})
	if len(report.Findings) != 2 {
		t.Fatalf("got %d findings, want 2", len(report.Findings))
	}
	for _, f := range report.Findings {
		if f.Status != reports.Pass {
			t.Errorf("%s: %s (%v), want pass", f.Case, f.Status, f.Reason)
		}
	}
}

// TestOneThingAtATime: the kit does not listen where that keeps the server from all else.
func TestOneThingAtATime(t *testing.T) {
	t.Parallel()
	local := &plan.Local{Handler: &aside{sessions: map[string]*listener{}, reads: true, single: true}, Path: "/mcp"}
	report := proof.Judge(t, plan.Plan{Config: config.Default(), Local: local, Seed: 1, Timeout: 4 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "elicitation/read-only-tools-answer" }})
	if len(report.Findings) != 1 || report.Findings[0].Status != reports.Pass {
		t.Errorf("got %+v, want one pass", report.Findings)
	}
}
