package jsonrpc_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/core/jsonrpc"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A turn is one frame of a made-up conversation.
type turn func(*probe.Seen)

func sent(text string) turn {
	return func(s *probe.Seen) { s.Frame = frame.New(frame.Sent, frame.KindMessage, []byte(text)) }
}

func malformed(text string) turn {
	return func(s *probe.Seen) { sent(text)(s); s.Malformed = true }
}

func got(text string) turn {
	return func(s *probe.Seen) { s.Frame = frame.New(frame.Received, frame.KindMessage, []byte(text)) }
}

func event(id, text string) turn {
	return func(s *probe.Seen) { got(text)(s); s.SSE = &frame.SSE{ID: id, HasID: true} }
}

func head(status int, session string) turn {
	return func(s *probe.Seen) {
		s.Frame = frame.New(frame.Received, frame.KindHead, nil)
		s.HTTP = &frame.HTTP{Status: status, Header: http.Header{}}
		if session != "" {
			s.HTTP.Header.Set("Mcp-Session-Id", session)
		}
	}
}

func in(exchange int, t turn) turn {
	return func(s *probe.Seen) { t(s); s.Exchange = exchange }
}

// answering sets the method of the request that a frame answers.
func answering(method string, t turn) turn {
	return func(s *probe.Seen) { t(s); s.Request.Method = method }
}

// watcher is the watcher of a case.
func watcher(t *testing.T, id string) probe.Watcher {
	t.Helper()
	for _, c := range jsonrpc.Suite().Cases {
		if c.ID == id && c.Watch != nil {
			return c.Watch()
		}
	}
	t.Fatalf("there is no watcher %s", id)
	return nil
}

// watch shows a conversation to the watcher of a case, and counts its judgements and
// violations.
func watch(t *testing.T, id string, at requirements.Revision, turns []turn) (judged, broken int) {
	t.Helper()
	w, view := watcher(t, id), &probe.Connection{}
	for i, tell := range turns {
		s := probe.Seen{Revision: at, Survey: &probe.Survey{}}
		tell(&s)
		s.Seq = i + 1
		said := view.See(s).ShownTo(w)
		v := said.Violation()
		if said.Judged() {
			judged++
		}
		if v != nil {
			broken++
			if v.Problem == "" || len(v.Frames) == 0 {
				t.Errorf("the violation says nothing: %+v", v)
			}
		}
	}
	return judged, broken
}

func TestWatchers(t *testing.T) {
	t.Parallel()
	const old, newest = requirements.R20251125, requirements.R20260728
	ask, answer := sent(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), got(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	ping := func(id int) turn { return sent(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)) }
	pong := func(id int) turn { return got(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id)) }
	noID := got(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
	for _, row := range []struct {
		name, watcher  string
		at             requirements.Revision
		turns          []turn
		judged, broken int
	}{
		{"a log line is no message", "jsonrpc/version-member", old, []turn{got(`{"level":"info","error":"none"}`)}, 0, 0},
		{"the body of a refusal is no message", "jsonrpc/version-member", old, []turn{
			in(1, head(401, "")), in(1, got(`{"error":"unauthorized","id":7}`)),
		}, 0, 0},
		{"a number is no version", "jsonrpc/version-member", old, []turn{got(`{"jsonrpc":2.0,"id":1,"result":{}}`)}, 1, 1},
		{"members of an array count", "jsonrpc/version-member", old, []turn{
			got(`[{"jsonrpc":"2.0","id":1,"result":{}},{"id":2,"result":{}}]`),
		}, 1, 1},
		{"an error beside a result", "jsonrpc/result-xor-error", old, []turn{
			got(`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`),
		}, 1, 1},
		{"neither", "jsonrpc/result-xor-error", old, []turn{got(`{"jsonrpc":"2.0","id":1}`)}, 1, 1},
		{"a null error breaks one rule only", "jsonrpc/error-shape", old, []turn{
			got(`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`),
		}, 0, 0},
		{"an odd integer", "jsonrpc/error-code-integer", old, []turn{
			got(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600.0,"message":""}}`),
		}, 1, 0},
		{"the code 0", "jsonrpc/error-code-integer", old, []turn{got(`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":""}}`)}, 1, 0},
		{"a fraction", "jsonrpc/error-code-integer", old, []turn{got(`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}`)}, 1, 1},

		{"asked and answered", "jsonrpc/result-for-request", old, []turn{ask, answer}, 1, 0},
		{"nobody asked", "jsonrpc/result-for-request", old, []turn{answer}, 1, 1},
		{"an id in Latin-1", "jsonrpc/result-for-request", old, []turn{got("{\"jsonrpc\":\"2.0\",\"id\":\"\xfc\",\"result\":{}}")}, 0, 0},
		{"the other type", "jsonrpc/result-for-request", old, []turn{ask, got(`{"jsonrpc":"2.0","id":"1","result":{}}`)}, 1, 1},
		{"something malformed may be meant", "jsonrpc/result-for-request", old, []turn{malformed(`{"jsonrpc":"2.0"`), answer}, 0, 0},
		{"it is over once requests behind it are answered", "jsonrpc/result-for-request", old, []turn{
			malformed(`{"jsonrpc":"2.0"`), ping(1), pong(1), ping(2), pong(2), ping(3), pong(3), pong(7),
		}, 4, 1},
		{"requests before it do not count", "jsonrpc/result-for-request", old, []turn{
			ping(1), ping(2), ping(3), malformed(`{"jsonrpc":"2.0"`), pong(1), pong(2), pong(3), pong(7),
		}, 3, 0},
		{"nameless after something malformed", "jsonrpc/error-for-request", newest, []turn{
			malformed(`{"jsonrpc":"2.0"`), ping(1), pong(1), ping(2), pong(2), ping(3), pong(3), noID,
		}, 0, 0},
		{"nameless after a request", "jsonrpc/error-for-request", newest, []turn{ask, noID}, 1, 1},
		{"nameless after a notification", "jsonrpc/error-for-request", old, []turn{
			sent(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), noID,
		}, 0, 0},
		{"nameless beside a refusal", "jsonrpc/error-for-request", old, []turn{in(1, ask), in(1, head(400, "")), in(1, noID)}, 0, 0},
		{"about an answer of the client", "jsonrpc/error-for-request", old, []turn{
			sent(`{"jsonrpc":"2.0","id":9,"result":{}}`), got(`{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"whose?"}}`),
		}, 0, 0},

		{"answered twice", "jsonrpc/single-response", old, []turn{ask, answer, answer}, 2, 1},
		{"an answer to something malformed under an old id", "jsonrpc/single-response", old, []turn{
			ask, answer, malformed(`{"jsonrpc":"2.0"`), answer,
		}, 1, 0},
		{"an id that is used again", "jsonrpc/single-response", newest, []turn{ask, answer, ask, answer}, 2, 0},
		{"a replay", "jsonrpc/single-response", old, []turn{
			in(1, ask), in(1, event("e7", `{"jsonrpc":"2.0","id":1,"result":{}}`)), in(2, event("e7", `{"jsonrpc":"2.0","id":1,"result":{}}`)),
		}, 1, 0},

		{"the server counts up", "jsonrpc/server-request-id-unique", old, []turn{
			got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`), got(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		}, 2, 0},
		{"the server repeats an id", "jsonrpc/server-request-id-unique", old, []turn{
			got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`), got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`),
		}, 2, 1},
		{"a refused handshake began no session", "jsonrpc/server-request-id-unique", old, []turn{
			sent(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`), sent(`{"jsonrpc":"2.0","id":2,"method":"initialize"}`),
			got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`), got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`),
			got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`),
		}, 3, 1},
		{"without a session nothing is shared", "jsonrpc/server-request-id-unique", old, []turn{
			in(1, got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)), in(2, got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)),
		}, 2, 0},
		{"with a session it is", "jsonrpc/server-request-id-unique", old, []turn{
			in(1, head(200, "s1")), in(1, got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)), in(2, got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)),
		}, 2, 1},
		{"a null id is another rule's", "jsonrpc/server-request-id-type", old, []turn{
			got(`{"jsonrpc":"2.0","id":null,"method":"ping"}`),
		}, 0, 0},

		{"after a handshake requests are allowed", "jsonrpc/no-server-requests", newest, []turn{
			sent(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`), got(`{"jsonrpc":"2.0","id":0,"method":"ping"}`),
		}, 0, 0},
		{"arrays in their revision", "jsonrpc/batch-never-sent", requirements.R20250326, []turn{
			got(`[{"jsonrpc":"2.0","id":1,"result":{}}]`),
		}, 0, 0},
		{"arrays elsewhere", "jsonrpc/batch-never-sent", old, []turn{got(`[{"jsonrpc":"2.0","id":1,"result":{}}]`)}, 1, 1},
		{"an array for an array", "jsonrpc/batch-never-sent", old, []turn{
			malformed(`[]`), got(`[{"jsonrpc":"2.0","id":1,"result":{}}]`),
		}, 0, 0},
		{"a list on stdout", "jsonrpc/batch-never-sent", old, []turn{got(`["berth A4"]`)}, 0, 0},

		{"questions and stray content", "jsonrpc/result-type-complete", newest, []turn{
			answering("tools/call", got(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","content":[],"inputRequests":{}}}`)),
		}, 1, 0},
		{"no questions but content", "jsonrpc/result-type-complete", newest, []turn{
			answering("tools/list", got(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","tools":[]}}`)),
		}, 1, 1},
		{"a handshake has no result type", "jsonrpc/result-type-present", newest, []turn{
			answering("initialize", got(`{"jsonrpc":"2.0","id":1,"result":{}}`)),
		}, 0, 0},
		{"a byte of Latin-1", "jsonrpc/utf8", old, []turn{got("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xe9\"}}")}, 1, 1},
		{"the replacement character is fine", "jsonrpc/utf8", old, []turn{
			got("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\ufffd\"}}"),
		}, 1, 0},
	} {
		t.Run(row.watcher+"/"+row.name, func(t *testing.T) {
			t.Parallel()
			judged, broken := watch(t, row.watcher, row.at, row.turns)
			if diff := cmp.Diff([]int{row.judged, row.broken}, []int{judged, broken}); diff != "" {
				t.Errorf("judged and broken differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestArrayAdviceIsNoObligation: no sentence obliges a server to reject an array, so the
// fix must not demand it.
func TestArrayAdviceIsNoObligation(t *testing.T) {
	t.Parallel()
	for _, c := range jsonrpc.Suite().Cases {
		if c.ID == "jsonrpc/batch-rejected" && !strings.Contains(c.Fix, "may be rejected") {
			t.Errorf("the fix of %s is %q", c.ID, c.Fix)
		}
	}
}

// TestResultTypeOfForeignExtension: an unknown resultType may belong to an extension that
// the kit does not know.
func TestResultTypeOfForeignExtension(t *testing.T) {
	t.Parallel()
	w := watcher(t, "jsonrpc/result-type-known")
	own := probe.Object{"extensions": map[string]any{"com.example/tides": map[string]any{}}}
	for _, row := range []struct {
		capabilities probe.Object
		broken       bool
	}{{nil, true}, {own, false}} {
		s := probe.Seen{Revision: requirements.R20260728, Survey: &probe.Survey{Capabilities: row.capabilities}}
		answering("tools/call", got(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"tide"}}`))(&s)
		if v := (&probe.Connection{}).See(s).ShownTo(w).Violation(); (v != nil) != row.broken {
			t.Errorf("with %v: %v", row.capabilities, v)
		}
	}
}

// Over HTTP the request is known that a response with another id answers: it is shown, and
// its id is named, unless many requests came after it.
func TestRequestOfAWrongID(t *testing.T) {
	t.Parallel()
	ask := in(1, sent(`{"jsonrpc":"2.0","id":7,"method":"ping"}`))
	wrong := in(1, got(`{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no such version"}}`))
	var others []turn
	for i := range 40 {
		others = append(others, in(2+i, sent(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+i))))
	}
	for name, row := range map[string]struct {
		turns []turn
		want  string
		shown int
	}{
		"at once":    {[]turn{ask, wrong}, `$.id is "server-error", want 7, the id of the request`, 2},
		"much later": {slices.Concat([]turn{ask}, others, []turn{wrong}), `$.id is "server-error", want the id of a request`, 1},
	} {
		w, view := watcher(t, "jsonrpc/error-for-request"), &probe.Connection{}
		var v *probe.Violation
		for i, tell := range row.turns {
			s := probe.Seen{Revision: requirements.R20251125, Survey: &probe.Survey{}}
			tell(&s)
			s.Seq = i + 1
			v = view.See(s).ShownTo(w).Violation()
		}
		if v == nil || v.Problem != row.want || len(v.Frames) != row.shown {
			t.Errorf("%s: got %+v, want %d frames and %s", name, v, row.shown, row.want)
		}
	}
}

// A second answer on a stream that was resumed is said to be one: the stream may hold what
// belongs to another session.
func TestSecondAnswerOnAResumedStream(t *testing.T) {
	t.Parallel()
	resume := func(s *probe.Seen) {
		s.Transport, s.Frame = requirements.HTTP, frame.New(frame.Sent, frame.KindBody, nil)
		s.HTTP, s.Exchange = &frame.HTTP{Method: http.MethodGet, Header: http.Header{}}, 2
		s.HTTP.Header.Set("Last-Event-Id", "e7")
	}
	w, view := watcher(t, "jsonrpc/single-response"), &probe.Connection{}
	var v *probe.Violation
	for i, tell := range []turn{
		in(1, sent(`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`)), in(1, got(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)),
		resume, in(2, got(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)),
	} {
		s := probe.Seen{Revision: requirements.R20251125, Survey: &probe.Survey{}}
		tell(&s)
		s.Seq = i + 1
		v = view.See(s).ShownTo(w).Violation()
	}
	const want = `the request with the id 2 is answered 2 times, the last time on a stream that was resumed after the event "e7", want once`
	if v == nil || v.Problem != want || len(v.Frames) != 3 {
		t.Errorf("got %+v, want 3 frames and %s", v, want)
	}
}

// What is wrong with a response is said in words that name the response and its id.
func TestProblemsOfResponses(t *testing.T) {
	t.Parallel()
	const result, either = "jsonrpc/result-for-request", "jsonrpc/result-xor-error"
	for _, row := range []struct{ watcher, asked, answer, want string }{
		{result, `1`, `{"jsonrpc":"2.0","id":"1","result":{}}`, `$.id is "1", want 1, a number, as in the request`},
		{result, `"7"`, `{"jsonrpc":"2.0","id":7,"result":{}}`, `$.id is 7, want "7", a string, as in the request`},
		{result, `1`, `{"jsonrpc":"2.0","id":"2","result":{}}`, `$.id is "2", want the id of a request`},
		{result, `1`, `{"jsonrpc":"2.0","id":"","result":{}}`, `$.id is "", want the id of a request`},
		{either, `1`, `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, "the response has a result beside the error, want exactly one of them"},
		{either, `1`, `{"jsonrpc":"2.0","id":1}`, "the response has neither a result nor an error, want exactly one of them"},
		{either, `1`, `[{"jsonrpc":"2.0","id":1}]`, "$[0] has neither a result nor an error, want exactly one of them"},
	} {
		w, view := watcher(t, row.watcher), &probe.Connection{}
		var problem string
		for i, tell := range []turn{sent(`{"jsonrpc":"2.0","id":` + row.asked + `,"method":"ping"}`), got(row.answer)} {
			s := probe.Seen{Revision: requirements.R20251125, Survey: &probe.Survey{}}
			tell(&s)
			s.Seq = i + 1
			if v := view.See(s).ShownTo(w).Violation(); v != nil {
				problem = v.Problem
			}
		}
		if problem != row.want {
			t.Errorf("%s answered with %s: got %s, want %s", row.asked, row.answer, problem, row.want)
		}
	}
}
