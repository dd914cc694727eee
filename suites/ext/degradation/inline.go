package degradation

import (
	"slices"
	"strings"

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
	case named && proposal.Declined(s.broken):
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
// alike, one more with them as the first, and one without them as these two.
func (s *attempted) same(values probe.Object) error {
	var answers [4]any
	with, replies := proposal.Lasting(s.reply), []probe.Evident{s.reply}
	for i, beside := range []probe.Object{nil, nil, values, nil} {
		reply := s.client.CallTool(s.call, beside)
		if !reply.Succeeded() {
			return nil
		}
		answers[i] = proposal.Lasting(reply)
		if i == 0 && probe.Same(with, answers[0]) {
			return nil
		}
		replies = append(replies, reply)
	}
	if !probe.Same(answers[0], answers[1]) || !probe.Same(with, answers[2]) || !probe.Same(answers[0], answers[3]) {
		return nil
	}
	return probe.Shown(replies[0], replies[1]).Violation("the answer to tools/call with params.%s is %s, want %s as without it: "+
		"the arguments look lost", listed(values), probe.Show(with), probe.Show(answers[0]))
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
	c.NotSeenIf(len(values) == 0, "the server has all of these extensions")
	s := attempt(c, values)
	switch {
	case s.broken == nil:
		c.NotSeen("nothing is refused: properties beside the arguments are ignored")
	case !proposal.Declined(s.broken) || s.misses() != "":
		c.NotSeen("the properties are not rejected by name, the answer is " + s.broken.Outcome())
	case tells(s.broken, slices.Concat(keys(values), words)):
		return nil
	}
	return s.broken.Violation("the refusal of %s beside the arguments is %s, want one that names what is refused",
		listed(values), s.broken.Outcome())
}

func meta() []suite.Case {
	cases := []suite.Case{
		bench.Case("ext-degradation/unknown-meta-list", "tools/list ignores a _meta property that nobody knows", "ext-degrade-unknown-meta",
			"read the _meta properties that you know and ignore all others", unknownMetaList, suite.Capability("tools")),
		bench.Case("ext-degradation/unknown-meta-call", "tools/call ignores a _meta property that nobody knows", "ext-degrade-unknown-meta",
			"read the _meta properties that you know and ignore all others; never pass _meta on as arguments", unknownMetaCall,
			suite.Role(roles.ReadOnlyTool)),
	}
	for _, f := range features() {
		cases = append(cases, bench.Case("ext-degradation/unclaimed-meta-"+f.extension,
			"a server without "+f.extension+" ignores the _meta properties of that extension", "ext-degrade-unknown-meta",
			"ignore the _meta properties of extensions that you do not have", f.inMeta, suite.Role(roles.ReadOnlyTool)))
	}
	return cases
}

// A feature is what an extension adds to a tools/call.
type feature struct {
	extension string
	values    func(c *probe.Client) probe.Object
}

func features() []feature {
	id := func(c *probe.Client) string { return "kit" + c.Nonce() }
	return []feature{
		{"intent", func(*probe.Client) probe.Object { return probe.Object{"intent": "See what this server can do"} }},
		{"permissions", func(c *probe.Client) probe.Object { return probe.Object{"session_token": id(c)} }},
		{"idempotency", func(c *probe.Client) probe.Object {
			return probe.Object{"idempotency_key": id(c), "idempotency_ttl_seconds": 60}
		}},
		{"transactions", func(c *probe.Client) probe.Object {
			return probe.Object{"transaction_id": id(c), "step_id": "read"}
		}},
		{"confirmation", func(c *probe.Client) probe.Object {
			return probe.Object{"confirmation_token": id(c), "user_confirmed": true}
		}},
		{"progress", func(c *probe.Client) probe.Object { return probe.Object{"operation_id": id(c)} }},
		{"streaming", func(*probe.Client) probe.Object { return probe.Object{"stream": true} }},
		{"multimodal", func(*probe.Client) probe.Object { return probe.Object{"content_type": "application/json"} }},
		{"session-state", func(c *probe.Client) probe.Object { return probe.Object{"session_state": id(c)} }},
	}
}

// nobodys is a key under which nobody has defined anything.
const nobodys = "com.example.kit/unknown"

func foreign(nonce string) probe.Object {
	return probe.Object{nobodys: probe.Object{"note": nonce, "list": []int{1, 2}}}
}

func unknownMetaList(c *probe.Client) error {
	method := protocol.Tools().Method
	ask := func(with bool) *probe.Reply {
		if with {
			return c.Call(method, probe.Object{"_meta": foreign(c.Nonce())})
		}
		return c.Call(method, nil)
	}
	reply := ask(true)
	if reply.Succeeded() {
		return nil
	}
	broken := reply.Violation("%s, want the result as without it", reply.AnswerTo(method+" with the _meta property "+nobodys))
	if !reply.Died() {
		without, again := askedAgain(ask)
		switch {
		case !without.Succeeded():
			c.NotSeen(method + " has no result without the property either; tools/list-answered judges that")
		case again.Succeeded():
			c.Undecide(method + " fails now and then: " + reply.Outcome())
		}
	}
	c.NotSeenIf(strict(c, reply), strictly)
	return broken
}

const strictly = "a plain request with other keys in _meta is refused as well; meta/foreign-keys judges that"

// strict reports whether a server that has no good answer to some _meta property has none
// to any: not even a plain request may have one. A server that has ended is asked again on
// another connection.
func strict(c *probe.Client, reply *probe.Reply) bool {
	if reply.Died() {
		c = c.Opened()
	}
	return !c.Call(c.PlainMethod(), probe.Object{"_meta": protocol.ForeignMeta()}).Succeeded()
}

func unknownMetaCall(c *probe.Client) error {
	nonce := c.Nonce()
	s := attempt(c, probe.Object{"_meta": foreign(nonce)})
	if s.broken != nil {
		c.NotSeenIf(strict(c, s.broken), strictly)
		return s.broken.Violation("%s, want the result as without it", s.broken.AnswerTo("tools/call with the _meta property "+nobodys))
	}
	return echoes(s, nonce)
}

// echoes looks for what stood in _meta in the tool's own answer. A tool that shows
// the request it got, for people to look at, shows what everybody knows as well.
func echoes(s *attempted, nonce string) error {
	shows := func(reply *probe.Reply, text string) bool {
		result, _ := reply.Result()
		return strings.Contains(probe.JSON(probe.Object(result).Without("_meta")), text)
	}
	if !shows(s.reply, nonce) {
		return nil
	}
	known := "kit" + s.client.Nonce()
	reply := s.client.CallTool(s.call, probe.Object{"_meta": probe.Object{protocol.MetaProgress: known}})
	if shows(reply, known) {
		s.client.Note("the tool shows the _meta of its request")
		return nil
	}
	return s.reply.Violation("$.result has the value of the _meta property %s of the request, want a result that does not depend on it",
		nobodys).AtMostWarn()
}

// inMeta sends what the extension adds under both keys that clients use.
func (f feature) inMeta(c *probe.Client) error {
	lacking(c, f.extension)
	values := f.values(c)
	both := probe.Object{}
	for name, value := range values {
		both[name], both[protocol.ProposalPrefix+name] = value, value
	}
	s := attempt(c, probe.Object{"_meta": both})
	if s.broken == nil {
		return nil
	}
	v := s.broken.Violation("%s, want the result as without", s.broken.AnswerTo("tools/call with "+listed(values)+" in _meta"))
	c.NotSeenIf(strict(c, s.broken), strictly)
	if s.broken.Died() {
		return v // there is nothing left to compare with
	}
	c.NotSeenIf(attempt(c, probe.Object{"_meta": foreign(c.Nonce())}).broken != nil,
		"any unknown _meta property is refused; ext-degradation/unknown-meta-call judges that")
	if proposal.Declined(s.broken) && tells(s.broken, append(keys(values), f.extension)) {
		return v.AtMostWarn()
	}
	return v
}
