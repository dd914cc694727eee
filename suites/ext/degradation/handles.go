package degradation

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// handles look whether what one connection made can be used on another. Revisions
// with sessions may tie it to those.
func handles() []suite.Case {
	checks := []requirements.ID{"ext-degrade-no-session-need"}
	over := func(extension string) []suite.Need {
		return []suite.Need{suite.Over(requirements.HTTP), suite.Claim(extension)}
	}
	return []suite.Case{
		{
			ID:        "ext-degradation/transaction-on-any-connection",
			Title:     "a transaction can be ended on any connection",
			Checks:    checks,
			Needs:     over("transactions"),
			Revisions: protocol.Stateless(),
			Fix:       "keep transactions by their id and their owner, not by connection",
			Run:       transactionElsewhere,
		},
		{
			ID:        "ext-degradation/session-token-on-any-connection",
			Title:     "a session token is known on another connection than it was issued on",
			Checks:    checks,
			Needs:     over("permissions"),
			Revisions: protocol.Stateless(),
			Fix:       "keep session tokens by their text and their owner, not by connection",
			Run:       tokenElsewhere,
		},
	}
}

// twice asks with the handle on a further connection, and where it is refused there
// on the first one: only where it works here does a refusal there show something.
func twice(c *probe.Client, handle string, ask func(*probe.Client) *probe.Reply) error {
	other := c.Opened()
	there := ask(other)
	if good(there) {
		return nil
	}
	here := ask(c)
	if !good(here) {
		c.Undecide(handle + " is not good on its own connection either: " + here.Outcome())
	}
	return probe.Shown(there, here).Violation("%s got %s on another connection, want the result that it gets on its own",
		handle, there.Outcome())
}

// good reports whether a handle was taken, whatever the answer is.
func good(reply *probe.Reply) bool {
	_, _, failed := proposal.Record(reply)
	return done(reply) && !failed
}

func transactionElsewhere(c *probe.Client) error {
	c = c.Opened() // down to TCP, as the other one
	id := "kit-elsewhere-" + c.Nonce()
	begun := proposal.BeginTransaction().Ask(c, probe.Object{"transaction_id": id, "timeout_seconds": 10})
	if begun.Unknown || proposal.WantDone(begun.Reply) != nil {
		c.Undecide("transaction/begin got " + begun.Outcome())
	}
	return twice(c, "the transaction", func(c *probe.Client) *probe.Reply {
		return proposal.RollbackTransaction().Ask(c, probe.Object{"transaction_id": id}).Reply
	})
}

// A token of a session that grants nothing is as good as any: it is known or not.
func tokenElsewhere(c *probe.Client) error {
	c = c.Opened()
	given := proposal.NegotiateScopes().Ask(c, probe.Object{
		"requested_scopes": []string{}, "justification": "conformance run", "ttl_seconds": 300,
	})
	session, _ := given.Object["session"].(map[string]any)
	token, ok := session["token"].(string)
	if !ok || token == "" {
		c.NotSeen("no session was opened: " + given.Outcome())
	}
	params := probe.Object{
		"tool": proposal.SomeTool(c), "scopes_held": []string{}, "_meta": probe.Object{"session_token": token},
	}
	return twice(c, "the session token", func(c *probe.Client) *probe.Reply {
		return proposal.CheckPermission().Ask(c, params).Reply
	})
}
