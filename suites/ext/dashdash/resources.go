package dashdash

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Resources returns the cases of the objects of listed resources.
func Resources() suite.Suite {
	d := described{suite: "ext-dashdash-resources", list: protocol.Resources}
	agrees := bench.Case(d.suite+"/cache-agrees", "cacheDuration and ttlMs of a resource agree", "ext-dd-res-cache-agrees",
		"derive ttlMs and cacheDuration from one value, and say 0 in both for what changes at any time", cacheAgrees,
		suite.Capability("resources"))
	agrees.Revisions = protocol.Stateless()
	return suite.Suite{
		Name:      d.suite,
		Title:     "resources say how long they last and where else they are",
		Extension: proposal.Extension("dashdash-resources"),
		Cases: []suite.Case{
			d.objects("ext-dd-res-object", "give each resource of resources/list an object dashdash, or none"),
			d.each("types", "an object of a resource has resourceType, refreshable and cacheDuration", "ext-dd-res-types",
				"send resourceType as a string, refreshable as a boolean, and cacheDuration as an integer of seconds, at least 0", resourceTypes),
			d.each("equivalents", "an object of a resource says where the resource is on the web and in the API", "ext-dd-res-equivalents",
				"send webEquivalent as an absolute URL, and apiEquivalent as a method and a path", equivalents),
			agrees,
			bench.Observing(roles.StateChange, bench.Case(d.suite+"/unrefreshed", "a resource that is not refreshable does not change",
				"ext-dd-res-refreshable-true",
				"say refreshable true of a resource whose content changes", unrefreshed, suite.Capability("resources"), suite.Role(roles.StateChange))),
		},
	}
}

// unrefreshed reads before and after a call that changes something.
func unrefreshed(c *probe.Client) error {
	var fixed []probe.Item
	var before []*probe.Reply
	read := func(i probe.Item) *probe.Reply { return c.Call("resources/read", probe.Object{"uri": i.Key}) }
	for _, i := range probe.List(c, protocol.Resources()).All {
		value, _ := proposal.ItemBlock(i.Value)
		if probe.ObjectOf(value)["refreshable"] == false && i.Keyed && len(fixed) < c.Waits().Reads {
			fixed, before = append(fixed, i), append(before, read(i))
		}
	}
	c.NotSeenIf(len(fixed) == 0, "no resource says refreshable false")
	b := bench.New(c)
	b.ToolCall = c.Role(roles.StateChange).Call()
	bench.PlainlyRuns(c, roles.StateChange, b.MakeCall(bench.Call{Dialect: proposal.Bare}))
	compared := 0
	for n, i := range fixed {
		was, ok := before[n].At("/result/contents")
		again := read(i)
		is, still := again.At("/result/contents")
		if !ok || !still {
			continue // whether it can be read is judged elsewhere
		}
		if compared++; !probe.Same(was, is) {
			return i.Evidence().And(before[n], again).Violation(
				"the resource %s says refreshable false, and two reads differ, want the same content", probe.Show(i.Key))
		}
	}
	c.NotSeenIf(compared == 0, "no resource that says refreshable false could be read twice")
	return nil
}

func resourceTypes(c *probe.Client, i item) probe.Opinion {
	return probe.Fits(c.ExtensionProblem("dashdash", "Resource", i.Pointer+"/"+i.property, i.object), nil)
}

func equivalents(c *probe.Client, i item) probe.Opinion {
	_, web := i.get("webEquivalent")
	_, api := i.get("apiEquivalent")
	switch {
	case !web && !api:
		return probe.Breaks("%s has neither webEquivalent nor apiEquivalent, want one of them", i.Where(i.property))
	case !web:
		c.Note(i.Where(i.property) + " has no webEquivalent")
	case !api:
		c.Note(i.Where(i.property) + " has no apiEquivalent")
	}
	return i.fits(c, "URL", "webEquivalent").And(endpoint(c, i))
}

// cacheAgrees reads a sample of the resources that may be cached.
func cacheAgrees(c *probe.Client) error {
	items := probe.List(c, protocol.Resources())
	items.MustHaveSome()
	left, compared := c.Waits().Reads, 0
	for _, i := range items.All {
		value, property := proposal.ItemBlock(i.Value)
		seconds, ok := probe.NumberOf(probe.ObjectOf(value)["cacheDuration"])
		if !ok || seconds < 0 || !i.Keyed || left == 0 {
			continue
		}
		left--
		reply := c.Call("resources/read", probe.Object{"uri": i.Key})
		hint, _ := reply.At("/result/ttlMs")
		ttl, ok := probe.NumberOf(hint)
		if !ok {
			continue
		}
		compared++
		if ttl == 0 && seconds > 0 || ttl > seconds*1000 {
			return i.Evidence().And(reply).Violation("%s is %v seconds, and ttlMs of resources/read is %v milliseconds, want the same in both",
				i.Where(property, "cacheDuration"), seconds, ttl)
		}
	}
	c.NotSeenIf(compared == 0, "no resource has both cacheDuration and ttlMs")
	return nil
}
