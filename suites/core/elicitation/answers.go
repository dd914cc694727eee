package elicitation

import (
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// answerCases answer elicitations in each way, and look at what becomes of the call. What the
// tool makes of an answer is its own business.
func answerCases() []suite.Case {
	form := []suite.Need{suite.Role(roles.ClientRequest, "elicitation")}
	handled := []requirements.ID{"elicitation-decline-cancel-handled", "elicitation-actions-handled"}
	cases := []suite.Case{
		{
			ID:     "elicitation/accepted",
			Title:  "a call is answered when the user fills in the form",
			Checks: []requirements.ID{"elicitation-actions-handled"},
			Needs:  form,
			Fix:    "continue with the content of the answer when its action is accept, and answer the call",
			Run: func(c *probe.Client) error {
				return byForm("accept", questions.Accepting(c)).Call(questions.Able(c, capability, probe.Object{})).WantAnswer()
			},
		},
	}
	for _, action := range []string{"decline", "cancel"} {
		cases = append(cases, suite.Case{
			ID:     "elicitation/" + action,
			Title:  "a call is answered although the user answers with " + action,
			Checks: handled,
			Needs:  form,
			Fix:    "take " + action + " for an answer: do without what was asked, or say that the tool cannot continue",
			Run: func(c *probe.Client) error {
				answer := questions.Always(probe.Object{"action": action})
				return byForm(action, answer).Call(questions.Able(c, capability, probe.Object{})).WantAnswer()
			},
		})
	}
	return append(cases,
		suite.Case{
			ID:     "elicitation/error-handled",
			Title:  "a call is answered although the client answers the elicitation with an error",
			Checks: []requirements.ID{"elicitation-actions-handled"},
			Needs:  form,
			Fix:    "take an error for an answer to elicitation/create, and answer the call that led to it",
			Run: func(c *probe.Client) error {
				answer := questions.Always(probe.Refusal{Code: -32603, Message: "the form could not be shown"})
				return byForm("an error", answer).Call(questions.Able(c, capability, probe.Object{})).WantAnswer()
			},
		},
		suite.Case{
			ID:     "elicitation/url-accepted",
			Title:  "a call is answered when the user agrees to visit the URL",
			Checks: []requirements.ID{"elicitation-actions-handled"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "url")}, Revisions: withModes(),
			Fix: "continue, or answer with an error that says what is missing, when the action of an elicitation by URL is accept",
			Run: func(c *probe.Client) error {
				asker := questions.Asker{Field: "url", Method: questions.Elicitation, Answer: questions.Accept}
				return asker.Call(questions.Able(c, capability, probe.Object{"url": probe.Object{}})).WantAnswer()
			},
		},
		suite.Case{
			ID:     "elicitation/url-declined",
			Title:  "a call is answered although the user declines to visit the URL",
			Checks: handled,
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "url")}, Revisions: withModes(),
			Fix: "take decline for an answer: do without what was asked, or say that the tool cannot continue",
			Run: func(c *probe.Client) error {
				asker := questions.Asker{Field: "url", Method: questions.Elicitation, Answer: questions.Always(probe.Object{"action": "decline"})}
				return asker.Call(questions.Able(c, capability, probe.Object{"url": probe.Object{}})).WantAnswer()
			},
		},
		suite.Case{
			ID:     "elicitation/abandoned",
			Title:  "a tool serves the next call after a form that nobody answered",
			Checks: []requirements.ID{"elicitation-no-assumed-success"},
			Needs:  form,
			Fix:    "hold nothing for a client that was asked: it may never repeat its request",
			Run:    abandoned,
		},
		suite.Case{
			ID:     "elicitation/answer-validated",
			Title:  "an answer that does not fit the form is not used",
			Checks: []requirements.ID{"elicitation-answer-validated"},
			Needs:  form,
			Fix:    "hold the content of an answer against requestedSchema, and ask again or answer with an error where it does not fit",
			Run:    answerValidated,
		},
		suite.Case{
			ID:     "elicitation/declined-content",
			Title:  "what stands in an answer that declines or cancels is not used",
			Checks: handled,
			Needs:  form,
			Fix:    "look at the action of an answer first, and read its content only when that is accept",
			Run:    declinedContent,
		},
		questions.OwnAnswers{
			Page: "elicitation", Asks: byForm("accept", nil),
			Client: func(c *probe.Client) *probe.Client { return questions.Able(c, capability, probe.Object{}) },
			Say:    func(r probe.Request, text string) any { return acceptedWith(r, text) },
		}.Case(),
	)
}

// withModes are the revisions that have elicitation by URL.
func withModes() []requirements.Revision {
	return slices.DeleteFunc(requirements.Revisions(), func(r requirements.Revision) bool { return !protocol.ElicitationModes().At(r) })
}

func byForm(how string, answer func(probe.Request) any) questions.Asker {
	return questions.Asker{Field: "elicitation", Method: questions.Elicitation, How: how, Answer: answer}
}

// abandoned leaves a question without an answer. The next call has the right to an answer of
// any kind.
func abandoned(c *probe.Client) error {
	able := questions.Able(c, capability, probe.Object{})
	call := c.Role(roles.ClientRequest).Field("elicitation")
	first := able.CallTool(call, nil)
	kind, _ := first.At("/result/resultType")
	c.NotSeenIf(kind != protocol.InputRequired, "the tool of roles.client-request.elicitation did not ask the client")
	next := able.CallTool(call, nil)
	if next.Answered() || next.Refused() {
		return nil
	}
	return probe.Shown(first, next).Violation("the call after one whose form nobody answered gets %s, want a response", next.Outcome())
}

// A filling fills in the first form that a tool asks with: one field of it with a value of
// the case, and the others well.
type filling struct {
	able *probe.Client

	mu   sync.Mutex // a tool may ask with several forms at once
	slip questions.Slip
	form any // nil as long as the tool has not asked with one that has such a field
}

// with calls the tool. Further forms are filled in well, but for the same one: that the tool
// asks again says that the first answer was not taken.
func (f *filling) with(action string, pick func(questions.Slip) any) questions.Dialogue {
	first := true
	return byForm(action, func(r probe.Request) any {
		f.mu.Lock()
		defer f.mu.Unlock()
		form := r.Params["requestedSchema"]
		if !first {
			if probe.Same(form, f.form) {
				return nil
			}
			return questions.Accept(r)
		}
		answer, _ := questions.Accepting(f.able)(r).(probe.Object)
		content, ok := answer["content"].(probe.Object)
		slip, found := questions.SlipIn(probe.ObjectOf(form))
		if !found || !ok {
			return answer
		}
		first, f.slip, f.form = false, slip, form
		return answer.With("action", action).With("content", content.With(slip.Field, pick(slip)))
	}).Call(f.able)
}

// filled is the field that was filled in, and whether there was a form with one.
func (f *filling) filled() (questions.Slip, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.slip, f.form != nil
}

func good(s questions.Slip) any { return s.Good }

// usual fills in the form well, and ends the case where the result does not show that.
func (f *filling) usual(c *probe.Client) (questions.Dialogue, questions.Shape) {
	usual := f.with("accept", good)
	slip, asked := f.filled()
	c.NotSeenIf(!asked, "the form has no field that could be filled in wrongly")
	c.UndecideIf(!usual.Succeeded(), "the call whose form is filled in well gets "+usual.Outcome())
	outcome := usual.Shape(slip.Good)
	c.NotSeenIf(!outcome.Shows, "the result does not show what was filled in")
	return usual, outcome
}

// answerValidated compares the answer to a form with one that does not fit: a result that
// holds the unfitting value where it held the fitting one has used it.
func answerValidated(c *probe.Client) error {
	f := &filling{able: questions.Able(c, capability, probe.Object{})}
	usual, before := f.usual(c)
	wrong := f.with("accept", func(s questions.Slip) any { return s.Bad })
	slip, _ := f.filled()
	if wrong.Succeeded() && wrong.Shape(slip.Bad) == before {
		return probe.Shown(usual, wrong).Violation("%s, which does not fit the form, is used like %s, want an error or another question",
			probe.Show(slip.Bad), probe.Show(slip.Good))
	}
	return nil
}

// declinedContent warns at most: only a client that errs sends content with these actions.
func declinedContent(c *probe.Client) error {
	f := &filling{able: questions.Able(c, capability, probe.Object{})}
	usual, before := f.usual(c)
	for _, action := range []string{"decline", "cancel"} {
		reply := f.with(action, good)
		if slip, _ := f.filled(); reply.Succeeded() && reply.Shape(slip.Good) == before {
			return probe.AtMostWarn(probe.Shown(usual, reply).Violation(
				"an answer with the action %s is used like one with accept, want nothing of its content used", action))
		}
	}
	return nil
}
