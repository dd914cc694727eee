package probe_test

import (
	stdcmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// ask is the reply to a request to the server.
func ask(t *testing.T, s *server, edit ...func(*probe.Setup)) *probe.Reply {
	t.Helper()
	return connect(t, s, edit...).Call("tools/list", nil)
}

// answers makes a server with one answer.
func answers(message string) *server { return &server{hear: says(message)} }

// problem is the text of a violation; the test fails if the violation has no frames.
func problem(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var v *probe.Violation
	if !errors.As(err, &v) || len(v.Frames) == 0 || v.WarnsOnly() {
		t.Errorf("%v is no violation with frames", err)
	}
	return err.Error()
}

// Each row is the judgement of every expectation on one answer.
func TestWants(t *testing.T) {
	t.Parallel()
	silence := "the server did not answer tools/list within 10s, want "
	wants := map[string]func(*probe.Reply) error{
		"answer": (*probe.Reply).WantAnswer, "result": (*probe.Reply).WantResult, "refusal": (*probe.Reply).WantRefusal,
		"error": func(r *probe.Reply) error { return r.WantError() },
		"codes": func(r *probe.Reply) error { return r.WantError(protocol.InvalidParams, protocol.MethodNotFound) },
		"value": func(r *probe.Reply) error { return r.Want("/result/a", probe.AString()) },
	}
	for name, row := range map[string]struct {
		server *server
		want   map[string]string
	}{
		"a result": {answers(result("1", `{"a":1}`)), map[string]string{
			"refusal": `the answer to tools/list is result {"a":1}, want a refusal`,
			"error":   "$.result is present, want an error", "codes": "$.result is present, want $.error with code -32602 or -32601",
			"value": "$.result.a is 1, want a string",
		}},
		"a result that is none": {answers(result("1", `"x"`)), map[string]string{
			"result":  `$.result is "x", want an object`,
			"refusal": `the answer to tools/list is result "x", want a refusal`,
			"error":   "$.result is present, want an error", "codes": "$.result is present, want $.error with code -32602 or -32601",
		}},
		"an error": {answers(refusal("1", `{"code":-32602,"message":"m"}`)), map[string]string{
			"result": `the answer to tools/list is error {"code":-32602,"message":"m"}, want a result`,
		}},
		"another error": {answers(refusal("1", `{"code":-32000}`)), map[string]string{
			"result": `the answer to tools/list is error {"code":-32000}, want a result`,
			"codes":  "$.error.code is -32000, want -32602 or -32601",
		}},
		"a code that is none": {answers(refusal("1", `{"code":"x"}`)), map[string]string{
			"result": `the answer to tools/list is error {"code":"x"}, want a result`,
			"codes":  `$.error.code is "x", want -32602 or -32601`,
		}},
		"an error without a code": {answers(refusal("1", `[]`)), map[string]string{
			"result": `the answer to tools/list is error [], want a result`,
			"codes":  "$.error has no code, want -32602 or -32601",
		}},
		"silence": {&server{}, map[string]string{
			"answer": silence + "a result or an error", "result": silence + "a result", "refusal": silence + "a refusal",
			"error": silence + "an error", "codes": silence + "$.error with code -32602 or -32601", "value": silence + "a string at $.result.a",
		}},
		"a status": {&server{http: true, hear: posts(404)}, map[string]string{
			"answer": "the answer to tools/list is HTTP status 404 without a JSON-RPC response, want a result or an error",
			"result": "the answer to tools/list is HTTP status 404 without a JSON-RPC response, want a result",
			"error":  "the answer to tools/list is HTTP status 404 without a JSON-RPC response, want an error",
			"codes":  "the answer to tools/list is HTTP status 404 without a JSON-RPC response, want $.error with code -32602 or -32601",
			"value":  "the answer to tools/list is HTTP status 404 without a JSON-RPC response, want a string at $.result.a",
		}},
		"a result and a status": {&server{http: true, hear: posts(400, result("1", "{}"))}, map[string]string{
			"error": "$.result is present, want an error", "codes": "$.result is present, want $.error with code -32602 or -32601",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reply := ask(t, row.server)
				absent := map[string]string{"value": "$.result.a is absent, want a string"}
				for what, want := range wants {
					if diff := cmp.Diff(stdcmp.Or(row.want[what], absent[what]), problem(t, want(reply))); diff != "" {
						t.Errorf("%s: %s", what, diff)
					}
				}
				if want := row.want["result"] == ""; reply.Served() != want {
					t.Errorf("served is %t, want %t", reply.Served(), want)
				}
			})
		})
	}
}

func TestMatchers(t *testing.T) {
	t.Parallel()
	const value = `{"n":1.0,"big":9007199254740993,"s":"text","list":[1,{"a~/b c":true}],"none":null,"o":{"x":1}}`
	long := strings.Replace(value, "{", `{"long":"`+strings.Repeat(`\n`, 100)+`",`, 1)
	even := probe.That("an even number", func(v any) bool { n, _ := v.(json.Number); i, err := n.Int64(); return err == nil && i%2 == 0 })
	for _, row := range []struct {
		at      string
		matcher interface {
			Match(any) (bool, error)
			FailureMessage(any) string
			NegatedFailureMessage(any) string
		}
		want string
	}{
		{"/result/n", probe.Equal(1), ""},
		{"/result/n", probe.Equal(2), "$.result.n is 1.0, want 2"},
		{"/result/big", probe.Equal(json.Number("9007199254740993")), ""},
		{"/result/big", probe.Equal(json.Number("9007199254740992")), "$.result.big is 9007199254740993, want 9007199254740992"},
		{"/result/s", probe.AString(), ""},
		{"/result/n", probe.AString(), "$.result.n is 1.0, want a string"},
		{"/result/list", probe.AnArray(), ""},
		{"/result/o", probe.AnArray(), `$.result.o is {"x":1}, want an array`},
		{"/result/o", probe.AnObject(), ""},
		{"/result/none", probe.AnObject(), "$.result.none is null, want an object"},
		{"/result/o", probe.Equal(probe.Object{"x": 1.0}), ""},
		{"/result/list", probe.Equal([]any{1, map[string]any{"a~/b c": true}}), ""},
		{"/result/gone", probe.Missing(), ""},
		{"/result/none", probe.Missing(), "$.result.none is null, want no such property"},
		{"/result/gone", probe.AString(), "$.result.gone is absent, want a string"},
		{"/result/gone", probe.OrMissing(probe.AString()), ""},
		{"/result/n", probe.OrMissing(probe.AString()), "$.result.n is 1.0, want a string, or no such property"},
		{"/result/list/0", even, "$.result.list[0] is 1, want an even number"},
		{"/result/list/1/a~0~1b c", probe.Equal(false), `$.result.list[1]["a~/b c"] is true, want false`},
		{"", probe.AString(), `$ is {"id":1,"jsonrpc":"2.0","result":{"big":9007199254740993,"list":[1,{"a~/b c":true}], ... "o":{"x":1},"s":"text"}}, want a string`},
		// A cut leaves escapes whole.
		{"/result/long", probe.AnArray(), `$.result.long is "` + strings.Repeat(`\n`, 45) + " ... " + strings.Repeat(`\n`, 12) + `", want an array`},
		{"/result/s", gomega.HavePrefix("te"), ""},
		{"/result/s", gomega.Equal("other"), "$.result.s is \"text\", want Expected <string>: text to equal <string>: other"},
		{"/result/s", gomega.BeNumerically(">", 1), `$.result.s is "text", want something else (Expected a number. Got: <string>: text)`},
	} {
		answer := value
		if row.at == "/result/long" {
			answer = long
		}
		got := problem(t, ask(t, answers(result("1", answer))).Want(row.at, row.matcher))
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: %s", row.at, diff)
		}
	}
	if got := probe.AString().NegatedFailureMessage(nil); got != "not a string" {
		t.Errorf("got %s", got)
	}
}

func TestWantSchema(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ value, want string }{
		"fits":    {`{"tools":[]}`, ""},
		"missing": {`{}`, "$.result.tools is missing, want an array"},
		"deep":    {`{"tools":[{"name":1,"inputSchema":{"type":"object"}}]}`, "$.result.tools[0].name is 1, want a string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := problem(t, ask(t, answers(result("1", row.value))).WantSchema("ListToolsResult"))
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	unknown := connect(t, answers(result("1", "{}")))
	if err := stopped(t, unknown, func(c *probe.Client) { _ = c.Call("tools/list", nil).WantSchema("NoSuchDefinition") }); err == nil || errors.As(err, new(*probe.Violation)) {
		t.Errorf("a definition that does not exist: %v, want an error of ours", err)
	}
	if err := ask(t, answers(refusal("1", "{}"))).WantSchema("ListToolsResult"); problem(t, err) != "the answer to tools/list is error {}, want a result" {
		t.Errorf("got %v", err)
	}
}

// A problem fits on a line: it shows the first of many faults, and both ends of
// a long value.
func TestProblemsAreShort(t *testing.T) {
	t.Parallel()
	many := `{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"inputSchema":{"type":"object"}},`, 5), ",") + `]}`
	got := problem(t, ask(t, answers(result("1", many))).WantSchema("ListToolsResult"))
	if got != "$.result.tools[0].name is missing, want a string (also $.result.tools[1].name, $.result.tools[2].name, "+
		"$.result.tools[3].name and $.result.tools[4].name)" {
		t.Errorf("got %s", got)
	}
	long := ask(t, answers(result("1", `{"a":"`+strings.Repeat("ü", 500)+`"}`)))
	if got := problem(t, long.Want("/result/a", probe.Missing())); len([]rune(got)) > 180 || !strings.Contains(got, " ... ") {
		t.Errorf("got %s", got)
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	s := &server{http: true, hear: func(s *server, h receivedFrame) {
		s.answer(h, result("1", `{"isError":true,"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`), "X-Own", "1")
	}}
	reply := ask(t, s)
	if reply.Status() != 200 || reply.Header("x-own") != "1" || reply.ID() != "1" || !reply.ErrorFlag() || reply.TextContent() != "a\nb" {
		t.Errorf("got %d %q %q %v %q", reply.Status(), reply.Header("x-own"), reply.ID(), reply.ErrorFlag(), reply.TextContent())
	}
	if seen, ok := reply.Seen(); !ok || seen.Request.Method != "tools/list" || reply.Message().Class != frame.Result {
		t.Errorf("got %+v, %v", seen, ok)
	}
	if _, ok := reply.Code(); ok {
		t.Error("a result has a code")
	}
	over := ask(t, answers(result("1", "{}")))
	if over.Status() != 0 || over.Header("x-own") != "" || over.Refused() || over.ErrorFlag() || over.TextContent() != "" {
		t.Error("an answer over stdio has something of HTTP")
	}
}

func TestViolations(t *testing.T) {
	t.Parallel()
	v := probe.Evidence{{}}.Violation("%d things", 2)
	if v.Error() != "2 things" || v.WarnsOnly() || len(v.Frames) != 1 {
		t.Errorf("got %+v", v)
	}
	if err := probe.AtMostWarn(v); err != error(v) || !v.WarnsOnly() {
		t.Errorf("got %v, warns %v", err, v.WarnsOnly())
	}
	if probe.AtMostWarn(nil) != nil {
		t.Error("nothing became something")
	}
	other := errors.New("x")
	if probe.AtMostWarn(other) != other {
		t.Error("another error was changed")
	}
	c := connect(t, &server{})
	var u *probe.Undecided
	if !errors.As(stopped(t, c, func(c *probe.Client) { c.Undecide("who knows") }), &u) || u.Unseen || u.Error() != "who knows" {
		t.Errorf("got %+v", u)
	}
	if !errors.As(stopped(t, c, func(c *probe.Client) { c.NotSeen("no occasion") }), &u) || !u.Unseen {
		t.Errorf("got %+v", u)
	}
	for name, ends := range map[string]func(c *probe.Client, condition bool){
		"undecided": func(c *probe.Client, condition bool) { c.UndecideIf(condition, "why") },
		"not seen":  func(c *probe.Client, condition bool) { c.NotSeenIf(condition, "why") },
	} {
		if err := stopped(t, c, func(c *probe.Client) { ends(c, false) }); err != nil {
			t.Errorf("%s: the case ends with %v, although the condition does not hold", name, err)
		}
		err := stopped(t, c, func(c *probe.Client) { ends(c, true) })
		if !errors.As(err, &u) || u.Reason != "why" || u.Unseen != (name == "not seen") {
			t.Errorf("%s: got %v where the condition holds", name, err)
		}
	}
	seen := heardOf("{}", probe.Asked{})
	said := (&probe.Connection{}).See(seen).ShownTo(probe.WatchFunc(func(*probe.WatchedFrame) probe.Opinion { return probe.Breaks("no %s", "good").AtMostWarn() }))
	if v := said.Violation(); !said.Judged() || v == nil || v.Problem != "no good" || len(v.Frames) != 1 || !v.WarnsOnly() {
		t.Errorf("got %+v, want a violation that the frame shows", said)
	}
}

// A barrier is a request that every server of its era answers.
func TestBarrier(t *testing.T) {
	t.Parallel()
	for revision, want := range map[requirements.Revision]string{requirements.R20251125: "ping", requirements.R20260728: "server/discover"} {
		s := &server{hear: polite}
		reply := connect(t, s, at(revision)).Barrier()
		if !reply.Answered() || reply.Method != want {
			t.Errorf("%s: %s, %s", revision, reply.Outcome(), reply.Method)
		}
	}
}

// The client soon stops waiting for barriers of a server that answers no ping, but not of
// one that answered a ping before.
func TestBarriersOfSilence(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var told []string // by timers and by this goroutine, never at once
			patience := &probe.Patience{Tell: func(method string) { told = append(told, method) }}
			share := func(s *probe.Setup) {
				s.Patience, s.Waits = patience, probe.Waits{Answer: 10 * time.Second, Event: time.Second}
			}
			if answered {
				connect(t, &server{hear: polite}, share).Barrier()
			}
			// It speaks, but not in answer to a ping.
			silent := connect(t, &server{hear: func(s *server, m receivedFrame) {
				if m.Message.Method != "ping" {
					polite(s, m)
				}
			}}, share)
			silent.Call("tools/list", nil)
			for n := range 4 {
				want := "no answer within 10s"
				if n >= 1 && !answered {
					want = "no answer within 1s"
				}
				if got := silent.Barrier().Outcome(); got != want {
					t.Errorf("answered before: %v, barrier %d: %q, want %q", answered, n, got, want)
				}
			}
			late := []string{"ping", ""} // the others are not awaited for long
			if answered {
				late = slices.Repeat(late, 4)
			}
			if diff := cmp.Diff(late, told); diff != "" {
				t.Errorf("what is late (-want +got):\n%s", diff)
			}
		})
	}
}

// A case that is stopped while it waits for an answer waits for none any more.
func TestStoppedWait(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*probe.Client){
		"a call":      func(c *probe.Client) { c.Call("ping", nil) },
		"an exchange": func(c *probe.Client) { probe.Exchange(c, probe.RequestText("9", "ping", nil), "9") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told []string
				answers := 1 // for the ping ahead of the exchange
				c := connect(t, &server{hear: func(s *server, m receivedFrame) {
					if answers--; answers >= 0 && name == "an exchange" {
						polite(s, m)
					}
				}}, func(s *probe.Setup) {
					s.Patience = &probe.Patience{Tell: func(method string) { told = append(told, method) }}
				})
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				if err := probe.ControlOf(c).Run(ctx, func(c *probe.Client) error { ask(c); return nil }); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("got %v, want the end of the case", err)
				}
				if diff := cmp.Diff([]string{"ping", ""}, told); diff != "" {
					t.Errorf("what is late (-want +got):\n%s", diff)
				}
			})
		})
	}
}
