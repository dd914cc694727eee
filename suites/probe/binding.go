package probe

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A binding follows one connection and tells which messages of the server the
// revision of its column binds. A client may speak in either era with a server
// of both, and a handshake may agree on another revision than the client asked
// for; the column's rules do not bind messages of the other revision. Each
// watcher has a binding of its own and shows it every frame.
type binding struct {
	column requirements.Revision // of the opening of the connection
	agreed requirements.Revision // of the last handshake that the server answered
}

// message returns the server's message in a frame, if the column's revision binds it.
// It leaves out answers to malformed frames and to unknown requests, messages that
// were cut, and arrays: their messages cannot be told apart by their requests.
func (b *binding) message(s Seen) (m frame.Message, bound bool) {
	if b.column == "" {
		b.column = s.Revision
	}
	if s.Dir != frame.Received || s.Kind != frame.KindMessage || s.Truncated {
		return m, false
	}
	m = s.Message()
	if s.Request.Method == "initialize" && m.Class == frame.Result {
		b.agreed = requirements.Revision(TextOf(member(m, "/result/protocolVersion")))
	}
	return m, !s.Malformed && b.binds(s.Request, m.Class)
}

func (b *binding) binds(asked Asked, class frame.Class) bool {
	switch class {
	case frame.Result, frame.Error:
		if asked.Method == "" {
			return false
		}
		version, modern := asked.Meta(protocol.MetaVersion).(string)
		if b.column.Modern() {
			return version == string(b.column)
		}
		return !modern && b.agreed == b.column
	case frame.Request, frame.Notification:
		if b.column.Modern() {
			return b.agreed == ""
		}
		return b.agreed == b.column
	case frame.NotJSON, frame.NotAMessage, frame.Batch:
	}
	return false
}

// Plain reports whether a request holds only what the protocol itself knows,
// so that no extension may answer it in a form of its own.
func (a Asked) Plain() bool {
	for key := range ObjectOf(a.Params()["_meta"]) {
		if key != "progressToken" && !strings.HasPrefix(key, "io.modelcontextprotocol/") {
			return false
		}
	}
	if a.Method != "tools/call" {
		return true
	}
	for name := range a.Params() {
		if name != "name" && name != "arguments" && name != "task" && name != "_meta" {
			return false
		}
	}
	return true
}
