package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// A line is a conversation with a server over some transport. It sends messages
// unchanged, and yields the received messages in the order in which they come.
type line struct {
	t    *testing.T
	send func(message string, headers ...string)
	next func() string // "" at the end
}

// A column is a revision over a transport.
type column struct{ revision, transport string }

func (c column) String() string { return c.revision + " over " + c.transport }

// columns lists the columns that the server serves.
func columns() []column {
	all := []column{{"2024-11-05", "sse"}}
	for _, revision := range revisions() {
		all = append(all, column{revision, "stdio"}, column{revision, "http"})
	}
	return all
}

// handshakes lists the columns that begin with a handshake.
func handshakes() []column {
	var all []column
	for _, c := range columns() {
		if c.revision != modern {
			all = append(all, c)
		}
	}
	return all
}

// A place is a server with open transports.
type place struct {
	t      *testing.T
	server *server.Server
	url    string
}

func newPlace(t *testing.T, o server.Options) *place {
	t.Helper()
	s := made(t, o)
	web := httptest.NewServer(s.Both())
	t.Cleanup(web.Close)
	return &place{t: t, server: s, url: web.URL}
}

// dial opens a conversation in which the client declares the capabilities.
func (p *place) dial(at column, capabilities string, headers ...string) *line {
	p.t.Helper()
	var l *line
	greeting := strings.Replace(hello(at.revision), `"capabilities":{}`, `"capabilities":`+capabilities, 1)
	switch at.transport {
	case "stdio":
		peer := newPeer(p.t, p.server)
		l = &line{t: p.t, next: peer.next, send: func(message string, _ ...string) { peer.send(message) }}
	case "sse":
		l = p.dialLegacy()
	default:
		return p.dialHTTP(at.revision, greeting, headers)
	}
	if at.revision != modern {
		l.greet(greeting)
	}
	return l
}

func (l *line) greet(greeting string) {
	l.t.Helper()
	l.send(greeting)
	if got := tell(l.next()); got != `id "hello" ok` {
		l.t.Fatalf("initialize led to %s", got)
	}
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// dialHTTP sends each message in a POST of its own and yields all answers in one
// sequence.
func (p *place) dialHTTP(revision, greeting string, headers []string) *line {
	said := make(chan string, 4096)
	session := headers
	s := &site{t: p.t, url: p.url + "/mcp"}
	l := &line{t: p.t, next: func() string { return <-said }}
	l.send = func(message string, more ...string) {
		p.t.Helper()
		own := append(append([]string{}, session...), more...)
		if revision == modern {
			own = append(own, modernHeaders(message)...)
		}
		response := s.begin(p.t.Context(), http.MethodPost, message, own...)
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = append([]string{"Mcp-Session-Id: " + id}, headers...)
			if revision >= "2025-06-18" {
				session = append(session, "Mcp-Protocol-Version: "+revision)
			}
		}
		if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
			if body, _ := io.ReadAll(response.Body); len(body) > 0 {
				said <- string(body)
			}
			return
		}
		go func() {
			for events := bufio.NewScanner(response.Body); ; {
				e, more := nextEvent(events)
				if e.data != "" {
					said <- e.data
				}
				if !more {
					return
				}
			}
		}()
	}
	if revision != modern {
		l.greet(greeting)
	}
	return l
}

func modernHeaders(message string) []string {
	var m struct {
		Method string
		Params struct{ Name, TaskID string }
	}
	_ = json.Unmarshal([]byte(message), &m)
	headers := []string{"Mcp-Protocol-Version: " + modern}
	if m.Method != "" {
		headers = append(headers, "Mcp-Method: "+m.Method)
	}
	if name := m.Params.Name + m.Params.TaskID; name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return headers
}

// dialLegacy opens a stream, on which all answers come back.
func (p *place) dialLegacy() *line {
	p.t.Helper()
	stream := &site{t: p.t, url: p.url + "/sse"}
	events := bufio.NewScanner(stream.begin(p.t.Context(), http.MethodGet, "").Body)
	next := func() string {
		e, _ := nextEvent(events)
		return e.data
	}
	post := &site{t: p.t, url: p.url + next()}
	return &line{t: p.t, next: next, send: func(message string, headers ...string) {
		p.t.Helper()
		if got := post.begin(p.t.Context(), http.MethodPost, message, headers...).StatusCode; got != http.StatusAccepted {
			p.t.Fatalf("posting led to %d", got)
		}
	}}
}

// call writes a tools/call. At 2026-07-28 it declares the capabilities.
func (c column) call(id, capabilities, params string) string {
	return strings.Replace(request(c.revision, id, "tools/call", params), `Capabilities":{}`, `Capabilities":`+capabilities, 1)
}

// of writes a request for a client of the tasks extension.
func (c column) of(method, params string) string {
	return strings.Replace(request(c.revision, "1", method, params), `Capabilities":{}`, `Capabilities":`+ableTasks, 1)
}

// An asking is a question of the server to its client.
type asking struct {
	ID     json.RawMessage // of a request; nil for a question in a result
	Key    string          // of a question in a result
	Method string
	Params json.RawMessage
	State  string
}

// readAsking reads a question from a message; ok is false for any other message.
func readAsking(message string) (q asking, ok bool) {
	var m struct {
		asking
		Result struct {
			ResultType    string
			InputRequests map[string]asking
			RequestState  string
		}
	}
	if json.Unmarshal([]byte(message), &m) != nil {
		return asking{}, false
	}
	if m.Method != "" {
		return m.asking, m.ID != nil
	}
	for key, one := range m.Result.InputRequests {
		one.Key, one.State = key, m.Result.RequestState
		return one, m.Result.ResultType == "input_required" && len(m.Result.InputRequests) == 1
	}
	return asking{}, false
}

// asked reads the next message, which has to be a question with the method.
func (l *line) asked(method string) asking {
	l.t.Helper()
	message := l.next()
	q, ok := readAsking(message)
	if !ok || q.Method != method {
		l.t.Fatalf("got %s, want a question by %s", message, method)
	}
	return q
}

// answered is the repeated request, or the response, that answers a question. The
// params are the params of the call.
func (c column) answered(q asking, id, capabilities, params, answer string) string {
	if q.Key == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, answer)
	}
	return c.call(id, capabilities, fmt.Sprintf(`%s,"inputResponses":{%q:%s},"requestState":%q`, params, q.Key, answer, q.State))
}

// said is the text in the result of a call, or its error.
func said(t *testing.T, message string) string {
	t.Helper()
	told := tell(message)
	if !strings.HasSuffix(told, " ok") && !strings.HasSuffix(told, " tool error") {
		return told
	}
	content, _ := result(t, message)["content"].([]any)
	if len(content) != 1 {
		return told + " with other content"
	}
	return fmt.Sprint(strings.TrimSuffix(told, " ok"), ": ", content[0].(map[string]any)["text"])
}
