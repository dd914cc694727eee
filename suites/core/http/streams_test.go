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
)

// A board announces a change of the tools on the streams of each session.
type board struct {
	most    int                                 // streams of a session at a time; 0: any number
	closes  bool                                // a new stream closes an older one
	per     int                                 // notifications per change
	late    time.Duration                       // delay of all notifications but the first
	choose  func(told int, streams []int) []int // chooses the streams that get a notification
	mu      sync.Mutex
	told    int
	streams map[string][]chan struct{} // by session; a closed stream is nil
}

func (b *board) get(w http.ResponseWriter, r *http.Request) {
	session, mine := r.Header.Get("Mcp-Session-Id"), make(chan struct{}, 16)
	b.mu.Lock()
	if b.streams == nil {
		b.streams = map[string][]chan struct{}{}
	}
	open := b.open(session)
	switch {
	case b.most > 0 && len(open) >= b.most && !b.closes:
		b.mu.Unlock()
		http.Error(w, "there is a stream already", http.StatusConflict)
		return
	case b.most > 0 && len(open) >= b.most:
		close(b.streams[session][open[0]])
		b.streams[session][open[0]] = nil
	}
	number := len(b.streams[session])
	b.streams[session] = append(b.streams[session], mine)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.streams[session][number] = nil
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case _, ok := <-mine:
			if !ok {
				return
			}
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// open are the numbers of the open streams of a session.
func (b *board) open(session string) []int {
	var open []int
	for i, one := range b.streams[session] {
		if one != nil {
			open = append(open, i)
		}
	}
	return open
}

// change announces the change to all sessions.
func (b *board) change() {
	for i := range b.per {
		if i > 0 && b.late > 0 {
			time.AfterFunc(b.late, b.tell)
			continue
		}
		b.tell()
	}
}

func (b *board) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told++
	for session, streams := range b.streams {
		if open := b.open(session); len(open) > 0 {
			for _, one := range b.choose(b.told, open) {
				streams[one] <- struct{}{}
			}
		}
	}
}

// TestStreamsByGet: a server may send messages that belong to no request on any open
// stream, as long as it sends each message once.
func TestStreamsByGet(t *testing.T) {
	t.Parallel()
	first := func(_ int, open []int) []int { return open[:1] }
	newest := func(_ int, open []int) []int { return open[len(open)-1:] }
	turns := func(told int, open []int) []int { return open[told%len(open):][:1] }
	all := func(_ int, open []int) []int { return open }
	for _, row := range []struct {
		name  string
		board *board
		want  reports.Status
	}{
		{"one stream, another is refused", &board{most: 1, per: 1, choose: all}, reports.Pass},
		{"one stream, the older is closed", &board{most: 1, closes: true, per: 1, choose: all}, reports.Pass},
		{"on the first", &board{per: 1, choose: first}, reports.Pass},
		{"on the newest", &board{per: 1, choose: newest}, reports.Pass},
		{"by turns", &board{per: 1, choose: turns}, reports.Pass},
		{"two of each change, by turns", &board{per: 2, choose: turns}, reports.Pass},
		{"two of each change, by turns, the second one late", &board{per: 2, late: 50 * time.Millisecond, choose: turns}, reports.Pass},
		{"on all", &board{per: 1, choose: all}, reports.Fail},
		{"two of each change, on all", &board{per: 2, choose: all}, reports.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Capabilities: map[string]any{"tools": map[string]any{"listChanged": true}}, Tools: fakeserver.Tools(2),
				HTTP: fakeserver.HTTP{Sessions: true, Get: row.board.get},
			}
			server.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
				if r.Params["name"] == "tool_1" {
					row.board.change()
				}
				return server.Call(r)
			}}
			cfg, err := config.Parse("mcp-conform.yaml", []byte("roles: {trigger: {tools: {tool: tool_1, arguments: {text: go}}}}\nwait: {event: 300ms}\n"),
				func(string) (string, bool) { return "", false }, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			wantOne(t, cfg, &plan.Local{Handler: server.Handler()}, "http/message-on-one-get-stream", row.want)
		})
	}
}

// wantOne judges a server by one case.
func wantOne(t *testing.T, cfg config.Config, local *plan.Local, id string, want reports.Status) {
	t.Helper()
	cfg.Revisions.Dates = []string{string(requirements.R20251125)}
	if f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id); f.Status != want {
		t.Errorf("%s: %s %s %s, want %s", id, f.Status, f.Problem, reason(f), want)
	}
}

func reason(f reports.Finding) string {
	if f.Reason == nil {
		return ""
	}
	return fmt.Sprint(*f.Reason)
}

// TestEventsOfAnotherSession: a server may do anything with an event id that the session
// does not know, except replay messages of another session.
func TestEventsOfAnotherSession(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		unknown func(server http.Handler, w http.ResponseWriter, r *http.Request)
	}{
		{"not found", func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the event is not known here", http.StatusNotFound)
		}},
		{"a stream that begins now", func(server http.Handler, w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Last-Event-Id")
			server.ServeHTTP(w, r)
		}},
		{"a stream that ends at once", func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := inprocess.Server(nil).Handler
			cfg := proof.Config(t)
			cfg.Wait.Event = 300 * time.Millisecond
			// Each session puts its own id in front of its event ids.
			local := &plan.Local{Path: inprocess.Path, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				own := r.Header.Get("Mcp-Session-Id") + "."
				if event := r.Header.Get("Last-Event-Id"); event != "" {
					known, ok := strings.CutPrefix(event, own)
					if !ok {
						row.unknown(server, w, r)
						return
					}
					r.Header.Set("Last-Event-Id", known)
				}
				out := fakeserver.Reword(w, func(line string) string {
					if id, ok := strings.CutPrefix(line, "id: "); ok {
						line = "id: " + own + id
					}
					return line + "\n"
				})
				server.ServeHTTP(out, r)
				out.Finish()
			})}
			wantOne(t, cfg, local, "http/resumed-session-own", reports.Pass)
		})
	}
}

// TestIndentedEvents: a response in several lines, of which only the first stands behind
// data:, is there and cannot be read. The server has not closed the stream before it.
func TestIndentedEvents(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	plain := server.Handler()
	report := judgedHere(t, proof.Config(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || fakeserver.MethodOf(r) != "tools/call" {
			plain.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: e1\ndata: \n\nid: e2\ndata: {\n"+strings.TrimPrefix(server.Reply(body), "{")+"\n\n")
	}), "http/stream-wellformed", "http/stream-retry", "tools/call-answered")
	want(t, report, "http/stream-wellformed", reports.Fail, "")
	want(t, report, "http/stream-retry", reports.Skip, "")
}

// TestTornEvents: what no reader of events makes a message of costs a request its response only where
// no response comes behind it.
func TestTornEvents(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	plain := server.Handler()
	const response, polling = "data: RESPONSE\n\n", "id: e1\nretry: 10\ndata: \n\n"
	for name, row := range map[string]struct {
		stream string
		want   reports.Status
	}{
		"half a message before the response": {"data: {\"level\":\"info\n\n" + response, reports.Warn},
		"a word before the response":         {"data: wait\n\n" + response, reports.Warn},
		"half a message of another type":     {"event: trace\ndata: {\"level\"\n\n" + response, reports.Pass},
		"half a message behind the response": {response + "data: {\"level\":\"info\n\n", reports.Warn},
		"bare JSON before the response":      {"{\"level\":\"info\"}\n\n" + response, reports.Warn},
		"an event cut behind the response":   {response + "data: {\"level\":\"info\"}\n", reports.Warn},
		"a comment cut behind the response":  {response + ": bye\n", reports.Pass},
		"the response as bare JSON":          {"RESPONSE\n\n", reports.Fail},
		"the response cut":                   {"data: RESPONSE\n", reports.Fail},
		"the response cut within its line":   {"data: RESPONSE", reports.Fail},
		"the response cut, and resumed":      {polling + "id: e2\ndata: RESPONSE\n", reports.Warn},
		"bare JSON, and resumed":             {polling + "RESPONSE\n\n", reports.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := ""
			report := judgedHere(t, proof.Config(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost && fakeserver.MethodOf(r) == "tools/call":
					body, _ := io.ReadAll(r.Body)
					response = server.Reply(body)
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, strings.Replace(row.stream, "RESPONSE", response, 1))
				case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "":
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "id: e2\ndata: "+response+"\n\n")
				default:
					plain.ServeHTTP(w, r)
				}
			}), "http/stream-wellformed", "tools/call-answered")
			want(t, report, "http/stream-wellformed", row.want, "")
		})
	}
}

// TestNamelessAnswers: a response without an id is there, and its stream ends behind it. Other
// cases judge the id.
func TestNamelessAnswers(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	plain := server.Handler()
	for name, event := range map[string]string{"events with ids": "id: e1\n", "events without ids": ""} {
		report := judgedHere(t, proof.Config(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || fakeserver.MethodOf(r) != "tools/call" {
				plain.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, event+`data: {"jsonrpc":"2.0","error":{"code":-32603,"message":"no berth"}}`+"\n\n")
		}), "http/stream-response-arrives", "http/stream-retry", "jsonrpc/error-for-request")
		for _, f := range report.Findings {
			if f.Status == reports.Fail != (f.Case == "jsonrpc/error-for-request") || f.Status == reports.Warn {
				t.Errorf("%s: %s of %s: %s", name, f.Status, f.Case, f.Problem)
			}
		}
	}
}

// TestResumedWhileRunning: where the server closes the stream of a call at once, the call may still run
// when its stream is resumed: the response may be late there.
func TestResumedWhileRunning(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
	plain := server.Handler()
	var running sync.Map // by event id
	var number atomic.Int64
	cfg := proof.Config(t)
	cfg.Wait.Event = 200 * time.Millisecond
	report := judgedHere(t, cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, resumed := running.Load(r.Header.Get("Last-Event-ID"))
		switch {
		case r.Method == http.MethodPost && fakeserver.MethodOf(r) == "tools/call":
			body, _ := io.ReadAll(r.Body)
			event := fmt.Sprintf("e%d", number.Add(1))
			running.Store(event, body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: "+event+"\nretry: 10\ndata: \n\n")
		case resumed:
			var asked fakeserver.Request
			_ = json.Unmarshal(call.([]byte), &asked)
			meta, _ := asked.Params["_meta"].(map[string]any)
			token, _ := json.Marshal(meta["progressToken"])
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`+"\n\n", token)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(500 * time.Millisecond)
			_, _ = io.WriteString(w, "data: "+server.Reply(call.([]byte))+"\n\n")
		default:
			plain.ServeHTTP(w, r)
		}
	}), "http/resumed-stream-response", "http/resumed-stream-own")
	lawful.NothingSaid(t, report)
}

// TestPolledAnswer: a server may close the stream of a request before its response, and
// resumed streams too, as long as the response comes on one of them.
func TestPolledAnswer(t *testing.T) {
	t.Parallel()
	const primed = "id: e1\nretry: 100\ndata: \n\n"
	for _, row := range []struct {
		name   string
		comes  int // the resumed stream that brings the response; 0: none does
		status int // of a resumed stream
		want   reports.Status
	}{
		{"on the first resumed stream", 1, http.StatusOK, reports.Pass},
		{"on the third resumed stream", 3, http.StatusOK, reports.Pass},
		{"on none", 0, http.StatusOK, reports.Warn},
		{"no stream is resumed", 0, http.StatusMethodNotAllowed, reports.Skip},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}
			plain, resumed, response := server.Handler(), 0, ""
			local := &plan.Local{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost && fakeserver.MethodOf(r) == "tools/call":
					body, _ := io.ReadAll(r.Body)
					resumed, response = 0, server.Reply(body)
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, primed)
				case r.Header.Get("Last-Event-Id") != "":
					w.Header().Set("Content-Type", "text/event-stream")
					w.WriteHeader(row.status)
					if resumed++; resumed == row.comes {
						_, _ = io.WriteString(w, "id: e2\ndata: "+response+"\n\n")
					}
				default:
					plain.ServeHTTP(w, r)
				}
			})}
			wantOne(t, proof.Config(t), local, "tools/call-answered", row.want)
		})
	}
}
