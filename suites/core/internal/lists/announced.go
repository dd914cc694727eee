package lists

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
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
			Owns:   []suite.Part{{Of: changed.Name}},
			Sees:   changed.Name,
			Watch: probe.OnNotification(changed.Name, func(n probe.Notice) probe.Opinion {
				return n.Fits(changed.Definition, "")
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
	}
}

func (l list) changeDeclared(n probe.Notice) probe.Opinion {
	declared, _ := n.Survey.Capabilities[l.Capability].(map[string]any)
	if declared["listChanged"] == true {
		return probe.Kept()
	}
	flag, ok := declared["listChanged"]
	if !ok {
		flag = probe.Absent{}
	}
	return probe.Breaks("capabilities.%s.listChanged is %s and %s is sent, want it declared as true",
		l.Capability, probe.Show(flag), n.Method)
}
