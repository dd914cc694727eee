package jsonrpc

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// messageCases watch what every message of the server is made of.
func messageCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/version-member",
			Title:  "every message of the server says that it is JSON-RPC 2.0",
			Checks: []requirements.ID{"jsonrpc-version-member"},
			Fix:    `put "jsonrpc": "2.0" into every message, notifications and errors included`,
			Watch:  probe.OnEach(versionMember),
		},
		{
			ID:     "jsonrpc/notification-without-id",
			Title:  "notifications of the server have no id",
			Checks: []requirements.ID{"jsonrpc-server-notification-no-id"},
			Fix:    "leave the id out of notifications, also as null",
			Watch:  probe.OnEach(notificationWithoutID),
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
