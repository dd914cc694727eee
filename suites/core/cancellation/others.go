package cancellation

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
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
				return spared(c, "names another request", func(w *work) []string {
					unknown := []string{cancels(`"no-such-` + c.Nonce() + `"`)}
					if id := w.ID(); !strings.HasPrefix(id, `"`) {
						unknown = append(unknown, cancels(`"`+id+`"`))
					}
					return unknown
				})
			},
		},
		{
			ID:     "cancellation/malformed-spares-calls",
			Title:  "a call continues when a cancellation names no request",
			Checks: []requirements.ID{"cancellation-malformed-ignored"},
			Fix:    "ignore a cancellation without a requestId that is a string or an integer",
			Run: func(c *probe.Client) error {
				return spared(c, "names no request", func(*work) []string {
					return []string{probe.NotificationText(method, probe.Object{"reason": "kit"}), cancels("null")}
				})
			},
		},
	}
	for i := range cases {
		cases[i].Needs = []suite.Need{suite.Role(roles.SlowTool)}
		cases[i].Lane, cases[i].Contends, cases[i].Observes = suite.Waits, true, roles.SlowTool
	}
	return cases
}

// spared expects the result of a call in spite of cancellations that are not about it. A
// second call, which nobody disturbs, shows that there is one, and how long it takes.
func spared(c *probe.Client, which string, texts func(*work) []string) error {
	reachable(c)
	w := start(c, "kit-"+c.Nonce())
	running(c, w)
	from := c.Mark()
	given := texts(w)
	for _, text := range given {
		c.Send(text)
	}
	if answer, came := w.Await(duration(c)+grace(c), w.Answers); came && done(answer) {
		return nil
	}
	c.NotSeenIf(c.Barrier().Died(), "the process ends at a cancellation, which cancellation/unknown-id-ignored and its neighbours judge")
	other := start(c, "kit-"+c.Nonce())
	plain, came := other.Await(patience(c), other.Answers)
	c.UndecideIf(!came || !done(plain), "a call that nobody disturbs gets no result either")
	answer, came := w.Await(0, w.Answers)
	if came && done(answer) {
		return nil
	}
	shown := probe.Shown(w)
	for _, text := range given {
		shown = shown.And(sent(c, from, text))
	}
	got := "no answer"
	if came {
		got, shown = "another answer", shown.And(probe.One(answer.Frame))
	}
	return shown.Violation("a call gets %s after a cancellation that %s, and without one it gets a result, want its result", got, which)
}

// done reports whether an answer is a result that is not marked as an error.
func done(answer probe.Seen) bool {
	failed, _ := answer.Message().At("/result/isError")
	return answer.Message().Class == frame.Result && failed != true
}
