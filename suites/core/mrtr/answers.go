package mrtr

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// answerCases bring answers that are malformed, missing, or more than were asked for.
func answerCases() []suite.Case {
	asking := []suite.Need{suite.Role(roles.InputRequired)}
	var cases []suite.Case
	for _, row := range []struct {
		slug, what string
		value      any
	}{
		{"array", "an array", []any{}}, {"string", "a string", "yes"}, {"number", "a number", 12345},
	} {
		cases = append(cases, suite.Case{
			ID:     "mrtr/responses-" + row.slug,
			Title:  "a call with " + row.what + " as inputResponses is rejected with an error",
			Checks: []requirements.ID{"mrtr-malformed-responses-error"}, Needs: asking,
			Fix: "hold inputResponses against the schema, and answer error -32602 when it is not an object",
			Run: func(c *probe.Client) error {
				o := tool(c)
				return o.retry(o.bring(o.begin()).With("inputResponses", row.value)).WantRefusal()
			},
		})
	}
	for _, row := range []struct {
		slug, what string
		value      any
	}{
		{"null", "null", nil}, {"number", "a number", 12345},
	} {
		cases = append(cases, suite.Case{
			ID:     "mrtr/answer-" + row.slug,
			Title:  "a call with " + row.what + " for an answer is rejected, or asks again",
			Checks: []requirements.ID{"mrtr-responses-validated"}, Needs: asking,
			Fix: "hold each answer against the schema, and answer error -32602 or ask again where it does not fit",
			Run: func(c *probe.Client) error { return badAnswer(c, row.value) },
		})
	}
	return append(cases,
		suite.Case{
			ID:     "mrtr/answer-action",
			Title:  "an answer with an action that does not exist is not taken for accept",
			Checks: []requirements.ID{"mrtr-responses-validated"}, Needs: asking,
			Fix: "take the content of an answer only when its action is accept",
			Run: unknownAction,
		},
		suite.Case{
			ID:     "mrtr/answers-unasked",
			Title:  "an answer that was not asked for is ignored",
			Checks: []requirements.ID{"mrtr-extra-responses-ignored"}, Needs: asking,
			Fix: "read the answers under the keys that were asked, and ignore all others",
			Run: unaskedAnswer,
		},
		suite.Case{
			ID:     "mrtr/answers-missing",
			Title:  "a call that is repeated without answers asks again",
			Checks: []requirements.ID{"mrtr-missing-responses-reprompt"}, Needs: asking,
			Fix: "ask again for what is missing, instead of answering with an error",
			Run: func(c *probe.Client) error {
				o := tool(c)
				reply := o.begin()
				c.NotSeenIf(len(keysOf(reply)) == 0, o.name+" asks no question")
				return asksAgain(reply, o.retry(o.bring(reply).With("inputResponses", probe.Object{})), "without answers")
			},
		},
		suite.Case{
			ID:     "mrtr/one-answer-missing",
			Title:  "a call that is repeated with one of two answers asks again",
			Checks: []requirements.ID{"mrtr-missing-responses-reprompt"}, Needs: asking,
			Fix: "ask again for the answer that is missing, instead of answering with an error",
			Run: func(c *probe.Client) error {
				o := tool(c)
				reply := o.begin()
				keys := keysOf(reply)
				c.NotSeenIf(len(keys) < 2, o.name+" asks one question at a time")
				responses := questions.Responses(reply, o.answer).Without(keys[0])
				return asksAgain(reply, o.retry(o.bring(reply).With("inputResponses", responses)), "without the answer "+probe.Show(keys[0]))
			},
		},
		suite.Case{
			ID:     "mrtr/abandoned",
			Title:  "a tool is served after many calls whose questions nobody answered",
			Checks: []requirements.ID{"mrtr-no-assumed-retry"}, Needs: asking,
			Fix: "hold nothing for a client that was asked: it may never repeat its request",
			Run: abandoned,
		},
	)
}

// badAnswer gives one question an answer that is no object.
func badAnswer(c *probe.Client, value any) error {
	o := tool(c)
	reply := o.begin()
	keys := keysOf(reply)
	c.NotSeenIf(len(keys) == 0, o.name+" asks no question")
	responses := questions.Responses(reply, o.answer).With(keys[0], value)
	answer := o.retry(o.bring(reply).With("inputResponses", responses))
	if answer.Refused() || answer.ErrorFlag() || asks(answer) {
		return nil
	}
	return answer.Violation("the answer to a call with %s as %s in inputResponses is %s, want an error or another question",
		probe.Show(value), probe.Show(keys[0]), answer.Outcome())
}

// unknownAction answers the forms of the first round with an action that there is not, and
// what would be content. A server that asks as often as before, or more often, has asked again.
func unknownAction(c *probe.Client) error {
	o := tool(c)
	first, usual := o.usual()
	c.NotSeenIf(!usual.Shows, noOutcome)
	reply := o.begin()
	responses, forms := questions.Responses(reply, o.answer), 0
	for key, each := range responses {
		if answer, ok := each.(probe.Object); ok && answer["action"] == "accept" {
			responses[key] = answer.With("action", "shrug")
			forms++
		}
	}
	c.NotSeenIf(forms == 0, o.name+" asks with no form")
	if r := o.onward(o.retry(o.bring(reply).With("inputResponses", responses))); len(r.asked) < len(first.asked) && o.takes(r.end, usual) {
		return probe.Shown(reply, r.end).Violation("an answer with the action shrug is taken like accept, want an error or another question")
	}
	return nil
}

// unaskedAnswer adds an answer to the first round.
func unaskedAnswer(c *probe.Client) error {
	o := tool(c)
	first, usual := o.usual()
	reply := o.begin()
	responses := questions.Responses(reply, o.answer).With("kit-unasked", probe.Object{"action": "decline"})
	answer := o.retry(o.bring(reply).With("inputResponses", responses))
	if asks(answer) && len(first.asked) > 1 || o.takes(answer, usual) {
		return nil
	}
	return probe.Shown(reply, answer).Violation("with an answer that was not asked for, the call gets %s, want the same as without",
		answer.Outcome())
}

// asksAgain allows a result: the tool may do without the answer.
func asksAgain(reply, answer *probe.Reply, how string) error {
	if answer.Succeeded() {
		return nil
	}
	if result, _ := answer.Result(); asks(answer) && result["isError"] != nil {
		return probe.Shown(reply, answer).Violation(
			"the answer to the call that is repeated %s asks again and has isError %s as well, want the question alone",
			how, probe.Show(result["isError"]))
	}
	return probe.Shown(reply, answer).Violation("the answer to the call that is repeated %s is %s, want another question", how,
		answer.Outcome())
}

// many is how many questions are left without an answer.
const many = 20

// abandoned allows an error: there may be a limit of calls.
func abandoned(c *probe.Client) error {
	o := tool(c)
	reply := o.begin()
	for n := range many {
		next := o.client.Call(o.method, o.params)
		if !next.Answered() && !next.Refused() {
			return probe.Shown(reply, next).Violation("the call after %d whose questions nobody answered gets %s, want a response", n+1,
				next.Outcome())
		}
		reply = next
	}
	return nil
}

// hostileCases bring texts that no server has sent.
func hostileCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct{ slug, what, state string }{
		{"empty", "an empty string", ""},
		{"long", "64 KiB of text", strings.Repeat("kit ", 1<<14)},
		{"binary", "control characters", strings.Repeat("\x00\x01\x1b\u0085\ufffe", 50)},
		{"json", "JSON", `{"__proto__":{"admin":true},"step":-1,"user":null,"next":{"next":{"next":[[[[]]]]}}}`},
		{
			"serialized", "a serialized object",
			"rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAAAAB3CAAAABAAAAAAeA==",
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "mrtr/state-" + row.slug,
			Title:  "the server survives " + row.what + " as requestState",
			Checks: []requirements.ID{"mrtr-state-untrusted"},
			Needs:  []suite.Need{suite.Role(roles.InputRequired)},
			Fix:    "verify requestState before anything reads it, and answer error -32602 where it was not issued by the server",
			Run:    func(c *probe.Client) error { return hostile(c, row.what, row.state) },
		})
	}
	return cases
}

// hostile wants any answer, and one to the request behind it.
func hostile(c *probe.Client, what, state string) error {
	o := tool(c)
	reply := o.begin()
	answer := o.retry(o.bring(reply).With("requestState", state))
	switch {
	case !answer.Answered() && (!answer.Refused() || answer.Status() >= http.StatusInternalServerError):
		return answer.Violation("the answer to a call with %s as requestState is %s, want a result or an error", what, answer.Outcome())
	default:
		behind := o.client.Barrier()
		if behind.Answered() || behind.Refused() {
			return nil
		}
		return probe.Shown(answer, behind).Violation("the request behind a call with %s as requestState gets %s, want an answer", what,
			behind.Outcome())
	}
}
