package jsonrpc

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
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
			Owns:   []suite.Part{{Class: frame.Notification, At: "/jsonrpc"}, {Class: frame.Request, At: "/jsonrpc"}},
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
	return m.Wants("/jsonrpc", probe.Equal("2.0"))
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
		// mrtr/keys-unique judges the keys of input requests.
		kind, _ := m.At("/result/resultType")
		asks := kind == protocol.InputRequired && slices.Contains(questions.Askable(), s.Request.Method)
		for _, p := range m.Problems {
			if p.Kind == frame.Duplicate && inEnvelope(p.Pointer, m.Class == frame.Batch) == ofEnvelope && !(asks && questions.IsKey(p.Pointer)) {
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

// responseCases watch the members of responses.
func responseCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-xor-error",
			Title:  "a response has either a result or an error",
			Checks: []requirements.ID{"jsonrpc-result-xor-error"},
			Fix: "send either a result or an error: leave the other out instead of setting it to null, " +
				"and send {} where there is nothing to return",
			Sees:  "a response",
			Watch: probe.OnEach(resultXorError),
		},
		{
			ID:     "jsonrpc/result-is-object",
			Title:  "a result is an object, also where there is nothing to return",
			Checks: []requirements.ID{"jsonrpc-result-is-object"},
			Fix: "make every result an object: an array is a property of it, {} is the result where there is nothing to return, " +
				"and what cannot be served gets an error",
			Owns:  []suite.Part{{Class: frame.Result, Depth: suite.AsObject}},
			Sees:  "a result",
			Watch: probe.OnEach(resultIsObject),
		},
		{
			ID:     "jsonrpc/error-shape",
			Title:  "an error has a code and a message",
			Checks: []requirements.ID{"jsonrpc-error-object-shape"},
			Fix:    "give every error object a code and a message that is a string",
			Sees:   "an error",
			Watch:  probe.OnEach(errorShape),
		},
		{
			ID:     "jsonrpc/error-code-integer",
			Title:  "error codes are integers",
			Checks: []requirements.ID{"jsonrpc-error-code-integer"},
			Fix:    "write the code of an error as a JSON integer, not as a string",
			Sees:   "an error",
			Watch:  probe.OnEach(errorCodeInteger),
		},
	}
}

func resultXorError(m probe.Message) probe.Opinion {
	_, hasResult := m.Members["result"]
	_, hasError := m.Members["error"]
	_, hasMethod := m.Members["method"]
	switch {
	case m.Responds() && hasResult && hasError:
		return probe.Breaks("%s has a result beside the error, want exactly one of them", named(m))
	case m.Class == frame.NotAMessage && m.HasID && !hasMethod:
		return probe.Breaks("%s has neither a result nor an error, want exactly one of them", named(m))
	case m.Responds():
		return probe.Kept()
	}
	return probe.Nothing()
}

// named names a message of a frame; most frames are one message.
func named(m probe.Message) string {
	if m.Place == "$" {
		return "the response"
	}
	return m.Place
}

func resultIsObject(m probe.Message) probe.Opinion {
	if m.Class != frame.Result {
		return probe.Nothing()
	}
	return m.Wants("/result", probe.AnObject())
}

func errorShape(m probe.Message) probe.Opinion {
	if m.Class != frame.Error {
		return probe.Nothing()
	}
	failure := m.Value("/error")
	if _, ok := failure.(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object with code and message", m.Where("/error"), probe.Show(failure))
	}
	if _, ok := m.At("/error/code"); !ok {
		return probe.Breaks("%s is absent, want an integer", m.Where("/error/code"))
	}
	return m.Wants("/error/message", probe.AString())
}

func errorCodeInteger(m probe.Message) probe.Opinion {
	code, ok := m.At("/error/code")
	if m.Class != frame.Error || !ok {
		return probe.Nothing()
	}
	if n, isNumber := code.(json.Number); !isNumber || !whole(n) {
		return probe.Breaks("%s is %s, want an integer", m.Where("/error/code"), probe.Show(code))
	}
	return probe.Kept()
}

// whole reports whether a number has no fraction; 1.0 is an unusual spelling of an
// integer, but a valid one.
func whole(n json.Number) bool {
	f, err := n.Float64()
	return err != nil || f == math.Trunc(f)
}

// resultTypeCases watch the resultType of results.
func resultTypeCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "jsonrpc/result-type-present",
			Title:  "every result has a resultType",
			Checks: []requirements.ID{"jsonrpc-result-type-present", "ext-degrade-modern-envelope"},
			Fix:    `put "resultType": "complete" into every finished result, empty ones included`,
			Owns:   []suite.Part{{Class: frame.Result, At: "/resultType"}},
			Sees:   "a result",
			Watch:  onResultType(resultTypePresent),
		},
		{
			ID:     "jsonrpc/result-type-known",
			Title:  "the resultType is one that both sides know",
			Checks: []requirements.ID{"jsonrpc-result-type-known"},
			Fix:    "use complete or input_required, and the type of an extension only where the request declares it",
			Sees:   "a resultType",
			Watch:  onResultType(resultTypeKnown),
		},
		{
			ID:     "jsonrpc/result-type-complete",
			Title:  "a result with its final content is labelled complete",
			Checks: []requirements.ID{"jsonrpc-result-type-complete"},
			Fix:    "label a result complete when nothing is left to ask for",
			Sees:   "a result with its final content",
			Watch:  onResultType(resultTypeComplete),
		},
	}
}

// onResultType judges the results of well-formed requests on connections without a
// handshake. With a handshake, a server of both eras answers in the older form.
func onResultType(judge func(m probe.Message, kind any) probe.Opinion) func() probe.Watcher {
	return probe.OnEachStateless(func(m probe.Message) probe.Opinion {
		request := m.Request.Method
		if m.Class != frame.Result || m.Frame.Malformed || request == "" || request == "initialize" {
			return probe.Nothing()
		}
		if _, ok := m.Value("/result").(map[string]any); !ok {
			return probe.Nothing()
		}
		return judge(m, m.Value("/result/resultType"))
	})
}

func resultTypePresent(m probe.Message, _ any) probe.Opinion {
	return m.Wants("/result/resultType", probe.AString())
}

func resultTypeKnown(m probe.Message, kind any) probe.Opinion {
	_, ok := kind.(string)
	switch {
	case !ok:
		return probe.Nothing()
	case kind == protocol.Complete, kind == protocol.InputRequired, kind == protocol.Task && tasksAgreed(m):
		return probe.Kept()
	case foreignExtension(m):
		return probe.Nothing() // the extension may define the value
	}
	unknown := probe.Breaks("%s is %s, want complete, input_required or the type of an extension that both sides declared",
		m.Where("/result/resultType"), probe.Show(kind))
	if kind != protocol.Task {
		return unknown
	}
	return unknown.Unless(probe.Elsewhere{
		Case: "lifecycle/extension-fallback", Why: "a request that does not declare tasks is answered with one",
	})
}

// tasksAgreed reports whether the request and the server both declare tasks.
func tasksAgreed(m probe.Message) bool {
	return m.Request.Extensions()[protocol.TasksExtension] != nil && m.Survey().Extensions()[protocol.TasksExtension] != nil
}

// foreignExtension reports whether the server has an extension whose result types the kit
// does not know.
func foreignExtension(m probe.Message) bool {
	for name := range m.Survey().Extensions() {
		known := name == protocol.TasksExtension || name == protocol.DashdashExtension
		if !known && !strings.HasPrefix(name, protocol.ProposalPrefix) {
			return true
		}
	}
	return false
}

func resultTypeComplete(m probe.Message, kind any) probe.Opinion {
	asked, _ := protocol.MethodOf(protocol.Client, m.Request.Method)
	_, holds := m.Value("/result/" + asked.Holds).([]any)
	if asked.Holds == "" || !holds || !slices.Contains([]any{protocol.Complete, protocol.InputRequired}, kind) {
		return probe.Nothing()
	}
	// Results are open objects: a result that asks for input may hold other properties
	// beside its questions.
	_, asks := m.At("/result/inputRequests")
	_, waits := m.At("/result/requestState")
	if kind == protocol.InputRequired && !asks && !waits {
		return probe.Breaks("%s is input_required, and the result holds %s and asks for nothing, want complete",
			m.Where("/result/resultType"), asked.Holds)
	}
	return probe.Kept()
}
