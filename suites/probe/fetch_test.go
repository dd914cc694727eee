package probe_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A request without a message ends with the head of its response.
func TestFetch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hear   func(*server, receivedFrame)
		status int
		died   bool
	}{
		"refused": {func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusMethodNotAllowed)
			s.body(h.Exchange, "POST only")
			s.end(h.Exchange, frame.End{})
		}, http.StatusMethodNotAllowed, false},
		"a stream": {func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK, "Content-Type", "text/event-stream; charset=utf-8")
			s.end(h.Exchange, frame.End{Err: "aborted"})
		}, http.StatusOK, false},
		"nobody there": {func(s *server, h receivedFrame) {
			s.end(h.Exchange, frame.End{Err: frame.NoConnection + "refused"})
		}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{http: true, hear: tt.hear}
				c := connect(t, s)
				own := http.Header{"accept": {"text/event-stream"}}
				reply := c.Fetch(http.MethodGet, probe.WithHeader(own), probe.To("/other"))
				if reply.Status() != tt.status || reply.Died() != tt.died || len(reply.Evidence()) != 2 {
					t.Errorf("status %d, died %t, %d frames", reply.Status(), reply.Died(), len(reply.Evidence()))
				}
				if reply.Unreached() != (name == "nobody there") {
					t.Errorf("unreached: %t", reply.Unreached())
				}
				if got := s.heard()[0]; got.Verb != http.MethodGet || got.URL != "/other" || got.Header.Get("Accept") != "text/event-stream" {
					t.Errorf("heard %+v", got)
				}
			})
		})
	}
}

// The client awaits the answer to a bent request, even if its text changes on the way.
func TestBent(t *testing.T) {
	t.Parallel()
	s := &server{http: true, hear: polite}
	reply := connect(t, s).Ask(probe.RequestText("1", "ping", nil), probe.Bent(func(*frame.HTTPRequest) {}))
	if !reply.Answered() || len(reply.Evidence()) != 2 || !s.heard()[0].Bent {
		t.Errorf("%s, heard %+v", reply.Outcome(), s.heard())
	}
}

// Over HTTP a call repeats the arguments that the tool asks for.
func TestMirrors(t *testing.T) {
	t.Parallel()
	annotated := func(kind, header string) map[string]any {
		return map[string]any{"type": kind, protocol.AnnotatedHeader: header}
	}
	tool := map[string]any{"name": "level", "inputSchema": map[string]any{"properties": map[string]any{
		"basin": annotated("string", "Basin"), "year": annotated("integer", "Year"), "mean": annotated("boolean", "Mean"),
		"filter": map[string]any{"properties": map[string]any{"kind": annotated("string", "Kind")}},
		"list":   map[string]any{"items": annotated("string", "Item")}, "plain": map[string]any{"type": "string"},
		"empty": annotated("string", ""), "blank": annotated("string", "Crane Load"), "lines": annotated("string", "Crane\r\nLoad"),
	}}}
	for name, tt := range map[string]struct {
		arguments probe.Object
		want      map[string]string
	}{
		"all": {
			probe.Object{"basin": "north", "year": 2024, "mean": true, "filter": probe.Object{"kind": "sail"}, "plain": "x"},
			map[string]string{"Basin": "north", "Year": "2024", "Mean": "true", "Kind": "sail"},
		},
		"not there": {probe.Object{"basin": nil, "filter": "none", "list": []any{"x"}, "empty": "x"}, map[string]string{}},
		"encoded":   {probe.Object{"basin": "Förde", "year": 42.5}, map[string]string{"Basin": "=?base64?RsO2cmRl?=", "Year": "42.5"}},
		"an object": {probe.Object{"basin": probe.Object{"a": 1}}, map[string]string{}},
		"no names":  {probe.Object{"blank": "x", "lines": "x"}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{http: true, hear: polite}
			c := connect(t, s, at(requirements.R20260728), func(setup *probe.Setup) {
				setup.Survey = &probe.Survey{Lists: map[string][]any{"tools/list": {"odd", map[string]any{"name": "other"}, tool}}}
			})
			c.Call("tools/call", probe.Object{"name": "level", "arguments": tt.arguments})
			got := map[string]string{}
			for _, m := range c.HeaderParams("level") {
				if values := s.heard()[0].Header.Values(m.Header); len(values) > 0 {
					got[m.Header[len(protocol.HeaderParam):]] = values[0]
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"": false, "localhost": true, "a.localhost": true, "127.0.0.1": true, "::1": true, "192.168.1.2": true, "10.1.1.1": true,
		"8.8.8.8": false, "mcp.example": false, "localhost.example": false,
	} {
		if got := (&probe.Survey{Given: probe.Given{Host: host}}).Local(); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}
