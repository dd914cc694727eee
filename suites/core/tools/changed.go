package tools

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const listChanged = "notifications/tools/list_changed"

// changedCases judge announcements that the list has changed, whoever made it
// change.
func changedCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "tools/list-changed-schema",
			Title:  "the announcement of a change carries an object as params, or none",
			Checks: []requirements.ID{"tools-list-changed-schema"},
			Needs:  declared(),
			Fix:    "send " + listChanged + " without params, or with an object",
			Watch:  announcements(changedSchema),
		},
		{
			ID:     "tools/list-changed-declared",
			Title:  "changes of the list are announced only where listChanged was declared",
			Checks: []requirements.ID{"tools-list-changed-declared"},
			Needs:  declared(),
			Fix:    "declare tools.listChanged as true, or send no " + listChanged,
			Watch:  announcements(changedDeclared),
		},
	}
}

func announcements(judge func(s probe.Seen, m frame.Message) (judged bool, problem string)) func() probe.Watcher {
	return func() probe.Watcher {
		bound := &probe.Bound{}
		return probe.WatchFunc(func(s probe.Seen) (bool, *probe.Violation) {
			m, ok := bound.Message(s)
			if !ok || m.Class != frame.Notification || m.Method != listChanged {
				return false, nil
			}
			s.Revision = bound.Revision()
			judged, problem := judge(s, m)
			if problem != "" {
				return true, s.Break(problem)
			}
			return judged, nil
		})
	}
}

func changedSchema(s probe.Seen, m frame.Message) (judged bool, problem string) {
	problem, err := probe.Misfit(s.Schemas, string(s.Revision), "ToolListChangedNotification", "", m.Value)
	return err == nil, problem
}

func changedDeclared(s probe.Seen, _ frame.Message) (judged bool, problem string) {
	tools, _ := s.Survey.Capabilities["tools"].(map[string]any)
	if tools["listChanged"] != true {
		flag, ok := tools["listChanged"]
		if !ok {
			flag = probe.Absent{}
		}
		return true, "capabilities.tools.listChanged is " + probe.Show(flag) + " and " + listChanged + " is sent, want it declared as true"
	}
	return true, ""
}
