package jsonrpc

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// formCases watch what every message of the server is made of.
func formCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/version-member",
			Title:  "every message of the server says that it is JSON-RPC 2.0",
			Checks: []requirements.ID{"jsonrpc-version-member"},
			Fix:    `put "jsonrpc": "2.0" into every message, notifications and errors included`,
			Watch:  each(versionMember),
		},
		{
			ID:     "jsonrpc/notification-without-id",
			Title:  "notifications of the server carry no id",
			Checks: []requirements.ID{"jsonrpc-server-notification-no-id"},
			Fix:    "leave the id out of notifications, also as null",
			Watch:  each(notificationWithoutID),
		},
	}
}

func versionMember(m message) (bool, string) {
	if m.Class == frame.NotAMessage {
		return false, ""
	}
	if v := m.member("/jsonrpc"); v != "2.0" {
		return true, ".jsonrpc is " + probe.Show(v) + `, want "2.0"`
	}
	return true, ""
}

func notificationWithoutID(m message) (bool, string) {
	switch {
	case m.Class == frame.Notification:
		return true, ""
	case m.Class == frame.Request && strings.HasPrefix(m.Method, "notifications/"):
		return true, ".id of the notification is " + m.ID + ", want no such member"
	}
	return false, ""
}

// responseCases watch what responses are made of.
func responseCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-xor-error",
			Title:  "a response holds either a result or an error",
			Checks: []requirements.ID{"jsonrpc-result-xor-error"},
			Fix:    "leave the unused one of result and error out instead of setting it to null",
			Watch:  each(resultXorError),
		},
		{
			ID:     "jsonrpc/result-is-object",
			Title:  "a result is an object, also where there is nothing to say",
			Checks: []requirements.ID{"jsonrpc-result-is-object"},
			Fix:    "answer {} where there is nothing to return, never null, true or a list",
			Watch:  each(resultIsObject),
		},
		{
			ID:     "jsonrpc/error-shape",
			Title:  "an error has a code and a message",
			Checks: []requirements.ID{"jsonrpc-error-object-shape"},
			Fix:    "give every error object a code and a message that is a string",
			Watch:  each(errorShape),
		},
		{
			ID:     "jsonrpc/error-code-integer",
			Title:  "error codes are integers",
			Checks: []requirements.ID{"jsonrpc-error-code-integer"},
			Fix:    "write the code of an error as a JSON integer, not as text",
			Watch:  each(errorCodeInteger),
		},
	}
}

func resultXorError(m message) (bool, string) {
	_, hasResult := m.Members["result"]
	_, hasMethod := m.Members["method"]
	switch {
	case m.Class == frame.Error && hasResult:
		return true, " has a result beside the error, want exactly one of them"
	case m.Class == frame.NotAMessage && m.HasID && !hasMethod:
		return true, " has neither a result nor an error, want exactly one of them"
	}
	return m.response(), ""
}

func resultIsObject(m message) (bool, string) {
	if m.Class != frame.Result {
		return false, ""
	}
	result := m.member("/result")
	if _, ok := result.(map[string]any); !ok {
		return true, ".result is " + probe.Show(result) + ", want an object"
	}
	return true, ""
}

func errorShape(m message) (bool, string) {
	if m.Class != frame.Error {
		return false, ""
	}
	failure := m.member("/error")
	if _, hasResult := m.Members["result"]; failure == nil && hasResult {
		return false, "" // the error was not meant; that it is there breaks another rule
	}
	if _, ok := failure.(map[string]any); !ok {
		return true, ".error is " + probe.Show(failure) + ", want an object with code and message"
	}
	if _, ok := m.At("/error/code"); !ok {
		return true, ".error.code is absent, want an integer"
	}
	text := m.member("/error/message")
	if _, ok := text.(string); !ok {
		return true, ".error.message is " + probe.Show(text) + ", want a string"
	}
	return true, ""
}

func errorCodeInteger(m message) (bool, string) {
	code, ok := m.At("/error/code")
	if m.Class != frame.Error || !ok {
		return false, ""
	}
	if n, isNumber := code.(json.Number); !isNumber || !whole(n) {
		return true, ".error.code is " + probe.Show(code) + ", want an integer"
	}
	return true, ""
}

// whole reports whether a number has no fraction; 1.0 is written oddly but is
// an integer.
func whole(n json.Number) bool {
	f, err := n.Float64()
	return err != nil || f == math.Trunc(f)
}
