package http_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A fleet is several instances of one server, which share the state of sessions.
type fleet struct {
	board    board // the GET streams of all instances
	sessions fakeserver.Store
	shares   bool // the instances share the events of streams too, so that any of them can replay the events
	made     atomic.Int64
	mu       sync.Mutex
	events   map[string][]string // the events of a stream, by its session and its name
}

// instance makes one instance of the fleet.
func (f *fleet) instance(name string) http.Handler {
	server := &fakeserver.Server{
		Capabilities: map[string]any{"tools": map[string]any{"listChanged": true}}, Tools: fakeserver.Tools(4),
		HTTP: fakeserver.HTTP{Sessions: true, Store: &f.sessions},
	}
	server.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		if r.Params["name"] == "tool_1" {
			f.board.change()
		}
		return server.Call(r)
	}}
	server.HTTP.Before = func(w http.ResponseWriter, body []byte) bool { return f.works(name, w, body) }
	server.HTTP.Get = func(w http.ResponseWriter, r *http.Request) {
		event := r.Header.Get("Last-Event-Id")
		of, stream, ok := strings.Cut(event, "/")
		if !ok || of != name && !f.shares {
			f.board.get(w, r)
			return
		}
		stream, _, _ = strings.Cut(stream, "/")
		f.mu.Lock()
		events := f.events[r.Header.Get("Mcp-Session-Id")+" "+of+"/"+stream]
		f.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		after := false
		for _, one := range events {
			if after {
				_, _ = io.WriteString(w, one)
			}
			after = after || strings.Contains(one, "id: "+event+"\n")
		}
	}
	handler := server.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(ofSession, r.Header.Get("Mcp-Session-Id"))
		handler.ServeHTTP(w, r)
	})
}

// ofSession is a header that names the session of an answer.
const ofSession = "X-Of-Session"

// works answers a call of the tool that reports progress, on a stream whose event ids
// name the instance.
func (f *fleet) works(name string, w http.ResponseWriter, body []byte) bool {
	var r struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Name string `json:"name"`
			Meta struct {
				Token any `json:"progressToken"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &r) != nil || r.Params.Name != "tool_2" || r.Params.Meta.Token == nil {
		return false
	}
	stream, session := fmt.Sprintf("%s/%d", name, f.made.Add(1)), w.Header().Get(ofSession)
	token, err := json.Marshal(r.Params.Meta.Token)
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 5 {
		text := ""
		switch i {
		case 0: // the event id with which a client comes back
		case 4:
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, r.ID)
		default:
			text = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, i)
		}
		event := fmt.Sprintf("id: %s/%d\ndata: %s\n\n", stream, i, text)
		f.mu.Lock()
		if f.events == nil {
			f.events = map[string][]string{}
		}
		f.events[session+" "+stream] = append(f.events[session+" "+stream], event)
		f.mu.Unlock()
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush()
	}
	return true
}

// byTurns passes each request to the next instance.
func byTurns(instances ...http.Handler) http.Handler {
	var turn atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		instances[int(turn.Add(1))%len(instances)].ServeHTTP(w, r)
	})
}

// TestInstances: several instances may serve one session, with each request at another
// one. A session that ends at one instance ends at all, and messages of one instance come
// on a stream of another.
func TestInstances(t *testing.T) {
	t.Parallel()
	newest := func(_ int, open []int) []int { return open[len(open)-1:] }
	for name, shares := range map[string]bool{"with all events": true, "each with its own events": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fleet{board: board{per: 1, choose: newest}, shares: shares}
			cfg, err := config.Parse("mcp-conform.yaml", []byte(`{wait: {event: 1s}, revision: "2025-11-25", roles: {
				trigger: {tools: {tool: tool_1, arguments: {text: go}}},
				progress-tool: {tool: tool_2, arguments: {text: go}}}}`),
				func(string) (string, bool) { return "", false }, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			report := proof.Judged(t, plan.Plan{Config: cfg, Local: &plan.Local{Handler: byTurns(f.instance("a"), f.instance("b"), f.instance("c"))}})
			lawful.NothingSaid(t, report)
			passed := map[string]bool{}
			for _, one := range report.Findings {
				passed[one.Case] = one.Status == reports.Pass
			}
			want := []string{"http/session-ended", "http/session-ended-get", "http/session-isolation", "http/message-on-one-get-stream", "http/stream-messages-related"}
			if shares {
				want = append(want, "http/resumed-stream-own", "http/resumed-session-own")
			}
			for _, id := range want {
				if !passed[id] {
					t.Errorf("%s did not pass, so this shows nothing of it", id)
				}
			}
		})
	}
}

// TestInstancesWithoutSessions: without a handshake the instances share nothing.
func TestInstancesWithoutSessions(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions.Dates, cfg.Wait.Event = []string{string(requirements.R20260728)}, 500*time.Millisecond
	behind := byTurns(inprocess.Server(nil).Handler, inprocess.Server(nil).Handler)
	lawful.NothingSaid(t, proof.Judged(t, plan.Plan{
		Config: cfg, Local: &plan.Local{Handler: behind, Path: inprocess.Path},
		Selected: func(s suite.Suite, c suite.Case) bool {
			// The instances share no other state in memory.
			return c.Lane != suite.Waits && (s.Name == "http" || s.Name == "jsonrpc" || s.Name == "meta" || s.Name == "pagination")
		},
	}))
}
