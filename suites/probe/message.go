package probe

import (
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// LooksLikeMessage reports whether JSON is meant as a JSON-RPC message, however
// broken. Log lines may have members with the same names.
func LooksLikeMessage(m frame.Message) bool {
	_, marked := m.Members["jsonrpc"]
	switch m.Class {
	case frame.Notification:
		return marked || strings.HasPrefix(m.Method, "notifications/")
	case frame.Error:
		// An error for an unreadable request has no id.
		_, coded := member(m, "/error/code").(json.Number)
		return marked || m.HasID || coded
	case frame.Request, frame.Result:
		return marked || m.HasID
	case frame.NotAMessage:
		return marked
	case frame.NotJSON, frame.Batch:
	}
	return false
}
