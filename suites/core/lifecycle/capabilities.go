package lifecycle

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A capabilityWatcher remembers the capabilities that both sides declared in the
// handshake of its connection.
type capabilityWatcher struct {
	client, server map[string]any
	agreed         bool
}

// See judges the requests and notifications of the server. An answer to a method that
// could have caused one shows that there was an occasion.
func (w *capabilityWatcher) See(s *probe.WatchedFrame) probe.Opinion {
	said := probe.Nothing()
	for _, m := range s.Messages() {
		said = said.And(w.judge(m))
	}
	return said
}

func (w *capabilityWatcher) judge(m probe.Message) probe.Opinion {
	switch {
	case m.Class == frame.Result && m.Request.Method == "initialize":
		w.client, _ = m.Request.Params["capabilities"].(map[string]any)
		w.server, _ = m.Value("/result/capabilities").(map[string]any)
		w.agreed = true
	case !w.agreed:
	case m.Class == frame.Request:
		return w.judgeRequest(m)
	case m.Class == frame.Notification:
		return w.judgeNotification(m)
	case uses(m):
		return probe.Kept()
	}
	return probe.Nothing()
}

// uses reports whether a message answers a valid call of a method that may cause requests
// or notifications.
func uses(m probe.Message) bool {
	return !m.Frame.Malformed && slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, m.Request.Method)
}

// judgeRequest passes over methods that the revision does not define; other cases judge
// those.
func (w *capabilityWatcher) judgeRequest(m probe.Message) probe.Opinion {
	method, known := protocol.MethodOf(protocol.Server, m.Method)
	switch {
	case !known || method.Capability == "" || !method.In(m.Revision):
		return probe.Nothing()
	case declared.In(w.client, method.Capability):
		return probe.Kept()
	}
	return probe.Breaks("the server sends %s to a client that did not declare %s", m.Method, method.Capability)
}

func (w *capabilityWatcher) judgeNotification(m probe.Message) probe.Opinion {
	n, known := protocol.NotificationOf(m.Method)
	switch {
	case !known || n.Capability == "" || !slices.Contains(n.By, protocol.Server):
		return probe.Nothing()
	case m.Method == protocol.ToolsChanged && declared.In(w.server, "tools") && !declared.In(w.server, n.Capability):
		return probe.Nothing() // tools/list-changed-declared says it
	}
	return declared.Notified(m.Method, n.Capability, w.server)
}
