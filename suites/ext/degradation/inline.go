package degradation

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func inline() []suite.Case {
	var cases []suite.Case
	for _, f := range features() {
		if !slices.Contains([]string{"intent", "idempotency", "session-state"}, f.extension) {
			continue // no client sends those beside name and arguments
		}
		cases = append(cases, bench.Case("ext-degradation/unclaimed-params-"+f.extension,
			"a server without "+f.extension+" ignores its properties beside arguments, or rejects them as invalid params",
			"ext-degrade-unclaimed-inline",
			"read name and arguments of tools/call and ignore what stands beside them, or answer error -32602", f.beside,
			suite.Role(roles.ReadOnlyTool)))
	}
	return append(cases, suite.Case{
		ID:     "ext-degradation/params-refusal-clear",
		Title:  "a server that rejects a property beside arguments names it",
		Checks: []requirements.ID{"ext-degrade-rejection-clear"},
		Needs:  []suite.Need{suite.Role(roles.ReadOnlyTool)},
		Fix:    "name the property in the message of the error",
		Run:    besideRefused,
	})
}

func (f feature) beside(c *probe.Client) error {
	lacking(c, f.extension)
	values := f.values(c).Without("idempotency_ttl_seconds")
	s := attempt(c, values)
	if s.broken == nil {
		return s.same(values)
	}
	code, _ := s.broken.Code()
	named := tells(s.broken, append(keys(values), f.extension))
	switch missed := s.misses(); {
	case named && refused(s.broken):
		return nil
	case missed != "":
		return s.broken.Violation("%s, which complains of the argument %s that was sent, "+
			"want the result as without, or error -32602", s.broken.AnswerTo("tools/call with params."+listed(values)), missed)
	case code == protocol.InvalidParams:
		return nil
	}
	return s.broken.Violation("%s, want the result as without, or error -32602", s.broken.AnswerTo("tools/call with params."+listed(values)))
}

// misses is an argument of the call that the refusal speaks of.
func (s *attempted) misses() string {
	for _, name := range keys(s.call.Arguments) {
		if tells(s.broken, []string{name}) {
			return name
		}
	}
	return ""
}

// same expects the answer that the call has without the properties: another one is
// that to other arguments. An answer that changes with time or by chance shows
// nothing, nor does one that changes with each call, such as those of replicas which
// take turns: two calls without the properties, one after the other, are answered
// alike, and one more with them as the first.
func (s *attempted) same(values probe.Object) error {
	var answers [3]any
	with, replies := own(s.reply), []probe.Evident{s.reply}
	for i, beside := range []probe.Object{nil, nil, values} {
		reply := s.client.CallTool(s.call, beside)
		if !done(reply) {
			return nil
		}
		answers[i] = own(reply)
		if i == 0 && probe.Same(with, answers[0]) {
			return nil
		}
		replies = append(replies, reply)
	}
	if !probe.Same(answers[0], answers[1]) || !probe.Same(with, answers[2]) {
		return nil
	}
	return probe.Shown(replies[0], replies[1]).Violation("the answer to tools/call with params.%s is %s, want %s as without it: "+
		"the arguments look lost", listed(values), probe.Show(with), probe.Show(answers[0]))
}

func own(reply *probe.Reply) any {
	result, _ := reply.Result()
	return proposal.Steady(probe.Payload(result))
}

// besideRefused sends all of them at once. What the server has shows in the cases of
// those extensions.
func besideRefused(c *probe.Client) error {
	values, words := probe.Object{}, []string{}
	for _, f := range features() {
		if proposal.Offers(c, f.extension) {
			continue
		}
		for name, value := range f.values(c) {
			values[name] = value
		}
		words = append(words, f.extension)
	}
	if len(values) == 0 {
		c.NotSeen("the server has all of these extensions")
	}
	s := attempt(c, values)
	switch {
	case s.broken == nil:
		c.NotSeen("nothing is refused: properties beside the arguments are ignored")
	case !refused(s.broken) || s.misses() != "":
		c.NotSeen("the properties are not rejected by name, the answer is " + s.broken.Outcome())
	case tells(s.broken, slices.Concat(keys(values), words)):
		return nil
	}
	return s.broken.Violation("the refusal of %s beside the arguments is %s, want one that names what is refused",
		listed(values), s.broken.Outcome())
}
