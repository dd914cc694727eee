package probe

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// ofGateway reports whether a message is what a gateway says in JSON that refuses a request with
// an HTTP status, such as {"error":"unavailable"}, or an error whose code is that status.
func ofGateway(m frame.Message, status int) bool {
	if _, marked := m.Members["jsonrpc"]; marked || m.HasID || m.Class != frame.Error || status < 400 {
		return false
	}
	code, coded := member(m, "/error/code").(json.Number)
	return !coded || code.String() == strconv.Itoa(status)
}

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
