package fault

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Message is one JSON-RPC message on its way out. Objects within are
// map[string]any, lists []any, numbers json.Number, and the id is the
// json.RawMessage that the client wrote.
type Message map[string]any

// Object returns the member as an object. A member that is missing or of
// another type yields a new object that is put in its place, so that a hook
// can write into what it gets.
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

// Result returns the result of an answer; ok is false when it is an error.
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

// Become makes the message another one.
func (m Message) Become(other Message) {
	other = maps.Clone(other) // it may be made of the message
	clear(m)
	maps.Copy(m, other)
}

// With returns a copy in which one top-level member has another value.
func (m Message) With(name string, value any) Message {
	copied := maps.Clone(m)
	copied[name] = value
	return copied
}

// Without returns a copy that lacks one top-level member.
func (m Message) Without(name string) Message {
	copied := maps.Clone(m)
	delete(copied, name)
	return copied
}

// An Exchange is what a hook is told about the message it decides on.
type Exchange struct {
	Revision  requirements.Revision  // empty before one is agreed on
	Ready     bool                   // the client has sent notifications/initialized
	Transport requirements.Transport //
	Method    string                 // of the request; empty when it could not be read
	ID        json.RawMessage        // as the client wrote it; nil when there is none
	Params    json.RawMessage        // as the client wrote them; nil when there are none
	HTTP      string                 // the HTTP method; empty over stdio
	Header    http.Header            // of the HTTP request; nil over stdio
	Greeted   bool                   // over HTTP: the connection has carried an initialize

	// Nth counts the requests of this method on the conversation, this one
	// included: from 1 over stdio and in an HTTP session. Modern requests over
	// HTTP have no conversation; theirs are counted for the whole server.
	Nth int
	// Past is what was asked and told on the conversation before, in order.
	Past []Asked
}

// Asked is a request or notification of the past.
type Asked struct {
	Method string
	ID     json.RawMessage // nil when there is none
	Params json.RawMessage
}

// After says whether a message of that method came before on the conversation.
func (x Exchange) After(method string) bool {
	return slices.ContainsFunc(x.Past, func(a Asked) bool { return a.Method == method })
}

// Param returns one member of the params as json.Unmarshal sees it, nil when
// there is none.
func (x Exchange) Param(name string) any {
	var params map[string]any
	if json.Unmarshal(x.Params, &params) != nil {
		return nil
	}
	return params[name]
}

// Tool is the name of the tool that a tools/call asks for.
func (x Exchange) Tool() string {
	if x.Method != "tools/call" {
		return ""
	}
	name, _ := x.Param("name").(string)
	return name
}

// Declared are the extensions that the client declares, with the request or in the
// handshake, and whether it declares capabilities at all.
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

// Answer makes a result for the request of this exchange. From 2026-07-28 on it says
// which server it is from: a fault that answers by hand is about something else.
func (x Exchange) Answer(result any) Message {
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

// A Verdict is what an Inbound hook wants done. The zero Verdict lets the
// message through.
type Verdict struct {
	Instead bool          // send Answer, which may be empty, and do not serve the message
	Answer  []Message     //
	Hang    bool          // never answer
	Exits   bool          // stdio: end the process with ExitCode; HTTP: cut the connection
	Exit    int           //
	Delay   time.Duration // wait that long before serving it
}

// A Registry is the part of the server's registry that a fault may touch. Its
// methods may be called before the server serves anything, and never later.
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
