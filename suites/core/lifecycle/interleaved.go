package lifecycle

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A conversation is one of several clients on the connection.
type conversation struct {
	name, method string
	meta         probe.Object
	reply        *probe.Reply
}

// interleaved lets four clients send a request at once. Each answer has to fit the method
// of its request, and progress may be reported only for tokens that the clients gave.
func interleaved(c *probe.Client) error {
	plain := c.PlainMethod()
	usual := c.Call(plain, nil)
	if usual.WantResult() != nil {
		c.NotSeen(plain + " is not served by itself either")
	}
	mark := c.Mark()
	all := conversations(plain)
	askAtOnce(c, all)
	for _, each := range all {
		c.Must(each.reply.WantResult())
		asked, _ := protocol.MethodOf(protocol.Client, each.method)
		if _, own := each.reply.At("/result/" + asked.Holds); !own {
			return each.reply.Violation("the answer to %s of the client %q has no %s", each.method, each.name, asked.Holds)
		}
	}
	return tokensKept(c, mark, all)
}

func conversations(plain string) []*conversation {
	const discovery = "server/discover"
	all := []*conversation{
		{method: plain, name: "first", meta: probe.Object{protocol.MetaProgress: "first"}},
		{method: discovery, name: "second", meta: probe.Object{protocol.MetaCapabilities: probe.Object{"elicitation": probe.Object{}}}},
		{method: plain, name: "third", meta: probe.Object{protocol.MetaProgress: 3, protocol.MetaLogLevel: "error"}},
		{method: discovery, name: "fourth", meta: probe.Object{protocol.MetaCapabilities: probe.Object{}}},
	}
	for _, each := range all {
		each.meta[protocol.MetaClientInfo] = probe.Object{"name": each.name, "version": "1"}
	}
	return all
}

func askAtOnce(c *probe.Client, all []*conversation) {
	asked := make([]*probe.Pending, len(all))
	for i, each := range all {
		asked[i] = c.Start(each.method, probe.Object{"_meta": each.meta})
	}
	for i, each := range all {
		each.reply = asked[i].Reply()
	}
}

func tokensKept(c *probe.Client, mark probe.Mark, all []*conversation) error {
	for _, s := range c.Since(mark) {
		if notification(s) != "notifications/progress" {
			continue
		}
		token := at(s, "/params/progressToken")
		given := func(each *conversation) bool { return probe.Same(token, each.meta[protocol.MetaProgress]) }
		if !slices.ContainsFunc(all, given) {
			return probe.Shown(s).Violation("$.params.progressToken is %s, which no client of this connection gave", probe.Show(token))
		}
	}
	return nil
}
