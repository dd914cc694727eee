package degradation

import (
	"context"

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
func twice(ctx context.Context, c *probe.Client, handle string, ask func(*probe.Client) (*probe.Reply, error)) error {
	other, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	there, err := ask(other)
	if err != nil || good(there) {
		return err
	}
	here, err := ask(c)
	if err != nil {
		return err
	}
	if !good(here) {
		return probe.Undecide(handle + " is not good on its own connection either: " + here.Outcome())
	}
	return probe.Shown(there, here).Violation("%s got %s on another connection, want the result that it gets on its own",
		handle, there.Outcome())
}

// good reports whether a handle was taken, whatever the answer is.
func good(reply *probe.Reply) bool {
	_, _, failed := proposal.Record(reply)
	return done(reply) && !failed
}

func transactionElsewhere(ctx context.Context, c *probe.Client) error {
	c, err := c.Opened(ctx) // down to TCP, as the other one
	if err != nil {
		return err
	}
	id := "kit-elsewhere-" + c.Nonce()
	begun, err := proposal.BeginTransaction().Ask(ctx, c, probe.Object{"transaction_id": id, "timeout_seconds": 10})
	if err != nil {
		return err
	}
	if begun.Unknown || proposal.WantDone(begun.Reply) != nil {
		return probe.Undecide("transaction/begin got " + begun.Outcome())
	}
	return twice(ctx, c, "the transaction", func(c *probe.Client) (*probe.Reply, error) {
		ended, err := proposal.RollbackTransaction().Ask(ctx, c, probe.Object{"transaction_id": id})
		return ended.Reply, err
	})
}

// A token of a session that grants nothing is as good as any: it is known or not.
func tokenElsewhere(ctx context.Context, c *probe.Client) error {
	c, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	given, err := proposal.NegotiateScopes().Ask(ctx, c, probe.Object{
		"requested_scopes": []string{}, "justification": "conformance run", "ttl_seconds": 300,
	})
	if err != nil {
		return err
	}
	session, _ := given.Object["session"].(map[string]any)
	token, ok := session["token"].(string)
	if !ok || token == "" {
		return probe.NotSeen("no session was opened: " + given.Outcome())
	}
	params := probe.Object{
		"tool": proposal.SomeTool(c), "scopes_held": []string{}, "_meta": probe.Object{"session_token": token},
	}
	return twice(ctx, c, "the session token", func(c *probe.Client) (*probe.Reply, error) {
		checked, err := proposal.CheckPermission().Ask(ctx, c, params)
		return checked.Reply, err
	})
}
