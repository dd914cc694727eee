package probe_test

import (
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
