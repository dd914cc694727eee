package cancellation

import (
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// othersCases send cancellations of something else while a call runs.
func othersCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:     "cancellation/unknown-id-spares-calls",
			Title:  "a call continues when a cancellation names an unknown request",
			Checks: []requirements.ID{"cancellation-unknown-id-ignored"},
			Fix:    "end only the request whose id has the value and the type of requestId: 7 and \"7\" are two ids",
			Run: func(c *probe.Client) error {
				w, unknown := start(c, "kit-"+c.Nonce()), []string{`"no-such-` + c.Nonce() + `"`}
				if id := w.ID(); !strings.HasPrefix(id, `"`) {
					unknown = append(unknown, `"`+id+`"`)
				}
				when := "after requests with other ids were cancelled (" + strings.Join(unknown, " and ") + ", and its own is " + w.ID() + ")"
				return spared(c, w, when, func(*work) probe.Evidence {
					var texts []string
					for _, id := range unknown {
						texts = append(texts, cancels(id))
					}
					return sentAll(c, texts...)
				})
			},
		},
		{
			ID:     "cancellation/malformed-spares-calls",
			Title:  "a call continues when a cancellation names no request",
			Checks: []requirements.ID{"cancellation-malformed-ignored"},
			Fix:    "ignore a cancellation without a requestId that is a string or an integer",
			Run: func(c *probe.Client) error {
				return spared(c, start(c, "kit-"+c.Nonce()), "after a cancellation that names no request", func(*work) probe.Evidence {
					return sentAll(c, probe.NotificationText(method, probe.Object{"reason": "kit"}), cancels("null"))
				})
			},
		},
		{
			ID:     "cancellation/one-call-only",
			Title:  "a call continues when another call of the same client is cancelled",
			Checks: []requirements.ID{"jsonrpc-single-response"},
			Fix:    "keep what cancels a request by its id, and cancel nothing but the request that is named",
			Run:    oneCallOnly,
		},
		{
			ID:     "cancellation/foreign-spares-calls",
			Title:  "a call continues when another client cancels its call with the same id",
			Checks: []requirements.ID{"jsonrpc-ids-scoped-to-sender"},
			Needs:  []suite.Need{suite.Over(requirements.HTTP)},
			Fix:    "look up what is cancelled by the session or connection and the id, never by the id alone",
			Run:    foreignSpares,
		},
	}
	for i := range cases {
		cases[i].Needs = append(cases[i].Needs, suite.Role(roles.SlowTool))
		cases[i].Lane, cases[i].Contends, cases[i].Disturbs = suite.Waits, true, roles.SlowTool
	}
	return cases
}

// oneCallOnly warns where the other call is answered, but not with its result.
func oneCallOnly(c *probe.Client) error {
	c.NotSeenIf(c.Transport() == requirements.HTTP && protocol.RequestMeta().At(c.Revision()),
		"over HTTP a call is cancelled by the end of its stream, which cancellation/disconnect-scoped judges")
	first, w := start(c, "kit-"+c.Nonce()), start(c, "kit-"+c.Nonce())
	err := spared(c, w, "after another call of the same client was cancelled, with the id "+first.ID(), func(*work) probe.Evidence {
		running(c, first)
		first.giveUp("kit")
		return first.Evidence()
	})
	if _, came := w.Await(0, w.Answers); came {
		return probe.AtMostWarn(err)
	}
	return err
}

// foreignSpares has two clients call under one id. Over stdio they do not share a process.
func foreignSpares(c *probe.Client) error {
	id, other := strconv.Quote("kit-"+c.Nonce()), c.Opened()
	c.NotSeenIf(other.Session() != "" && other.Session() == c.Session(), "the server gives two clients the same session")
	w := start(c, "kit-"+c.Nonce(), probe.WithID(id))
	err := spared(c, w, "after another client cancelled its call with the same id", func(*work) probe.Evidence {
		foreign := start(other, "kit-"+c.Nonce(), probe.WithID(id))
		running(other, foreign)
		foreign.giveUp("kit")
		return foreign.Evidence()
	}, probe.WithID(strconv.Quote("kit-"+c.Nonce())))
	return probe.Unless(err, probe.Elsewhere{Case: "http/session-ids-own", Why: "the call loses its answer without a cancellation too"})
}

// sentAll sends texts, and shows them.
func sentAll(c *probe.Client, texts ...string) probe.Evidence {
	from := c.Mark()
	for _, text := range texts {
		c.Send(text)
	}
	var shown probe.Evidence
	for _, text := range texts {
		shown = shown.And(sent(c, from, text))
	}
	return shown
}

// spared expects the result of a call in spite of cancellations that are not about it. A
// second call, which nobody disturbs, shows that there is one, and how long it takes; the options
// are its own.
func spared(c *probe.Client, w *work, when string, disturb func(*work) probe.Evidence, options ...probe.Option) error {
	reachable(c)
	running(c, w)
	given := disturb(w)
	if answer, came := w.Await(duration(c)+grace(c), w.Answers); came && done(answer) {
		return nil
	}
	c.NotSeenIf(c.Barrier().Died(), "the process ends at a cancellation, which cancellation/unknown-id-ignored and its neighbours judge")
	other := start(c, "kit-"+c.Nonce(), options...)
	plain, came := other.MustAwait(patience(c), other.Answers)
	c.UndecideIf(!came || !done(plain), "a call that nobody disturbs gets no result either")
	answer, came := w.Await(0, w.Answers)
	if came && done(answer) {
		return nil
	}
	got, shown := "no answer", probe.Shown(w).And(given)
	if came {
		got, shown = "another answer", shown.And(probe.One(answer.Frame))
	}
	return shown.Violation("a call gets %s %s, and without that it gets a result, want its result", got, when)
}

// done reports whether an answer is a result that is not marked as an error.
func done(answer probe.Seen) bool {
	failed, _ := answer.Message().At("/result/isError")
	return answer.Message().Class == frame.Result && failed != true
}
