package probe_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// told is what the client answered to each request of the server, by id.
func (s *server) told() map[string]string {
	told := map[string]string{}
	for _, h := range s.heard() {
		switch h.Message.Class {
		case frame.Result:
			value, _ := h.Message.At("/result")
			told[h.Message.ID] += "result " + probe.JSON(value)
		case frame.Error:
			value, _ := h.Message.At("/error")
			told[h.Message.ID] += "error " + probe.JSON(value)
		case frame.NotJSON, frame.NotAMessage, frame.Notification, frame.Request, frame.Batch:
		}
	}
	return told
}

const refused = `error {"code":-32601,"message":"the client does not offer this"}`

// A case sets the answers to requests of the server; the client answers pings
// in any case, and refuses all others. The answers end with the case.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		given any
		want  string // empty: nothing is sent
	}{
		"a result":        {probe.Object{"roots": []any{}}, `result {"roots":[]}`},
		"an empty result": {probe.Object{}, "result {}"},
		"a refusal":       {probe.Refusal{Code: -1, Message: "rejected"}, `error {"code":-1,"message":"rejected"}`},
		"nothing":         {nil, ""},
	} {
		for _, http := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP %t", name, http), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := &server{http: http, hear: polite}
					c := connect(t, s)
					var asked probe.Request
					if err := stopped(t, c, func(c *probe.Client) {
						c.Answers("roots/list", func(r probe.Request) any { asked = r; return row.given })
						s.say(0, `{"jsonrpc":"2.0","id":"r","method":"roots/list","params":{"a":"b"}}`)
						s.say(0, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
						s.say(0, `{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage"}`)
						synctest.Wait()
					}); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(probe.Request{ID: `"r"`, Method: "roots/list", Params: map[string]any{"a": "b"}}, asked); diff != "" {
						t.Error(diff)
					}
					want := map[string]string{`"p"`: "result {}", "3": refused}
					if row.want != "" {
						want[`"r"`] = row.want
					}
					if diff := cmp.Diff(want, s.told()); diff != "" {
						t.Error(diff)
					}
					if err := stopped(t, c, func(*probe.Client) {
						s.say(0, `{"jsonrpc":"2.0","id":"next","method":"roots/list"}`)
						synctest.Wait()
					}); err != nil || s.told()[`"next"`] != refused {
						t.Errorf("the next case answers %s, %v", s.told()[`"next"`], err)
					}
				})
			})
		}
	}
}

// A slow answer of a case does not stop the reading, and may itself use the client.
func TestAnswersSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{hear: polite}
		c := connect(t, s)
		if err := stopped(t, c, func(c *probe.Client) {
			c.Answers("roots/list", func(probe.Request) any {
				c.Pause(time.Second)
				return probe.Object{"heard": c.Barrier().Answered()}
			})
			s.say(0, `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
			synctest.Wait()
			if began := time.Now(); !c.Barrier().Answered() || time.Since(began) > 0 {
				t.Error("the answer holds up the reading")
			}
			c.Pause(2 * time.Second)
		}); err != nil {
			t.Error(err)
		}
		if got := s.told()[`"r"`]; got != `result {"heard":true}` {
			t.Errorf("the server is told %s", got)
		}
	})
}

// A case that stops within an answer is stopped.
func TestAnswersStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{hear: polite}
		why := errors.New("why")
		err := stopped(t, connect(t, s), func(c *probe.Client) {
			c.Answers("roots/list", func(probe.Request) any { c.Stop(why); return nil })
			s.say(0, `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
			synctest.Wait()
			c.Barrier()
			t.Error("the case goes on")
		})
		if !errors.Is(err, why) || len(s.told()) > 0 {
			t.Errorf("stopped by %v, the server is told %v", err, s.told())
		}
	})
}

// questions answers calls with questions until it got that many responses.
func questions(resultType, asked string, until int) func(*server, receivedFrame) {
	times := 0
	return func(s *server, h receivedFrame) {
		if h.Message.Method != "tools/call" {
			polite(s, h)
			return
		}
		if _, responded := h.Message.At("/params/inputResponses"); responded {
			times++
		}
		if times >= until {
			s.answer(h, result(h.Message.ID, `{"resultType":"complete","content":[]}`))
			return
		}
		s.answer(h, result(h.Message.ID, fmt.Sprintf(`{"resultType":%q,"inputRequests":{%s},"requestState":"s-%d"}`, resultType, asked, times)))
	}
}

// Since 2026-07-28 the client repeats a request with the answers to the
// questions in its result, if the case has one for each question.
func TestAnswersWithinResults(t *testing.T) {
	t.Parallel()
	const roots, elicits = `"q1":{"method":"roots/list"}`, `"q2":{"method":"elicitation/create","params":{"message":"m"}}`
	said := map[string]any{"roots/list": probe.Object{"roots": []any{}}, "elicitation/create": probe.Object{"action": "accept"}}
	const both = `{"q1":{"roots":[]},"q2":{"action":"accept"}}`
	for name, row := range map[string]struct {
		http    bool
		legacy  bool
		hear    func(*server, receivedFrame)
		answers []string   // the methods that the case answers
		given   func() any // replaces an elicitation's result
		want    []string   // state and responses of each repetition
		outcome string
	}{
		"both":            {false, false, questions("input_required", roots+","+elicits, 1), []string{"roots/list", "elicitation/create"}, nil, []string{`"s-0" ` + both}, "complete"},
		"over HTTP":       {true, false, questions("input_required", roots+","+elicits, 1), []string{"roots/list", "elicitation/create"}, nil, []string{`"s-0" ` + both}, "complete"},
		"asked again":     {false, false, questions("input_required", roots, 2), []string{"roots/list"}, nil, []string{`"s-0" {"q1":{"roots":[]}}`, `"s-1" {"q1":{"roots":[]}}`}, "complete"},
		"one is missing":  {false, false, questions("input_required", roots+","+elicits, 1), []string{"roots/list"}, nil, nil, "input_required"},
		"all missing":     {false, false, questions("input_required", roots, 1), nil, nil, nil, "input_required"},
		"no questions":    {false, false, questions("input_required", "", 1), []string{"roots/list"}, nil, nil, "input_required"},
		"another type":    {false, false, questions("complete", roots, 1), []string{"roots/list"}, nil, nil, "complete"},
		"nothing":         {false, false, questions("input_required", elicits, 1), []string{"elicitation/create"}, func() any { return nil }, nil, "input_required"},
		"in earlier eras": {false, true, questions("input_required", roots, 1), []string{"roots/list"}, nil, nil, "input_required"},
		"a refusal":       {false, false, questions("input_required", elicits, 1), []string{"elicitation/create"}, func() any { return probe.Refusal{Code: -1, Message: "no"} }, nil, "input_required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{http: row.http, hear: row.hear}
				params := probe.Object{"name": "t", "arguments": probe.Object{"a": 1}}
				revision := requirements.R20260728
				if row.legacy {
					revision = requirements.R20251125
				}
				if err := stopped(t, connect(t, s, at(revision)), func(c *probe.Client) {
					for _, method := range row.answers {
						given := said[method]
						if row.given != nil {
							given = row.given()
						}
						c.Answers(method, func(probe.Request) any { return given })
					}
					p := c.Start("tools/call", params)
					reply := p.Reply()
					if kind, _ := reply.At("/result/resultType"); kind != row.outcome || p.Reply() != reply {
						t.Errorf("the reply is %s, want one of the type %s", reply.Outcome(), row.outcome)
					}
				}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(row.want, repetitions(t, s.heard())); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// repetitions are the state and the responses of each call but the first; all
// share their other params and have ids of their own.
func repetitions(t *testing.T, calls []receivedFrame) []string {
	t.Helper()
	ids := map[string]bool{}
	var got []string
	for i, h := range calls {
		if ids[h.Message.ID] {
			t.Errorf("call %d repeats the id %s", i, h.Message.ID)
		}
		ids[h.Message.ID] = true
		name, _ := h.Message.At("/params/name")
		a, _ := h.Message.At("/params/arguments/a")
		if name != "t" || !probe.Same(a, 1) {
			t.Errorf("call %d is %s, want the same params", i, h.Text)
		}
		if i > 0 {
			state, _ := h.Message.At("/params/requestState")
			responses, _ := h.Message.At("/params/inputResponses")
			got = append(got, probe.JSON(state)+" "+probe.JSON(responses))
		}
	}
	return got
}

// A server that never stops asking gets as many answers as Waits.Rounds says.
func TestAnswersEndlessQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{hear: questions("input_required", `"q":{"method":"roots/list"}`, 1000)}
		c := connect(t, s, at(requirements.R20260728))
		var asked []string
		c.Answers("roots/list", func(r probe.Request) any {
			asked = append(asked, r.ID+" "+r.Method)
			return probe.Object{}
		})
		reply := c.Call("tools/call", probe.Object{"name": "t"})
		if state, _ := reply.At("/result/requestState"); state != "s-3" || len(s.heard()) != 4 || len(asked) != 3 || asked[0] != "q roots/list" {
			t.Errorf("%d calls end with %s; asked %q", len(s.heard()), reply.Outcome(), asked)
		}
	})
}
