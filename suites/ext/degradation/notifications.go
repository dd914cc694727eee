package degradation

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// notifications send methods of extensions without an id. Over HTTP the newest
// revisions have no notifications of the client.
func notifications() []suite.Case {
	var cases []suite.Case
	for _, n := range []struct {
		slug, method string
		params       func(c *probe.Client) probe.Object
	}{
		{"transaction-begin", "transaction/begin", func(c *probe.Client) probe.Object {
			return probe.Object{"transaction_id": "kit-" + c.Nonce(), "timeout_seconds": 5}
		}},
		{"events-unsubscribe", "events/unsubscribe", func(c *probe.Client) probe.Object {
			return probe.Object{"subscription_id": "kit-" + c.Nonce()}
		}},
	} {
		older := suite.Case{
			ID:        "ext-degradation/notification-" + n.slug,
			Title:     n.method + " without an id gets no answer",
			Checks:    []requirements.ID{"ext-degrade-notification-silent"},
			Revisions: protocol.Handshake(),
			Fix:       "take a message without an id as a notification, and ignore one that you do not know",
			Run:       func(c *probe.Client) error { return silent(c, n.method, n.params(c)) },
		}
		newer := older
		newer.ID, newer.Title = older.ID+"-on-stdio", older.Title+", over stdio"
		newer.Revisions, newer.Needs = protocol.Stateless(), []suite.Need{suite.Over(requirements.Stdio)}
		cases = append(cases, older, newer)
	}
	return cases
}

func silent(c *probe.Client, method string, params probe.Object) error {
	c.Quiet()
	from := c.Mark()
	c.Notify(method, c.Params(params))
	c.Cleanup(func() { ended(c, method, params) })
	c.AwaitEnds(from)
	behind := c.Barrier()
	if !behind.Answered() {
		return shown(c, from).And(behind).Violation("%s, want a result", behind.AnswerTo(behind.Method+" behind the notification "+method))
	}
	c.Settle(from)
	strays := c.Strays(from)
	if len(strays) == 0 {
		return nil
	}
	// One that answers whatever has no id has another trouble.
	mark := c.Mark()
	c.Notify("kit.nobody/"+c.Nonce(), c.Params(nil))
	c.Settle(mark)
	if len(c.Strays(mark)) > 0 {
		c.NotSeen("any unknown notification is answered; jsonrpc/unknown-notification-unanswered judges that")
	}
	return shown(c, from).And(probe.One(strays[0].Frame)).Violation("%s without an id is answered, want no response", method)
}

// shown is what was sent first after the mark.
func shown(c *probe.Client, from probe.Mark) probe.Evidence {
	for _, s := range c.Since(from) {
		if s.Dir == frame.Sent {
			return probe.One(s.Frame)
		}
	}
	return nil
}

// ended takes back a transaction that the server may have begun.
func ended(c *probe.Client, method string, params probe.Object) {
	if method == proposal.BeginTransaction().Name && proposal.Offers(c, "transactions") {
		proposal.RollbackTransaction().Ask(c, params.Without("timeout_seconds"))
	}
}
