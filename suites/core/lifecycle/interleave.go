package lifecycle

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A conversation is one client among several on the connection.
type conversation struct {
	list
	name  string
	meta  probe.Object
	reply *probe.Reply
}

// interleaved lets four clients ask at once. Each answer has to be that of its
// own method, and progress may only be reported under tokens that were given.
func interleaved(ctx context.Context, c *probe.Client) error {
	l := plainest(c)
	usual, err := c.Call(ctx, l.method, nil)
	if err != nil {
		return err
	}
	if usual.WantResult() != nil {
		return probe.NotSeen(l.method + " is not served by itself either")
	}
	mark := c.Mark()
	all := conversations(l)
	if err := askAtOnce(ctx, c, all); err != nil {
		return err
	}
	for _, each := range all {
		if err := each.reply.WantResult(); err != nil {
			return err
		}
		if _, own := each.reply.At("/result/" + each.member); !own {
			return each.reply.Violation("the answer to %s of the client %q has no %s", each.method, each.name, each.member)
		}
	}
	return tokensKept(c, mark, all)
}

func conversations(l list) []*conversation {
	discovery := list{method: "server/discover", member: "supportedVersions"}
	all := []*conversation{
		{list: l, name: "first", meta: probe.Object{"progressToken": "first"}},
		{list: discovery, name: "second", meta: probe.Object{probe.MetaCapabilities: probe.Object{"elicitation": probe.Object{}}}},
		{list: l, name: "third", meta: probe.Object{"progressToken": 3, "io.modelcontextprotocol/logLevel": "error"}},
		{list: discovery, name: "fourth", meta: probe.Object{probe.MetaCapabilities: probe.Object{}}},
	}
	for _, each := range all {
		each.meta[probe.MetaClientInfo] = probe.Object{"name": each.name, "version": "1"}
	}
	return all
}

func askAtOnce(ctx context.Context, c *probe.Client, all []*conversation) error {
	errs := make([]error, len(all))
	var asking sync.WaitGroup
	for i, each := range all {
		asking.Go(func() {
			each.reply, errs[i] = c.Call(ctx, each.method, probe.Object{"_meta": each.meta})
		})
	}
	asking.Wait()
	return errors.Join(errs...)
}

func tokensKept(c *probe.Client, mark probe.Mark, all []*conversation) error {
	for _, s := range c.Since(mark) {
		if notification(s) != "notifications/progress" {
			continue
		}
		token := at(s, "/params/progressToken")
		if !slices.ContainsFunc(all, func(each *conversation) bool { return probe.Same(token, each.meta["progressToken"]) }) {
			return s.Break("$.params.progressToken is " + probe.Show(token) + ", which no client of this connection gave")
		}
	}
	return nil
}
