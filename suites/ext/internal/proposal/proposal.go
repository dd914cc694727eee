// Package proposal holds what the extension proposals have in common: where
// their dialects put things, what counts as a refusal, and their schemas.
package proposal

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Prefix is the canonical prefix of keys that belong to the proposals.
const Prefix = protocol.ProposalPrefix

// SchemaProblem says how a value breaks a definition of an extension's schema;
// it is empty when it fits. The pointer says where the value stands in its
// message.
func SchemaProblem(c *probe.Client, extension, definition, pointer string, value any) string {
	return c.ExtensionProblem(extension, definition, pointer, value)
}

// Undeclared excuses that a server leaves out what is only for clients which declare an
// extension: without sessions, it cannot know what was declared in the handshake. It is
// nil where it can.
func Undeclared(c *probe.Client) {
	if c.Transport() != requirements.HTTP || !protocol.HasHandshake(string(c.Revision())) || c.Survey().Traits[probe.Sessions] {
		return
	}
	c.Undecide("the server has no sessions, and cannot know from this request that the client declared the extension")
}

// Declares reports whether the output schema of a listed tool has a property of
// this name: then such a property of its answers is the tool's own.
func Declares(c *probe.Client, tool, property string) bool {
	return declares(c.Survey(), tool, property)
}

func declares(s *probe.Survey, tool, property string) bool {
	for _, item := range s.Lists[protocol.Tools().Method] {
		if listed := object(item); listed["name"] == tool {
			_, ok := object(object(listed["outputSchema"])["properties"])[property]
			return ok
		}
	}
	return false
}
