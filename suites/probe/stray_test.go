package probe_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// What came before an answer does not explain the silence after it.
func TestNoAnswerAfterAnswers(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"one with its id": result("1", "{}"), "one with a string as id": result(`"1"`, "{}")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				all := says("listening on 8080", first)
				c := connect(t, &server{hear: func(s *server, h receivedFrame) {
					if h.Message.ID == "1" {
						all(s, h)
					}
				}})
				if reply := c.Call("ping", nil, probe.WithID("1")); !reply.Answered() {
					t.Fatal(reply.Outcome())
				}
				if got := c.Call("ping", nil, probe.WithID("2")).Outcome(); got != "no answer within 10s" {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

// A response with neither a result nor an error is an answer, and nobody waits for another.
// A log line that has the id is none.
func TestEmptyResponse(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ said, outcome, result, failure, either string }{
		"response": {
			`{"jsonrpc":"2.0","id":1}`, "a response with neither a result nor an error",
			"the answer to ping is a response with neither a result nor an error, want a result",
			"the answer to ping is a response with neither a result nor an error, want an error",
			"the answer to ping is a response with neither a result nor an error, want a result or an error",
		},
		"log line": {
			`{"id":1,"level":"info"}`, `no answer within 10s; what came instead is {"id":1,"level":"info"}`,
			`the server did not answer ping within 10s; what came instead is {"id":1,"level":"info"}, want a result`,
			`the server did not answer ping within 10s; what came instead is {"id":1,"level":"info"}, want an error`,
			`the server did not answer ping within 10s; what came instead is {"id":1,"level":"info"}, want a result or an error`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reply := connect(t, &server{hear: says(row.said)}).Call("ping", nil, probe.WithID("1"))
				for want, got := range map[string]string{
					row.outcome: reply.Outcome(), row.result: fmt.Sprint(reply.WantResult()),
					row.failure: fmt.Sprint(reply.WantError()), row.either: fmt.Sprint(reply.WantAnswer()),
				} {
					if got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				}
				if reply.Served() || reply.Refused() {
					t.Errorf("served %v, refused %v", reply.Served(), reply.Refused())
				}
			})
		})
	}
}

// After an error without an id that can be about one request only, its answer is not awaited
// in full.
func TestUnnamedRefusal(t *testing.T) {
	t.Parallel()
	unnamed := refusal("null", `{"code":-32600,"message":"no such id"}`)
	const odd = `"odd"`
	for name, row := range map[string]struct {
		refused string // what comes for the request with the odd id
		late    bool   // its answer follows
		before  func(*probe.Client)
		want    string
	}{
		"at once":           {unnamed, false, func(*probe.Client) {}, `no answer within 1s; what came instead has the id null, the request had "odd": ` + unnamed},
		"before the answer": {unnamed, true, func(*probe.Client) {}, "result {}"},
		"with another id": {
			refusal("7", `{"code":-32600,"message":"no such id"}`), false, func(*probe.Client) {},
			`no answer within 10s; what came instead has the id 7, the request had "odd": ` + refusal("7", `{"code":-32600,"message":"no such id"}`),
		},
		"perhaps for a notification": {
			unnamed, false, func(c *probe.Client) { c.Notify("notifications/kit", nil) },
			`no answer within 10s; what came instead has the id null, the request had "odd": ` + unnamed,
		},
		"after the answer to another request": {
			unnamed, false, func(c *probe.Client) { c.Start("ping", nil, probe.WithID(`"late"`)) },
			`no answer within 1s; what came instead has the id null, the request had "odd": ` + unnamed,
		},
		"perhaps for another request": {
			unnamed, false, func(c *probe.Client) { c.Start("ping", nil, probe.WithID(`"mute"`)) },
			`no answer within 10s; what came instead has the id null, the request had "odd": ` + unnamed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{hear: func(s *server, h receivedFrame) {
					switch h.Message.ID {
					case odd:
						s.say(0, row.refused)
						if row.late {
							time.AfterFunc(900*time.Millisecond, func() { s.say(0, result(odd, "{}")) })
						}
					case "", `"mute"`:
					case `"late"`:
						time.AfterFunc(300*time.Millisecond, func() { s.say(0, result(`"late"`, "{}")) })
					default:
						s.say(0, result(h.Message.ID, "{}"))
					}
				}}, func(s *probe.Setup) { s.Patience = &probe.Patience{} })
				if reply := c.Call("ping", nil); !reply.Answered() {
					t.Fatal(reply.Outcome())
				}
				row.before(c)
				if got := c.Call("ping", nil, probe.WithID(odd)).Outcome(); got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
			})
		})
	}
}
