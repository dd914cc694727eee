package jsonrpc

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// messageCases watch the members of every message of the server.
func messageCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/version-member",
			Title:  "every message of the server says that it is JSON-RPC 2.0",
			Checks: []requirements.ID{"jsonrpc-version-member"},
			Fix:    `put "jsonrpc": "2.0" into every message, notifications and errors included`,
			Sees:   "a message of the server",
			Watch:  probe.OnEach(versionMember),
		},
		{
			ID:     "jsonrpc/notification-without-id",
			Title:  "notifications of the server have no id",
			Checks: []requirements.ID{"jsonrpc-server-notification-no-id"},
			Fix:    "leave the id out of notifications, also as null",
			Sees:   "a notification of the server",
			Watch:  probe.OnEach(notificationWithoutID),
		},
		{
			ID:     "jsonrpc/envelope-unambiguous",
			Title:  "no property that JSON-RPC names stands twice in a message",
			Checks: []requirements.ID{"jsonrpc-envelope-unambiguous"},
			Fix:    "write jsonrpc, id, method, params, result and error once each: readers differ in which one they take",
			Sees:   "a message of the server",
			Watch:  func() probe.Watcher { return probe.WatchFunc(doubled(true)) },
		},
		{
			ID:     "jsonrpc/property-names-unique",
			Title:  "no property stands twice in an object",
			Checks: []requirements.ID{"jsonrpc-property-names-unique"},
			Fix:    "write each property of an object once: readers differ in which one they take",
			Sees:   "a message of the server",
			Watch:  func() probe.Watcher { return probe.WatchFunc(doubled(false)) },
		},
	}
}

func versionMember(m probe.Message) probe.Opinion {
	if m.Class == frame.NotAMessage {
		return probe.Nothing()
	}
	if v := m.Value("/jsonrpc"); v != "2.0" {
		return probe.Breaks(`%s is %s, want "2.0"`, m.Where("/jsonrpc"), probe.Show(v))
	}
	return probe.Kept()
}

func notificationWithoutID(m probe.Message) probe.Opinion {
	switch {
	case m.Class == frame.Notification:
		return probe.Kept()
	case m.Class == frame.Request && strings.HasPrefix(m.Method, "notifications/"):
		return probe.Breaks("%s of the notification is %s, want no id", m.Where("/id"), m.ID)
	}
	return probe.Nothing()
}

// doubled looks for properties that occur twice: either members of JSON-RPC itself, or
// all other properties.
func doubled(ofEnvelope bool) func(*probe.WatchedFrame) probe.Opinion {
	return func(s *probe.WatchedFrame) probe.Opinion {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			return probe.Nothing()
		}
		m := s.Message()
		if !slices.ContainsFunc(probe.Singles(m), probe.LooksLikeMessage) {
			return probe.Nothing()
		}
		for _, p := range m.Problems {
			if p.Kind == frame.Duplicate && inEnvelope(p.Pointer, m.Class == frame.Batch) == ofEnvelope {
				return probe.Breaks("%s stands twice, want it once", "$"+strings.ReplaceAll(p.Pointer, "/", "."))
			}
		}
		return probe.Kept()
	}
}

// inEnvelope reports whether a pointer leads to a member of JSON-RPC itself, in a message
// or in a message of an array.
func inEnvelope(pointer string, array bool) bool {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	if array {
		tokens = tokens[min(1, len(tokens)):]
	}
	return len(tokens) == 1 && slices.Contains([]string{"jsonrpc", "id", "method", "params", "result", "error"}, tokens[0])
}
