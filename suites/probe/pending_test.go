package probe_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// crossed waits for many calls and then answers each by its number, the last
// one first.
func crossed(many int) func(*server, receivedFrame) {
	var waiting []receivedFrame
	return func(s *server, h receivedFrame) {
		if h.Message.Method != "tools/call" {
			polite(s, h)
			return
		}
		if waiting = append(waiting, h); len(waiting) < many {
			return
		}
		for i := range waiting {
			each := waiting[len(waiting)-1-i]
			n, _ := each.Message.At("/params/n")
			s.answer(each, result(each.Message.ID, fmt.Sprintf(`{"n":%v}`, n)))
		}
	}
}

// Each of several requests in flight gets its own answer, in any order.
func TestPendingCrossed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		http     bool
		revision requirements.Revision
	}{
		"stdio":         {false, requirements.R20251125},
		"HTTP":          {true, requirements.R20251125},
		"stdio, modern": {false, requirements.R20260728},
		"HTTP, modern":  {true, requirements.R20260728},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const many = 4
				s := &server{http: row.http, hear: crossed(many)}
				c := connect(t, s, at(row.revision))
				var started []*probe.Pending
				for n := range many {
					p := c.Start("tools/call", probe.Object{"name": "t", "n": n})
					started = append(started, p)
					if sent, ok := p.Sent(); !ok || sent.Message().ID != p.ID() || len(p.Evidence()) != 1 || string(p.Evidence()[0].Raw()) != string(sent.Raw()) {
						t.Errorf("request %d: sent %q, %t, shown by %d frames", n, sent.Raw(), ok, len(p.Evidence()))
					}
				}
				for n, p := range started {
					want := fmt.Sprintf(`result {"n":%d}`, n)
					answer, ok := p.Await(time.Second, p.Answers)
					if !ok || answer.Message().ID != p.ID() {
						t.Errorf("request %d: awaited %q, %t", n, answer.Raw(), ok)
					}
					reply := p.Reply()
					if reply.Outcome() != want || reply.ID() != p.ID() {
						t.Errorf("request %d: %s under %s, want %s", n, reply.Outcome(), reply.ID(), want)
					}
					if again := p.Reply(); again != reply {
						t.Errorf("request %d: another reply: %s", n, again.Outcome())
					}
				}
				if sent := len(s.heard()); sent != many {
					t.Errorf("the server got %d messages, want %d", sent, many)
				}
			})
		})
	}
}

// Only a response under its id answers a request; a string is as good as the number in it.
func TestPendingAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		c := connect(t, s)
		p := c.Start("slow", nil, probe.WithID("7"))
		for text, want := range map[string]bool{
			result(`"7"`, "{}"): true, result(`"8"`, "{}"): false, `{"jsonrpc":"2.0","result":{}}`: false,
			result("7", "{}"): true, refusal("7", `{"code":1}`): true, result("8", "{}"): false, refusal("null", `{"code":1}`): false,
			`{"jsonrpc":"2.0","id":7,"method":"ping"}`: false, `{"jsonrpc":"2.0","method":"n"}`: false, "noise": false,
			"[" + result("8", "{}") + "," + result("7", "{}") + "]": true, "[" + result("8", "{}") + "]": false,
		} {
			if got := p.Answers(heardOf(text, probe.Asked{})); got != want {
				t.Errorf("%s answers: %t", text, got)
			}
		}
		if sent, _ := p.Sent(); p.Answers(sent) {
			t.Error("the request answers itself")
		}
		began := time.Now()
		if _, ok := p.Await(time.Second, p.Answers); ok || time.Since(began) != time.Second {
			t.Errorf("silence is over after %s: %t", time.Since(began), ok)
		}
	})
}

// What the exchange of a request carries answers it under any id, and nothing else does.
func TestPendingAnswersInExchange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{http: true, hear: func(s *server, h receivedFrame) {
			s.head(h.Exchange, http.StatusOK)
			s.say(h.Exchange+100, result("8", `{"of":"another"}`))
			s.say(h.Exchange, result(`"r7"`, `{"of":"this"}`))
		}}
		c := connect(t, s)
		p := c.Start("slow", nil, probe.WithID("7"))
		if answer, ok := p.Await(time.Second, p.Answers); !ok || answer.Message().ID != `"r7"` {
			t.Errorf("awaited %q, %t", answer.Raw(), ok)
		}
	})
}

// A connection that takes nothing any more shows no request, and the reply is silence.
func TestPendingUnsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{deaf: fmt.Errorf("broken pipe")})
		p := c.Start("slow", nil)
		if _, ok := p.Sent(); ok || p.Evidence() != nil {
			t.Error("something was sent")
		}
		if p.Cancel("why"); !p.Reply().Silent() {
			t.Error(p.Reply().Outcome())
		}
	})
}

// The exchange of a request is closed where it stands for itself; elsewhere the
// server gets a notification.
func TestPendingCancel(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		http     bool
		revision requirements.Revision
		aborts   bool
	}{
		"stdio":         {false, requirements.R20251125, false},
		"HTTP":          {true, requirements.R20251125, false},
		"stdio, modern": {false, requirements.R20260728, false},
		"HTTP, modern":  {true, requirements.R20260728, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var aborted []int
				s := &server{
					http: row.http,
					hear: func(s *server, h receivedFrame) {
						if h.Message.Method != "slow" {
							polite(s, h)
						} else if s.http {
							s.head(h.Exchange, http.StatusOK, "Content-Type", streams)
						}
					},
					abort: func(s *server, exchange int) {
						aborted = append(aborted, exchange)
						s.end(exchange, frame.End{Err: "aborted"})
					},
				}
				c := connect(t, s, at(row.revision))
				p, other := c.Start("slow", nil), c.Start("slow", nil)
				began := time.Now()
				p.Cancel("it is not needed")
				if took := time.Since(began); took > 0 {
					t.Errorf("the cancellation took %s", took)
				}
				told := ""
				for _, h := range s.heard() {
					if h.Message.Method == "notifications/cancelled" {
						told += h.Text
					}
				}
				want := probe.NotificationText("notifications/cancelled", probe.Object{"requestId": 1, "reason": "it is not needed"})
				if row.aborts {
					want = ""
				}
				if diff := cmp.Diff(want, told); diff != "" {
					t.Error(diff)
				}
				if got := fmt.Sprint(aborted); row.aborts != (got == "[1]") || !row.aborts && len(aborted) > 0 {
					t.Errorf("the exchanges %s were aborted", got)
				}
				if p.Reply().Answered() || other.ID() == p.ID() || strings.Contains(told, other.ID()+`,"`) {
					t.Errorf("the request %s ends with %s", p.ID(), p.Reply().Outcome())
				}
			})
		})
	}
}
