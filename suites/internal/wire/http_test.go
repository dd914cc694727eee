package wire_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// serve starts a server with one handler and connects to it.
func serve(t *testing.T, o wire.Options, handler http.HandlerFunc) *wire.HTTPConn {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return reach(t, wire.HTTPTarget{URL: server.URL + "/mcp?a=b"}, o)
}

func reach(t *testing.T, target wire.HTTPTarget, o wire.Options) *wire.HTTPConn {
	t.Helper()
	c, err := wire.DialHTTP(t.Context(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, c) })
	return c
}

// exchange returns the frames of one exchange, including its end.
func exchange(t *testing.T, c record.Conn, number int) []frame.Frame {
	t.Helper()
	var frames []frame.Frame
	for {
		f := next(t, c)
		if f.Exchange != number {
			t.Fatalf("a frame of exchange %d, want %d", f.Exchange, number)
		}
		frames = append(frames, f)
		if f.Kind == frame.KindEnd {
			return frames
		}
	}
}

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestHTTPAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		status  int
		want    []string // kind and bytes of the frames between head and end
	}{
		{"JSON", answer(200, "application/json; charset=utf-8", ` {"id":1} `), 200, []string{`message  {"id":1} `}},
		{"JSON type with odd case", answer(200, "Application/JSON", `{}`), 200, []string{`message {}`}},
		{"JSON type with a bad parameter", answer(200, "application/json; =", `{}`), 200, []string{`message {}`}},
		{"not JSON under a JSON type", answer(500, "application/json", `oops`), 500, []string{`message oops`}},
		{"empty", answer(202, "", ""), 202, []string{"body "}},
		{"empty JSON", answer(202, "application/json", ""), 202, []string{"body "}},
		{"text", answer(404, "text/plain", "not here"), 404, []string{"body not here"}},
		{"JSON without a type", answer(200, "", `{"id":1}`), 200, []string{`body {"id":1}`}},
		{"events", answer(200, "text/event-stream", "id: 1\ndata:\n\n: x\n\ndata: {\"id\":1}\n\n"), 200,
			[]string{"event id: 1\ndata:", "event : x", `message {"id":1}`}},
		{"no events", answer(200, "text/event-stream", ""), 200, nil},
		{"half an event", answer(200, "text/event-stream", "data: 1"), 200, []string{"event data: 1"}},
		{"redirect", http.RedirectHandler("/other", http.StatusTemporaryRedirect).ServeHTTP, 307, []string{"body "}},
		{"gzip", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = fmt.Fprintf(w, "\x1f\x8b%q", r.Header.Values("Accept-Encoding"))
		}, 200, []string{"message \x1f\x8b[]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, wire.Options{}, tt.handler)
			frames := exchange(t, c, send(t, c, frame.Outgoing{Text: `{"id":1}`}))
			sent, head, end := frames[0], frames[1], frames[len(frames)-1]
			if sent.Dir != frame.Sent || sent.Kind != frame.KindMessage || string(sent.Raw()) != `{"id":1}` || sent.HTTP.Method != "POST" || sent.HTTP.Path != "/mcp?a=b" {
				t.Errorf("sent %v %v %+v", sent.Dir, sent.Kind, sent.HTTP)
			}
			if head.Kind != frame.KindHead || head.HTTP.Status != tt.status || len(head.HTTP.Header) == 0 {
				t.Errorf("head %v %+v", head.Kind, head.HTTP)
			}
			var got []string
			for _, f := range frames[2 : len(frames)-1] {
				got = append(got, f.Kind.String()+" "+string(f.Raw()))
				if f.Truncated || f.Size != len(f.Raw()) || f.Dir != frame.Received {
					t.Errorf("frame %+v", f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(&frame.End{}, end.End); diff != "" {
				t.Error(diff)
			}
			shut(t, c)
			if left := rest(t, c); len(left) != 1 {
				t.Errorf("%d frames after close", len(left))
			}
		})
	}
}

func TestHTTPHeaders(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	handler := func(w http.ResponseWriter, r *http.Request) {
		h := r.Header.Clone()
		h.Set("Host", r.Host)
		h.Set("Method", r.Method+" "+r.URL.Path)
		seen <- h
		w.WriteHeader(202)
	}
	server := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(server.Close)
	other := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(other.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	c := reach(t, wire.HTTPTarget{URL: server.URL + "/mcp", Header: http.Header{"X-Key": {"k"}, "Authorization": {"Bearer t"}}}, wire.Options{})
	both := "application/json, text/event-stream"
	for _, tt := range []struct {
		name string
		out  frame.Outgoing
		want http.Header
	}{
		{"defaults", frame.Outgoing{Text: "{}"}, http.Header{"Accept": {both}, "Content-Type": {"application/json"}, "Content-Length": {"2"},
			"User-Agent": {"mcp-conform"}, "X-Key": {"k"}, "Authorization": {"Bearer t"}, "Host": {host}, "Method": {"POST /mcp"}}},
		{"overridden", frame.Outgoing{Text: "{}", Header: http.Header{"accept": {"text/html"}, "Content-Type": {"text/plain"}, "X-Key": nil,
			"Authorization": {"Basic x"}, "Host": {"evil.example"}, "Origin": {"null"}, "User-Agent": {}}},
			http.Header{"Accept": {"text/html"}, "Content-Type": {"text/plain"}, "Content-Length": {"2"},
				"Authorization": {"Basic x"}, "Host": {"evil.example"}, "Origin": {"null"}, "Method": {"POST /mcp"}}},
		{"removed", frame.Outgoing{Text: "{}", Header: http.Header{"Accept": nil, "Content-Type": {}, "Authorization": nil}},
			http.Header{"Content-Length": {"2"}, "User-Agent": {"mcp-conform"}, "X-Key": {"k"}, "Host": {host}, "Method": {"POST /mcp"}}},
		{"GET", frame.Outgoing{Method: "GET", Header: http.Header{"Authorization": nil}},
			http.Header{"Accept": {both}, "User-Agent": {"mcp-conform"}, "X-Key": {"k"}, "Host": {host}, "Method": {"GET /mcp"}}},
		{"DELETE elsewhere", frame.Outgoing{Method: "DELETE", URL: "/else", Header: http.Header{"Authorization": nil, "X": {"1", "2"}}},
			http.Header{"Accept": {both}, "User-Agent": {"mcp-conform"}, "X": {"1", "2"}, "X-Key": {"k"}, "Host": {host}, "Method": {"DELETE /else"}}},
		{"another host", frame.Outgoing{Text: "{}", URL: other.URL}, http.Header{"Accept": {both}, "Content-Type": {"application/json"}, "Content-Length": {"2"},
			"User-Agent": {"mcp-conform"}, "Host": {strings.TrimPrefix(other.URL, "http://")}, "Method": {"POST /"}}},
		{"no body", frame.Outgoing{Header: http.Header{"Authorization": nil}}, http.Header{"Accept": {both}, "Content-Type": {"application/json"}, "Content-Length": {"0"},
			"User-Agent": {"mcp-conform"}, "X-Key": {"k"}, "Host": {host}, "Method": {"POST /mcp"}}},
	} {
		// The rows share a connection, so that a header that sticks is noticed.
		frames := exchange(t, c, send(t, c, tt.out))
		if diff := cmp.Diff(tt.want, <-seen); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := frames[0].HTTP.Header["Origin"]; len(got) != len(tt.want["Origin"]) {
			t.Errorf("%s: the frame has %q", tt.name, got)
		}
		if strings.Contains(frames[0].Text(), "Bearer t") {
			t.Errorf("%s: a credential is shown", tt.name)
		}
	}
}

func TestHTTPRedactsHeaders(t *testing.T) {
	t.Parallel()
	c := serve(t, wire.Options{Redact: func(s string) string { return strings.ReplaceAll(s, "hush", "***") }},
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Mcp-Session-Id", r.Header.Get("X-Key"))
			answer(200, "application/json", `"hush"`)(w, r)
		})
	for _, f := range exchange(t, c, send(t, c, frame.Outgoing{Text: "hush", Header: http.Header{"X-Key": {"hush"}}})) {
		if strings.Contains(f.Text(), "hush") || f.Kind != frame.KindEnd && !strings.Contains(f.Text(), "***") {
			t.Errorf("%v: %s", f.Kind, f.Text())
		}
		if f.Kind == frame.KindHead && f.HTTP.Header.Get("Mcp-Session-Id") != "hush" {
			t.Error("the header itself was changed")
		}
	}
}

func TestHTTPBodyAtTheLimit(t *testing.T) {
	t.Parallel()
	for size, truncated := range map[int]bool{999: false, 1000: false, 1001: true, 1999: true} {
		c := serve(t, wire.Options{Limits: wire.Limits{Frame: 1000}}, answer(200, "text/plain", strings.Repeat("b", size)))
		frames := exchange(t, c, send(t, c, frame.Outgoing{Text: "{}"}))
		if f := frames[2]; f.Size != size || f.Truncated != truncated || len(f.Raw()) != min(size, 1000) || frames[3].End.Err != "" {
			t.Errorf("%d bytes: size %d, truncated %v, end %+v", size, f.Size, f.Truncated, frames[3].End)
		}
	}
}

func TestHTTPStreamsAreIncremental(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	c := serve(t, wire.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "id: %d\ndata: {}\n\n", i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-more:
			case <-r.Context().Done():
			}
		}
	})
	send(t, c, frame.Outgoing{Text: "{}"})
	next(t, c)
	next(t, c)
	for i := range 3 {
		if f := next(t, c); f.Kind != frame.KindMessage || f.SSE.ID != fmt.Sprint(i) {
			t.Errorf("got %v %+v", f.Kind, f.SSE)
		}
		more <- struct{}{}
	}
	if f := next(t, c); f.Kind != frame.KindEnd || f.End.Err != "" {
		t.Errorf("got %v %+v", f.Kind, f.End)
	}
}

func TestHTTPSharedClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(answer(302, "text/plain", "x"))
	t.Cleanup(server.Close)
	shared := wire.NewPool(wire.Limits{})
	defer shared.CloseIdleConnections()
	for range 2 {
		c := reach(t, wire.HTTPTarget{URL: server.URL, Pool: shared}, wire.Options{})
		if frames := exchange(t, c, send(t, c, frame.Outgoing{Text: "{}"})); frames[1].HTTP.Status != 302 {
			t.Errorf("status %d", frames[1].HTTP.Status)
		}
		if err := errors.Join(c.CloseInput(), c.Terminate()); err != nil {
			t.Error(err)
		}
		shut(t, c)
	}
}
