package completion

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// declaredCases hold the capability against what the server does.
func declaredCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "completion/capability-declared",
			Title:  "a server that suggests values declares completions",
			Checks: []requirements.ID{"completion-capability-declared"},
			Fix:    "declare the completions capability, or answer error -32601 to completion/complete",
			Run:    capabilityDeclared,
		},
		{
			ID:     "completion/unsupported",
			Title:  "completion/complete is an unknown method where completions is not declared",
			Checks: []requirements.ID{"completion-unsupported"},
			Fix:    "answer error -32601 to completion/complete, or declare the completions capability",
			Run:    unsupported,
		},
	}
}

func undeclared(c *probe.Client) {
	c.NotSeenIf(c.Survey().Declares("completions"), "the server declares completions")
	c.NotSeenIf(probe.Misdeclared(c.Survey().Capabilities, "completions"),
		"the capabilities are not what the rules on their shape want, so that nobody can tell what is declared")
}

func capabilityDeclared(c *probe.Client) error {
	undeclared(c)
	for _, s := range served(c) {
		if n := len(s.values()); n > 0 {
			return s.reply.Violation("%d values are suggested and the server does not declare completions, want the capability declared", n)
		}
	}
	c.Note("completion/complete is answered without values, and completions is not declared")
	return nil
}

// unsupported leaves suggestions to the rule on the capability. Without a list the request
// names what does not exist: the method comes first.
func unsupported(c *probe.Client) error {
	undeclared(c)
	var reply *probe.Reply
	if all := suggestions(c); len(all) > 0 {
		reply = all[0].reply
	} else {
		nothing := argument{probe.Object{"type": "ref/prompt", "name": "no-such-" + c.Nonce()}, "of"}
		reply = nothing.ask(c, "", nil)
	}
	c.NotSeenIf(len(valuesOf(reply)) > 0, "the server suggests values without declaring completions, which is another rule's")
	switch {
	case reply.Served() && !protocol.UndeclaredUnknown().At(c.Revision()):
		c.Note("completion/complete is answered with a result, and completions is not declared")
		return nil
	case !reply.Answered() && reply.Refused():
		return nil // over HTTP by the status alone
	}
	c.UndecideIf(!reply.Answered(), "the answer to completion/complete is "+reply.Outcome())
	return reply.WantError(protocol.MethodNotFound)
}
