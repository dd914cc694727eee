package server_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// An event is one event of a stream.
type event struct {
	id, data string
	retry    bool
}

// nextEvent reads one event; ok is false at the end of the stream.
func nextEvent(stream *bufio.Scanner) (e event, ok bool) {
	for stream.Scan() {
		field, value, _ := strings.Cut(stream.Text(), ": ")
		switch field {
		case "":
			return e, true
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "retry":
			e.retry = true
		}
	}
	return e, false
}

// begin sends a request with a context, so that the test can cut it off.
func (s *site) begin(ctx context.Context, method, body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, header := range append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream") {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

const export = `"name":"export_log","arguments":{"seconds":1,"label":"x"}`

func TestLostConnectionIsNoCancellation(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	session := s.open("2025-11-25")
	ctx, cut := context.WithCancel(t.Context())
	first := bufio.NewScanner(s.begin(ctx, "POST", request("2025-11-25", "1", "tools/call", export), session...).Body)
	primed, _ := nextEvent(first)
	if primed.id == "" || primed.data != "" || !primed.retry {
		t.Errorf("the stream begins with %+v", primed)
	}
	cut()
	response := s.begin(t.Context(), "GET", "", append(session, "Last-Event-ID: "+primed.id)...)
	resumed := bufio.NewScanner(response.Body)
	answered, _ := nextEvent(resumed)
	if tell(answered.data) != "id 1 ok" || answered.id == primed.id {
		t.Errorf("the stream goes on with %+v", answered)
	}
	if more, ok := nextEvent(resumed); ok {
		t.Errorf("the stream does not end, but brings %+v", more)
	}
	// A second resume from the start gets the same event.
	again := bufio.NewScanner(s.begin(t.Context(), "GET", "", append(session, "Last-Event-ID: "+primed.id)...).Body)
	if repeated, _ := nextEvent(again); repeated != answered {
		t.Errorf("a replay brings %+v, want %+v", repeated, answered)
	}
}

func TestLostConnectionCancelsInTheModernEra(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	headers := []string{"Mcp-Protocol-Version: " + modern, "Mcp-Method: tools/call"}
	ctx, cut := context.WithCancel(t.Context())
	response := s.begin(ctx, "POST", request(modern, "1", "tools/call", export), append(headers, "Mcp-Name: export_log")...)
	if got := response.Header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering is %q", got)
	}
	cut()
	// A longer call with the same effect bounds the wait for the cut one.
	longer := strings.NewReplacer(`"seconds":1`, `"seconds":1.5`, `"label":"x"`, `"label":"y"`).Replace(export)
	if got := answer(s.do("POST", request(modern, "1", "tools/call", longer),
		append(headers, "Mcp-Name: export_log")...)); got != "200 stream id 1 ok" {
		t.Errorf("the longer call: %s", got)
	}
	count := s.do("POST", request(modern, "2", "tools/call", `"name":"count_exports","arguments":{"label":"x"}`),
		append(headers, "Mcp-Name: count_exports")...)
	if body, _ := io.ReadAll(count.Body); !strings.Contains(string(body), `"text":"0"`) {
		t.Errorf("the call that was cut had its effect: %s", body)
	}
}

func TestCancelledOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	session := s.open("2025-06-18")
	response := s.begin(t.Context(), "POST", request("2025-06-18", "1", "tools/call", export), session...)
	if got := answer(s.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session...)); got != "202" {
		t.Errorf("the cancellation: %s", got)
	}
	if got := answer(response); got != "200" {
		t.Errorf("the cancelled call: %s", got)
	}
}

func TestStandingStream(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	session, other := s.open("2025-06-18"), s.open("2025-06-18")
	quiet := bufio.NewScanner(s.begin(t.Context(), "GET", "", other...).Body)
	first := s.begin(t.Context(), "GET", "", session...)
	second := bufio.NewScanner(s.begin(t.Context(), "GET", "", session...).Body)
	if got := answer(first); got != "200" {
		t.Errorf("the first of two streams: %s", got)
	}
	s.do("POST", request("2025-06-18", "1", "resources/subscribe", `"uri":"test://watched-resource"`), session...)
	progress := request("2025-06-18", "2", "tools/call", `"name":"test_tool_with_progress","_meta":{"progressToken":1}`)
	if got := answer(s.do("POST", progress, session...)); !strings.HasSuffix(got, "notifications/progress, id 2 ok") {
		t.Errorf("progress goes elsewhere: %s", got)
	}
	s.do("POST", request("2025-06-18", "3", "tools/call", `"name":"test_trigger_resource_update"`), session...)
	s.do("POST", request("2025-06-18", "4", "tools/call", `"name":"test_trigger_prompt_change"`), session...)
	for _, want := range []string{"notifications/resources/updated", "notifications/prompts/list_changed"} {
		if got, _ := nextEvent(second); tell(got.data) != want {
			t.Errorf("the stream brings %s, want %s", got.data, want)
		}
	}
	if got, _ := nextEvent(quiet); tell(got.data) != "notifications/prompts/list_changed" {
		t.Errorf("another session is told of %s", got.data)
	}
}

func TestListeningOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	listen := request(modern, `"L"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"promptsListChanged":false}`)
	response := s.begin(t.Context(), "POST", listen, "Mcp-Protocol-Version: "+modern, "Mcp-Method: subscriptions/listen")
	stream := bufio.NewScanner(response.Body)
	ack, _ := nextEvent(stream)
	if !strings.Contains(ack.data, `"notifications":{"toolsListChanged":true}`) ||
		!strings.Contains(ack.data, `"io.modelcontextprotocol/subscriptionId":"L"`) || ack.id != "" {
		t.Errorf("the acknowledgement is %+v", ack)
	}
	for _, tool := range []string{"test_trigger_prompt_change", "test_trigger_tool_change"} {
		s.do("POST", request(modern, "1", "tools/call", `"name":"`+tool+`"`), "Mcp-Protocol-Version: "+modern, "Mcp-Method: tools/call",
			"Mcp-Name: "+tool)
	}
	if got, _ := nextEvent(stream); tell(got.data) != "notifications/tools/list_changed" {
		t.Errorf("got %s", got.data)
	}
}
