package receiving

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func changeCases() []suite.Case {
	return []suite.Case{{
		ID:        "http/stream-no-changes",
		Title:     "the stream of a request brings no notification that belongs to subscriptions",
		Checks:    []requirements.ID{"http-sse-messages-related"},
		Needs:     []suite.Need{suite.Over(requirements.HTTP)},
		Revisions: protocol.Stateless(),
		Fix:       "send notifications of changes on the streams of subscriptions/listen only, to clients that asked for them there",
		Sees:      "a message on the stream of a request",
		Watch:     func() probe.Watcher { return probe.WatchFunc(noChanges) },
	}}
}

// noChanges passes over calls of tools that may change something: the change may be their
// own.
func noChanges(s *probe.WatchedFrame) probe.Opinion {
	_, x := exchanges.Of(s)
	if x == nil || s.Dir == frame.Sent || s.Kind != frame.KindMessage || !x.Asks() || !x.Streams() {
		return probe.Nothing()
	}
	asked := x.Sent.Message()
	if version, _ := asked.At("/params/_meta/" + frame.Escape(protocol.MetaVersion)); version != string(s.Revision) {
		return probe.Nothing()
	}
	if asked.Method == "subscriptions/listen" || asked.Method == "tools/call" && !onlyReads(s.Survey, asked) {
		return probe.Nothing()
	}
	for _, m := range probe.Singles(s.Message()) {
		if n, known := protocol.NotificationOf(m.Method); known && n.Listens {
			return x.Evidence(s.Seen).Violation("%s comes on the stream of %s, want it on streams of subscriptions/listen only",
				m.Method, asked.Method).Opinion()
		}
	}
	return probe.Kept()
}

// onlyReads reports whether a call is of a tool that says that it is read-only.
func onlyReads(survey *probe.Survey, asked frame.Message) bool {
	name, _ := asked.At("/params/name")
	return survey != nil && slices.ContainsFunc(survey.Lists[protocol.Tools().Method], func(item any) bool {
		tool, _ := item.(map[string]any)
		annotations, _ := tool["annotations"].(map[string]any)
		return tool["name"] == name && annotations["readOnlyHint"] == true
	})
}
