package lists

import (
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// announced are the cases on notifications that the list has changed, whatever made
// it change.
func (l list) announced(r Rules) []suite.Case {
	changed, _ := protocol.NotificationOf("notifications/" + l.Capability + "/list_changed")
	return []suite.Case{
		{
			ID:     l.id("list-changed-schema"),
			Title:  "params of " + changed.Name + " are an object or absent",
			Checks: checks(r.ChangedSchema),
			Needs:  l.declared(),
			Fix:    "send " + changed.Name + " without params, or with an object",
			Owns:   []suite.Part{{Of: changed.Name, At: "/params"}},
			Sees:   changed.Name,
			Watch: probe.OnNotification(changed.Name, func(n probe.Notice) probe.Opinion {
				return n.Wants("/params", probe.OrMissing(probe.AnObject()))
			}),
		},
		{
			ID:        l.id("list-changed-declared"),
			Title:     changed.Name + " is sent only where listChanged was declared",
			Checks:    checks(r.ChangedDeclared...),
			Revisions: r.ChangedIn,
			Needs:     l.declared(),
			Fix:       "declare " + l.Capability + ".listChanged as true, or send no " + changed.Name,
			Sees:      changed.Name,
			Watch:     probe.OnNotification(changed.Name, l.changeDeclared),
		},
		l.sent(r, "list-changed-sent", protocol.Handshake(), hear),
		l.sent(r, "list-changed-listened", protocol.Stateless(), listen),
		toEach(l, r),
	}
}

// sent is the case on a change that the server has to announce. How a client comes to
// hear of it differs between the revisions.
func (l list) sent(r Rules, slug string, in []requirements.Revision, open func(list, *probe.Client) bool) suite.Case {
	c := changes(l, r, slug, func(c *probe.Client) error { return l.announces(c, open(l, c)) })
	c.Title, c.Revisions = "a change of the list of "+l.items()+" is announced where listChanged is declared", in
	c.Fix = "send notifications/" + l.Capability + "/list_changed to every client that may hear of it, " +
		"or leave listChanged out of the capabilities"
	return c
}

// changes is a case that changes the list.
func changes(l list, r Rules, slug string, run func(*probe.Client) error) suite.Case {
	return suite.Case{
		ID:       l.id(slug),
		Checks:   checks(r.ChangedSent),
		Needs:    []suite.Need{suite.Capability(l.Capability + ".listChanged"), suite.Role(roles.Trigger, l.Capability)},
		Observes: roles.Trigger,
		Lane:     suite.Alone, // no other case may see the list change
		Run:      run,
	}
}

func hear(_ list, c *probe.Client) bool { return subscriptions.Hear(c) }

func listen(l list, c *probe.Client) bool {
	subscriptions.Listen(c, probe.Object{l.Capability + "ListChanged": true}).MustLast()
	return true
}

func (l list) announces(c *probe.Client, heard bool) error {
	before, from := l.read(c), c.Mark()
	c.Act(c.Role(roles.Trigger).Fields().At(l.Capability))
	changed := "notifications/" + l.Capability + "/list_changed"
	if _, told := c.Await(from, subscriptions.Due(c), func(s probe.Seen) bool { return subscriptions.Says(s, changed) }); told {
		return nil
	}
	c.NotSeenIf(!heard, "the server offers no stream for what it tells of its own accord")
	shown := subscriptions.Since(c, from)
	c.UndecideIf(l.read(c).sameSet(before), "roles.trigger."+l.Capability+" did not change "+l.Method)
	return shown.Violation("the list of %s changed and no %s came within %s, want it announced",
		l.items(), changed, subscriptions.Due(c))
}

func (l list) changeDeclared(n probe.Notice) probe.Opinion {
	declared, _ := n.Survey().Capabilities[l.Capability].(map[string]any)
	if declared["listChanged"] == true {
		return probe.Kept()
	}
	flag := probe.Member(declared, "listChanged")
	switch flag.(type) {
	case bool, probe.Absent:
	default:
		return probe.Nothing() // what judges the capabilities judges a value of another type
	}
	return probe.Breaks("capabilities.%s.listChanged is %s and %s is sent, want it declared as true",
		l.Capability, probe.Show(flag), n.Method)
}
