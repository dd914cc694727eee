package fault

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Message is an outgoing JSON-RPC message. Objects within are map[string]any, lists
// []any, numbers json.Number, and the id is the json.RawMessage of the client.
type Message map[string]any

// Object returns the member as an object. If the member is missing or of another type,
// Object replaces it by a new object, so that a hook can write into the returned
// object.
func (m Message) Object(name string) Message {
	switch object := m[name].(type) {
	case map[string]any:
		return object
	case Message:
		return object
	default:
		fresh := map[string]any{}
		m[name] = fresh
		return fresh
	}
}

// Result returns the result of an answer; ok is false for an error.
func (m Message) Result() (result Message, ok bool) {
	switch object := m["result"].(type) {
	case map[string]any:
		return object, true
	case Message:
		return object, true
	default:
		return nil, false
	}
}

// Become replaces the content of the message by another message's.
func (m Message) Become(other Message) {
	other = maps.Clone(other) // other may contain parts of the message
	clear(m)
	maps.Copy(m, other)
}

// With returns a copy with another value of one top-level member.
func (m Message) With(name string, value any) Message {
	copied := maps.Clone(m)
	copied[name] = value
	return copied
}

// Without returns a copy without one top-level member.
func (m Message) Without(name string) Message {
	copied := maps.Clone(m)
	delete(copied, name)
	return copied
}

// Copy returns a copy that shares nothing with the message that can be changed; nil for nil.
func (m Message) Copy() Message {
	if m == nil {
		return nil
	}
	return CopyOf(m).(Message)
}

// CopyOf returns a copy of a value of a message, as Copy does of a message.
func CopyOf(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return map[string]any(CopyOf(Message(value)).(Message))
	case Message:
		own := make(Message, len(value))
		for name, member := range value {
			own[name] = CopyOf(member)
		}
		return own
	case []any:
		own := make([]any, len(value))
		for i, one := range value {
			own[i] = CopyOf(one)
		}
		return own
	default: // a value that nobody changes
		return value
	}
}

// An Exchange describes to a hook the message that the hook decides on.
type Exchange struct {
	Revision  requirements.Revision  // empty before the handshake
	Ready     bool                   // the client has sent notifications/initialized
	Transport requirements.Transport //
	Method    string                 // of the request; empty if unreadable
	ID        json.RawMessage        // as the client wrote it; nil without an id
	Params    json.RawMessage        // as the client wrote them; nil without params
	HTTP      string                 // the HTTP method; empty over stdio
	Header    http.Header            // of the HTTP request; nil over stdio
	Greeted   bool                   // over HTTP: the connection has carried an initialize

	// Nth counts the requests of this method on the conversation, this one
	// included: from 1 over stdio and in an HTTP session. Modern requests over
	// HTTP have no conversation; for them Nth counts the requests of the whole server.
	Nth int
	// First says that no other conversation has sent a message of this method before.
	First bool
	// Past is the earlier requests and notifications of the client on the
	// conversation, in order.
	Past []Asked
}

// Asked is an earlier request or notification.
type Asked struct {
	Method string
	ID     json.RawMessage // nil for a notification
	Params json.RawMessage
}

// After says whether an earlier message of the conversation had the method.
func (x Exchange) After(method string) bool {
	return slices.ContainsFunc(x.Past, func(a Asked) bool { return a.Method == method })
}

// Param returns one member of the params as json.Unmarshal decodes it; nil if it is
// missing.
func (x Exchange) Param(name string) any {
	var params map[string]json.RawMessage
	var value any
	if json.Unmarshal(x.Params, &params) != nil || json.Unmarshal(params[name], &value) != nil {
		return nil
	}
	return value
}

// Tool is the name of the tool in a tools/call; empty for other requests.
func (x Exchange) Tool() string {
	if x.Method != "tools/call" {
		return ""
	}
	name, _ := x.Param("name").(string)
	return name
}

// Declared returns the extensions that the client declares, in the request or in the
// handshake, and whether the client declares any capabilities.
func (x Exchange) Declared() (extensions map[string]any, told bool) {
	capabilities, told := Meta(x.Params, "clientCapabilities").(map[string]any)
	for _, asked := range x.Past {
		var params struct{ Capabilities map[string]any }
		if !x.Revision.Modern() && asked.Method == "initialize" && json.Unmarshal(asked.Params, &params) == nil {
			capabilities, told = params.Capabilities, true
		}
	}
	extensions, _ = capabilities["extensions"].(map[string]any)
	return extensions, told
}

// Answer makes a result for the request of this exchange. From 2026-07-28 on the
// result names the server: faults that build an answer are not about that rule.
func (x Exchange) Answer(result any) Message {
	if m, ok := result.(Message); ok {
		result = map[string]any(m)
	}
	if object, ok := result.(map[string]any); ok && x.Revision.Modern() {
		meta := Message(maps.Clone(object)).Object("_meta")
		meta = maps.Clone(meta)
		meta["io.modelcontextprotocol/serverInfo"] = map[string]any{"name": "harbour-office", "version": "1.0.0"}
		result = map[string]any(Message(object).With("_meta", map[string]any(meta)))
	}
	return Message{"jsonrpc": "2.0", "id": x.ID, "result": result}
}

// Refusal makes an error for the request of this exchange.
func (x Exchange) Refusal(code int, text string) Message {
	return Message{"jsonrpc": "2.0", "id": x.ID, "error": map[string]any{"code": code, "message": text}}
}

// A Verdict is the decision of an Inbound hook. The zero Verdict lets the message
// through.
type Verdict struct {
	Instead bool          // send Answer, which may be empty, instead of serving the message
	Answer  []Message     // without Instead: what a notification is answered with that is served all the same
	Hang    bool          // never answer
	Exits   bool          // stdio: end the process with ExitCode; HTTP: cut the connection
	Exit    int           //
	Delay   time.Duration // wait before serving the message
}

// A Registry is the part of the server's registry that a fault may change. Its methods
// are only called before the server serves anything.
type Registry interface {
	// AddTool offers one more tool. The answer is the content of its text block.
	AddTool(definition Message, answer func(arguments map[string]any) string)
	// RemoveTool withdraws a tool.
	RemoveTool(name string)
	// AddResource offers one more text resource.
	AddResource(uri, name, text string)
	// AddPrompt offers one more prompt without arguments.
	AddPrompt(name, text string)
}
