package lifecycle

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func operationCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/negotiated-version",
			Title:  "the server sends nothing that the negotiated revision does not have",
			Checks: []requirements.ID{"lifecycle-respect-negotiated-version"},
			Fix:    "leave out or translate what is newer than the revision that initialize agreed on",
			Sees:   "a message after a handshake",
			Watch:  func() probe.Watcher { return versionWatcher{} },
		},
		{
			ID:     "lifecycle/negotiated-capabilities",
			Title:  "the server uses only what both sides declared",
			Checks: []requirements.ID{"lifecycle-only-negotiated-capabilities"},
			Fix:    "look at the client's capabilities before sending it a request, and declare the notifications you send",
			Sees:   "a use of a capability after a handshake",
			Watch:  func() probe.Watcher { return &capabilityWatcher{} },
		},
	}
}

// A versionWatcher looks for properties and methods of other revisions in messages of the
// server. It allows unknown properties of open objects.
type versionWatcher struct{}

// See judges messages that the server sends unasked, and answers to valid requests. Arrays are for
// jsonrpc/batch-never-sent.
func (versionWatcher) See(s *probe.WatchedFrame) probe.Opinion {
	array := s.Kind == frame.KindMessage && s.Message().Class == frame.Batch
	if s.Dir == frame.Sent || s.Malformed || array && !protocol.HasArrays(s.Revision) {
		return probe.Nothing()
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		said = said.And(judgeVersion(m))
	}
	return said
}

func judgeVersion(m probe.Message) probe.Opinion {
	if what := foreign(m); what != "" {
		return probe.Breaks("the message is or holds %s, which %s does not have", what, m.Revision)
	}
	return probe.Kept()
}

// foreign names a part of the message that belongs to another revision.
func foreign(m probe.Message) string {
	switch m.Class {
	case frame.Request:
		if method, known := protocol.MethodOf(protocol.Server, m.Method); known && !method.In(m.Revision) {
			return m.Method
		}
	case frame.Notification:
		if n, known := protocol.NotificationOf(m.Method); known && !n.In(m.Revision) {
			return m.Method
		}
	case frame.Result:
		if tasks, _ := protocol.MethodOf(protocol.Client, "tasks/get"); isTask(m) && !tasks.In(m.Revision) {
			return "a task instead of the result of a call"
		}
	case frame.Error, frame.Batch, frame.NotJSON, frame.NotAMessage:
	}
	return ""
}

// isTask reports whether a call is answered by a task without content.
func isTask(m probe.Message) bool {
	_, task := m.Value("/result/task").(map[string]any)
	_, content := m.At("/result/content")
	return m.Request.Method == "tools/call" && task && !content
}
