package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// A legacy server announces an endpoint, and sends on its stream what the test says.
type legacy struct {
	announce string // the text of the first events; %s is its own URL, %local the same by name
	status   int    // of POST
	kind     string // content type of the answer to POST
	body     string
	post     func() // called before POST is answered

	mu     sync.Mutex
	heads  []string // method, path and credentials of each request
	events chan string
}

func (l *legacy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.heads = append(l.heads, fmt.Sprintf("%s %s %q", r.Method, r.URL.RequestURI(), r.Header.Get("Authorization")))
	l.mu.Unlock()
	if r.Method == http.MethodPost {
		if l.post != nil {
			l.post()
		}
		w.Header().Set("Content-Type", l.kind)
		w.WriteHeader(l.status)
		_, _ = io.WriteString(w, l.body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, strings.NewReplacer("%s", "http://"+r.Host, "%local", "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)).Replace(l.announce))
	for {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case text, open := <-l.events:
			if !open {
				return
			}
			_, _ = io.WriteString(w, text)
		case <-r.Context().Done():
			return
		}
	}
}

func (l *legacy) seen() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.heads...)
}

func (l *legacy) dial(t *testing.T) *wire.SSEConn {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	c, err := wire.DialSSE(t.Context(), wire.HTTPTarget{
		URL: server.URL + "/sse", Header: http.Header{"Authorization": {"Bearer secret-of-tests"}},
	}, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, c) })
	return c
}

func line(f frame.Frame) string {
	text := fmt.Sprintf("%d %s %s", f.Exchange, f.Dir, f.Kind)
	switch {
	case f.End != nil:
		return text + " " + f.End.Err
	case f.HTTP != nil && f.Dir == frame.Sent:
		return text + " " + f.HTTP.Method
	case f.HTTP != nil:
		return text + fmt.Sprint(" ", f.HTTP.Status)
	default:
		return text + " " + string(f.Raw())
	}
}

func take(t *testing.T, c record.Conn, n int) []string {
	t.Helper()
	var all []string
	for range n {
		all = append(all, line(next(t, c)))
	}
	return all
}

const relative = "event: endpoint\ndata: /message?id=1\n\n"

// The stream is exchange 0, and each POST one with a number. The body of an
// accepted POST is no message.
func TestSSEConversation(t *testing.T) {
	t.Parallel()
	l := &legacy{announce: ": hello\n\n" + relative, status: 202, kind: "application/json", body: `{"id":1}`, events: make(chan string, 1)}
	c := l.dial(t)
	send(t, c, frame.Outgoing{Text: `{"id":1}`})
	want := []string{
		"0 sent body GET", "0 received head 200", "0 received event : hello", "0 received event event: endpoint\ndata: /message?id=1",
		"1 sent message POST", "1 received head 202", `1 received body {"id":1}`, "1 received end ",
	}
	if diff := cmp.Diff(want, take(t, c, len(want))); diff != "" {
		t.Error(diff)
	}
	l.events <- "event: message\ndata: {\"id\":1,\"result\":{}}\n\n"
	if got := take(t, c, 1)[0]; got != `0 received message {"id":1,"result":{}}` {
		t.Errorf("the answer is %s", got)
	}
	close(l.events)
	if got := take(t, c, 1)[0]; got != "0 received end the server ended the event stream" {
		t.Errorf("the end is %s", got)
	}
	if _, err := c.Send(t.Context(), frame.Outgoing{Text: "late"}); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("after the end of the stream: %v", err)
	}
	requests := []string{`GET /sse "Bearer secret-of-tests"`, `POST /message?id=1 "Bearer secret-of-tests"`}
	if diff := cmp.Diff(requests, l.seen()); diff != "" {
		t.Error(diff)
	}
}

// A refused POST says why in its body.
func TestSSERefusedPost(t *testing.T) {
	t.Parallel()
	l := &legacy{announce: relative, status: 400, kind: "application/json", body: `{"error":{}}`}
	c := l.dial(t)
	send(t, c, frame.Outgoing{Text: "{"})
	if got := take(t, c, 7)[4:]; !cmp.Equal(got, []string{"1 received head 400", `1 received message {"error":{}}`, "1 received end "}) {
		t.Errorf("got %q", got)
	}
}

// Credentials go only to the host of the stream, messages to its host under the usual
// names of this machine, and nothing anywhere else.
func TestSSEEndpoints(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, post, end string }{
		"absolute":         {"%s/message", `POST /message "Bearer secret-of-tests"`, ""},
		"beside":           {"message", `POST /message "Bearer secret-of-tests"`, ""},
		"in two lines":     {"/mes\ndata: sage", "", "does not carry a URI"},
		"another name":     {"%local/message", `POST /message ""`, ""},
		"another port":     {"http://localhost:1/message", "", ""},
		"another address":  {"http://127.0.0.2:1/message", "", "leads to another host, 127.0.0.2,"},
		"another host":     {"http://other.example/message", "", "leads to another host, other.example"},
		"another scheme":   {"file:///etc/passwd", "", "not http:// or https://"},
		"nothing readable": {"http://%zz/", "", "does not carry a URI"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &legacy{announce: "event: endpoint\ndata: " + tt.data + "\n\n", status: 202}
			c := l.dial(t)
			_, err := c.Send(t.Context(), frame.Outgoing{Text: "{}"})
			if got := err == nil; got != (tt.end == "") {
				t.Errorf("sent: %v", err)
			}
			if tt.end == "" {
				// Send returns while the POST is still on its way.
				for tt.post != "" && len(l.seen()) < 2 && t.Context().Err() == nil {
					next(t, c)
				}
				if got := l.seen(); tt.post != "" && !cmp.Equal(got[1:], []string{tt.post}) {
					t.Errorf("got %q, want %s", got, tt.post)
				}
				if tt.post == "" && len(l.seen()) > 1 {
					t.Errorf("posted to the wrong host: %q", l.seen())
				}
				return
			}
			for {
				if f := next(t, c); f.Kind == frame.KindEnd {
					if !strings.Contains(f.End.Err, tt.end) {
						t.Errorf("the end is %q, want %q", f.End.Err, tt.end)
					}
					break
				}
			}
			if got := l.seen(); len(got) != 1 {
				t.Errorf("the server was asked %q", got)
			}
		})
	}
}

// The end of the connection tells why no stream opened, or that no endpoint
// event came.
func TestSSEOpening(t *testing.T) {
	t.Parallel()
	refused := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refused.Close)
	c, err := wire.DialSSE(t.Context(), wire.HTTPTarget{URL: refused.URL}, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, c)
	if _, err := c.Send(t.Context(), frame.Outgoing{Text: "{}"}); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("sent: %v", err)
	}
	want := []string{
		"0 sent body GET", "0 received head 404", "0 received body 404 page not found\n",
		"0 received end the GET that opens the event stream was answered with HTTP status 404",
	}
	if diff := cmp.Diff(want, take(t, c, len(want))); diff != "" {
		t.Error(diff)
	}

	silent := (&legacy{announce: "event: message\ndata: {}\n\n"}).dial(t)
	ctx, giveUp := context.WithCancel(t.Context())
	sent := make(chan error, 1)
	go func() {
		_, err := silent.Send(ctx, frame.Outgoing{Text: "{}"})
		sent <- err
	}()
	take(t, silent, 3) // the GET, its answer, and an event that names no endpoint
	giveUp()
	if err := <-sent; !errors.Is(err, context.Canceled) {
		t.Errorf("sent: %v", err)
	}
	if got := take(t, silent, 1)[0]; !strings.HasPrefix(got, "0 received end no endpoint event came in time") {
		t.Errorf("the end is %q", got)
	}
}

// A server that answers a POST only after its work does not delay the next
// frame.
func TestSSESlowPost(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	l := &legacy{announce: relative, status: 202, post: func() { <-done }}
	c := l.dial(t)
	t.Cleanup(func() { close(done) }) // before the server is closed
	send(t, c, frame.Outgoing{Text: "1"})
	send(t, c, frame.Outgoing{Text: "2"})
	for posts := 0; posts < 2; {
		if f := next(t, c); f.Dir == frame.Sent && f.Kind == frame.KindMessage {
			posts++
		}
	}
	shut(t, c)
}

// A second endpoint event that leads elsewhere ends the connection. A message that is on
// its way then goes where the first one leads.
func TestSSESecondEndpoint(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"another host": "http://other.example/message", "nothing readable": "http://%zz/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &legacy{announce: relative, status: 202, events: make(chan string, 1)}
			c := l.dial(t)
			send(t, c, frame.Outgoing{Text: "{}"})
			l.events <- "event: endpoint\ndata: " + data + "\n\n"
			for {
				if f := next(t, c); f.Kind == frame.KindEnd && f.Exchange == 0 {
					break
				}
			}
			if got := wire.Endpoint(c); got != "/message?id=1" {
				t.Errorf("messages go to %s, want /message?id=1", got)
			}
		})
	}
}
