package errors

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func undeclared() []suite.Case {
	return []suite.Case{
		provoked("plain-client-reads-failure", "a client that does not declare the extension is told of a tool that fails",
			"ext-error-readable-without",
			"add the record to the error of the protocol, never put it in its place", readable(failingTool), suite.Role(roles.Failure, "tool")),
		provoked("plain-client-reads-error", "a client that does not declare the extension gets the error for an unknown tool",
			"ext-error-readable-without",
			"keep code and message of the JSON-RPC error whether or not data holds a record", readable(unknownTool), suite.Capability("tools")),
	}
}

// readable makes a case of something that fails: a client that knows nothing of the
// extension has to see that it did, and read why.
func readable(provoke func(*probe.Client) *probe.Reply) func(*probe.Client) error {
	return func(c *probe.Client) error {
		// What does not fail at all says nothing about plain clients.
		with := provoke(c)
		if with.Message().Class != frame.Error && !with.ErrorFlag() {
			c.Undecide("there is no failure to compare with: " + with.Outcome())
		}
		plain := c.Undeclared()
		reply := provoke(plain)
		shown := probe.Shown(with, reply)
		_, coded := reply.Code()
		message, _ := reply.At("/error/message")
		text, _ := message.(string)
		switch {
		case reply.Message().Class == frame.Error && (!coded || strings.TrimSpace(text) == ""):
			return shown.Violation("without the declaration $.error is %s, want an integer code and a message",
				probe.Show(reply.Message().Members["error"]))
		case reply.Message().Class == frame.Error:
			return nil
		case !reply.ErrorFlag():
			return shown.Violation("%s, want isError, or a JSON-RPC error", reply.AnswerTo("the same call without the declaration"))
		case strings.TrimSpace(reply.TextContent()) == "":
			return shown.Violation("without the declaration $.result has isError and no text, want what went wrong")
		}
		return nil
	}
}
