package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// changedCases judge notifications that the list has changed, whatever made it
// change.
func changedCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/list-changed-schema",
			Title:  "params of " + protocol.ToolsChanged + " are an object or absent",
			Checks: []requirements.ID{"tools-list-changed-schema"},
			Needs:  declared(),
			Fix:    "send " + protocol.ToolsChanged + " without params, or with an object",
			Owns:   []suite.Part{{Of: protocol.ToolsChanged}},
			Watch:  probe.OnNotification(protocol.ToolsChanged, changedSchema),
		},
		{
			ID:     "tools/list-changed-declared",
			Title:  protocol.ToolsChanged + " is sent only where listChanged was declared",
			Checks: []requirements.ID{"tools-list-changed-declared"},
			Needs:  declared(),
			Fix:    "declare tools.listChanged as true, or send no " + protocol.ToolsChanged,
			Watch:  probe.OnNotification(protocol.ToolsChanged, changedDeclared),
		},
	}
}

func changedSchema(n probe.Notice) probe.Opinion { return n.Fits("ToolListChangedNotification", "") }

func changedDeclared(n probe.Notice) probe.Opinion {
	tools, _ := n.Survey.Capabilities["tools"].(map[string]any)
	if tools["listChanged"] == true {
		return probe.Kept()
	}
	flag, ok := tools["listChanged"]
	if !ok {
		flag = probe.Absent{}
	}
	return probe.Breaks("capabilities.tools.listChanged is %s and %s is sent, want it declared as true", probe.Show(flag), n.Method)
}
