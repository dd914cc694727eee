package lifecycle

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// received are the messages in a frame from the server, those of a batch one
// by one.
func received(s probe.Seen) []frame.Message {
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	return probe.Singles(s.Message())
}

// requests are the methods that a frame asks of the client, pings aside.
func requests(s probe.Seen) []string {
	var methods []string
	for _, m := range received(s) {
		if m.Class == frame.Request && m.Method != "ping" {
			methods = append(methods, m.Method)
		}
	}
	return methods
}

// notification is the method of a frame that notifies, empty for others.
func notification(s probe.Seen) string {
	for _, m := range received(s) {
		if m.Class == frame.Notification {
			return m.Method
		}
	}
	return ""
}
