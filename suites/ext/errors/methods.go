package errors

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// errorsRecorded expects a record on the error for an unknown tool, and on those of the methods of
// extensions that the server claims, called with params that they reject. A method that the server has in
// no form, or that answers with a result or an internal error, shows nothing: its page judges that.
func errorsRecorded(c *probe.Client) error {
	c.Must(told(unknownTool, false)(c))
	for _, provoke := range []func(*probe.Client) proposal.Answer{
		unknownCommit, unknownTransaction, toolless, scopeless, unknownOperation,
	} {
		var answer proposal.Answer
		if c.Try(func() { answer = provoke(c) }) != nil || answer.Unknown || answer.Message().Class != frame.Error ||
			answer.HasCode(protocol.InternalError) {
			continue
		}
		if _, ok := of(c, answer.Reply); !ok {
			return answer.Violation("the error of %s has no record in any place, want one in data", answer.Method)
		}
	}
	return nil
}

// ask calls a method of an extension that the server claims; others are not called.
func ask(c *probe.Client, m proposal.Method, params probe.Object) proposal.Answer {
	claimed, declared := claims(c, m.Extension)
	if !claimed {
		return proposal.Answer{Unknown: true}
	}
	m.Claimed = declared
	return m.Ask(c, params)
}

// claims reports whether the server claims an extension, and whether its capabilities declare the extension. The
// suite of the extension need not be among those that run.
func claims(c *probe.Client, extension string) (claimed, declared bool) {
	_, claimed = c.Survey().Claims[extension]
	settings := probe.ObjectOf(c.Survey().Capabilities["extensions"])[proposal.Extension(extension).Key()]
	declared = probe.ObjectOf(settings) != nil
	return claimed || declared, declared
}

func unknownTransaction(c *probe.Client) proposal.Answer {
	return ask(c, proposal.RollbackTransaction(), probe.Object{"transaction_id": "kit-" + c.Nonce()})
}

func toolless(c *probe.Client) proposal.Answer {
	return ask(c, proposal.CheckPermission(), probe.Object{})
}

func scopeless(c *probe.Client) proposal.Answer {
	return ask(c, proposal.NegotiateScopes(), probe.Object{})
}

// The methods below are called by their canonical names alone: other cases learn in which form the server has
// them. A transaction/step is not among them: no step is sent unless the configuration names one.
func unknownCommit(c *probe.Client) proposal.Answer {
	return canonical(c, "transactions", "transaction/commit", probe.Object{"transaction_id": "kit-" + c.Nonce()})
}

func unknownOperation(c *probe.Client) proposal.Answer {
	return canonical(c, "streaming", "resume", probe.Object{"operation_id": "kit-op-" + c.Nonce(), "checkpoint_token": "kit-" + c.Nonce()})
}

func canonical(c *probe.Client, extension, method string, params probe.Object) proposal.Answer {
	if claimed, _ := claims(c, extension); !claimed {
		return proposal.Answer{Unknown: true}
	}
	reply := c.Call(method, params)
	return proposal.Answer{Reply: reply, Unknown: reply.HasCode(protocol.MethodNotFound)}
}
