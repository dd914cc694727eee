package progress

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// tokenCases call a tool with tokens of each type.
func tokenCases() []suite.Case {
	var cases []suite.Case
	for _, row := range tokens() {
		cases = append(cases, suite.Case{
			ID:     "progress/" + row.slug,
			Title:  "progress of a request whose token is " + row.words + " has the same token",
			Checks: []requirements.ID{"progress-token-type-kept"},
			Needs:  []suite.Need{reporting.Need()},
			Trial:  trials,
			Fix:    "accept strings and integers as progressToken, keep the JSON value, and write it into each notification",
			Run:    func(c *probe.Client) error { return tokenKept(c, row.slug) },
		})
	}
	return cases
}

type token struct {
	slug, words string
	made        func(*probe.Client) any
}

// tokens differ also where their types are left aside.
func tokens() []token {
	always := func(value any) func(*probe.Client) any { return func(*probe.Client) any { return value } }
	return []token{
		{"token-string", "a string", func(c *probe.Client) any { return "kit-" + c.Nonce() }},
		{"token-digits", "a string of digits", func(c *probe.Client) any { return "9" + digits(c) }},
		{"token-integer", "an integer", func(c *probe.Client) any { return json.Number("8" + digits(c)) }},
		{"token-zero", "the number 0", always(0)},
		{"token-empty", "an empty string", always("")},
	}
}

// digits are nine digits from the seed.
func digits(c *probe.Client) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, c.Nonce())
	return fmt.Sprintf("%09d", h.Sum32()%1_000_000_000)
}

// The calls with each token are one trial.
const trials = "progress:tokens"

// A trial is one call of a tool that reports progress, and what was reported.
type trial struct {
	token any
	reply *probe.Reply
	told  []heard
}

// A heard is a notification with the token of a trial, perhaps as a value of another type.
type heard struct {
	token any
	in    frame.Frame
}

// tried makes the calls once for the connection, all at the same time: a tool that reports
// progress takes its time. One more call has no token, and runs alone: progress/unasked
// judges what comes for it.
func tried(c *probe.Client) []trial {
	return probe.Once(c, trials, func() ([]trial, bool) {
		tool, from := reporting.Call(c), c.Mark()
		var all []trial
		var pending []*probe.Pending
		for _, row := range tokens() {
			t := trial{token: row.made(c)}
			all = append(all, t)
			pending = append(pending, c.StartTool(tool, asking(t.token)))
		}
		for i := range all {
			all[i].reply = pending[i].Reply()
		}
		c.CallTool(tool, nil)
		c.Settle(from)
		for _, s := range c.Since(from) {
			hear(all, s)
		}
		return all, true
	})
}

func asking(token any) probe.Object {
	return probe.Object{"_meta": probe.Object{protocol.MetaProgress: token}}
}

func hear(all []trial, s probe.Seen) {
	if s.Dir == frame.Sent || s.Kind != frame.KindMessage {
		return
	}
	for _, m := range probe.Singles(s.Message()) {
		given, _ := m.At("/params/progressToken")
		for i := range all {
			if m.Method == method && given != nil && plain(given) == plain(all[i].token) {
				all[i].told = append(all[i].told, heard{given, s.Frame})
			}
		}
	}
}

// tokenKept passes over a call without progress: a server need not report any.
func tokenKept(c *probe.Client, slug string) error {
	all := tried(c)
	own := slices.IndexFunc(tokens(), func(row token) bool { return row.slug == slug })
	t := all[own]
	for _, got := range t.told {
		if !probe.Same(got.token, t.token) {
			return probe.Shown(t.reply, probe.One(got.in)).Violation("$.params.progressToken is %s, want %s as the request has it",
				probe.Show(got.token), probe.Show(t.token))
		}
	}
	other := slices.IndexFunc(all, func(o trial) bool { return o.reply.Served() })
	if t.reply.Refused() && other >= 0 {
		c.Must(rejected(c, tokens()[own], tokens()[other]))
		c.NotSeen("the tool rejects some calls, whatever their token")
	}
	if told := slices.IndexFunc(all, func(o trial) bool { return o.reply.Served() && len(o.told) > 0 }); len(t.told) == 0 && told >= 0 {
		c.Must(passedOver(c, tokens()[own], tokens()[told]))
	}
	c.NotSeenIf(len(t.told) == 0, "the tool reports no progress under that token")
	return nil
}

// rejected compares tokens call by call: a server may bear few calls at the same time, or in a second.
func rejected(c *probe.Client, own, other token) error {
	var last *probe.Reply
	var given, taken any
	for _, row := range []token{own, other, other, own, own, other} {
		made := row.made(c)
		reply := c.CallTool(reporting.Call(c), asking(made))
		switch {
		case row.slug == own.slug && reply.Refused():
			last, given = reply, made
		case row.slug == other.slug && reply.Served():
			taken = made
		default:
			return nil
		}
	}
	return last.Violation("a call with the progressToken %s is rejected, and one with %s is not, want a result",
		probe.Show(given), probe.Show(taken))
}

// passedOver compares tokens call by call: a server may report progress now and then. Since
// it need not report any, this is worth a warning at most.
func passedOver(c *probe.Client, own, other token) error {
	var shown probe.Evidence
	tool := reporting.Call(c)
	for _, row := range []token{own, other, other, own, own, other} {
		from := c.Mark()
		one := []trial{{token: row.made(c)}}
		reply := c.CallTool(tool, asking(one[0].token))
		c.Settle(from)
		for _, s := range c.Since(from) {
			hear(one, s)
		}
		if told := len(one[0].told) > 0; !reply.Served() || told != (row.slug == other.slug) {
			return nil
		}
		if len(shown) < 2 {
			shown = shown.And(reply)
		}
	}
	return shown.Violation("three calls whose progressToken is %s get no progress, and three whose token is %s get some, want it for both",
		own.words, other.words).AtMostWarn()
}

// askingCases watch whom progress is reported to.
func askingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "progress/known-token",
			Title:  "progress has the token of a request",
			Checks: []requirements.ID{"progress-only-active-tokens"},
			Fix: "report progress only under the progressToken of the request that is being worked on, and keep the token with that request, " +
				"not in a variable that all requests or sessions share",
			Sees:  "progress",
			Watch: func() probe.Watcher { return probe.WatchFunc(knownToken) },
		},
		{
			ID:     "progress/unasked",
			Title:  "a request without a progressToken gets no progress",
			Checks: []requirements.ID{"progress-no-token-no-progress"},
			Fix:    "send progress only for requests with _meta.progressToken, and make up no token",
			Sees:   "a call without a progressToken, of a tool that reports progress when asked",
			Watch:  func() probe.Watcher { return probe.WatchFunc(unasked) },
		},
	}
}

// knownToken leaves made-up tokens to unasked where no request asked for progress. Over
// HTTP it passes over streams that answer no request: they may resume the stream of
// another connection.
func knownToken(s *probe.WatchedFrame) probe.Opinion {
	said, b := probe.Nothing(), bookOf(s)
	for _, t := range b.told {
		open, asked := b.asks(s.Seen)
		switch {
		case b.given(t.token):
			said = said.And(probe.Kept())
		case open && !asked, s.Transport == requirements.HTTP && !open:
		default:
			said = said.And(probe.Breaks("%s is %s, which no request on this connection has, want the token of an open request",
				t.Where("/params/progressToken"), probe.Show(t.token)).Unless(moved()))
		}
	}
	return said
}

// unasked passes over calls that fail: they may never come to the point where the tool reports.
func unasked(s *probe.WatchedFrame) probe.Opinion {
	said, b := probe.Nothing(), bookOf(s)
	for _, c := range b.ended {
		if c.token == nil && c.tool != "" && !c.failed && b.reports[c.tool] {
			said = said.And(probe.Kept())
		}
	}
	for _, t := range b.told {
		if open, asked := b.asks(s.Seen); open && !asked && !b.given(t.token) {
			said = said.And(probe.Breaks("progress comes under the token %s while no request asks for it, want none", probe.Show(t.token)).
				Unless(moved()).Unless(probe.Elsewhere{Case: "progress/known-token", Why: "progress comes under a token that no request has"}))
		}
	}
	return said
}

// moved is the cause where the progress of calls whose streams were closed comes to others.
func moved() probe.Elsewhere {
	return probe.Elsewhere{
		Case: "cancellation/disconnect-silent-elsewhere", Why: "messages of a call come on another stream after its own was closed",
	}
}
