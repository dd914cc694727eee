// Package fakeserver is a small server whose every habit a test can choose. It
// shares nothing with the reference server, so that a test of the kit does not
// rest on what the kit is proved with. It keeps no rule by itself.
package fakeserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Request is one message from the client, read loosely.
type Request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params"`
	Text    string          `json:"-"`
}

// A Server answers the handshake, pings, and the methods in Answer. The zero
// value speaks 2025-11-25 and declares nothing.
type Server struct {
	Revisions    []string // handshake revisions, oldest first
	Capabilities map[string]any
	Tools        []map[string]any
	Prompts      []map[string]any
	Resources    []map[string]any
	Extra        bool // unknown members wherever the protocol allows them

	// Answer replaces the answer to a method: a result, an *Error, or Silence. A result is
	// a JSON object; any other ends the test program. A Raw may be malformed.
	Answer map[string]func(Request) any
	// Edit changes the text of any message just before it is sent.
	Edit func(text string) string

	Stdio Stdio
	HTTP  HTTP
	SSE   SSE

	mu   sync.Mutex
	seen []Request
}

// An Error is a JSON-RPC error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Silence stands for no answer.
type Silence struct{}

// Raw is an answer that is sent byte for byte.
type Raw string

// Seen is what clients have sent so far.
func (s *Server) Seen() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Called lists the names of the tools that were called.
func (s *Server) Called() []string {
	var names []string
	for _, r := range s.Seen() {
		if name, ok := r.Params["name"].(string); ok && r.Method == "tools/call" {
			names = append(names, name)
		}
	}
	return names
}

// Reply is the text that answers a message; empty for no answer.
func (s *Server) Reply(line []byte) string {
	var r Request
	if bytes.TrimSpace(line) == nil {
		return ""
	}
	if err := json.Unmarshal(line, &r); err != nil {
		if json.Valid(line) {
			return s.text("", nil, &Error{Code: -32600, Message: "not a request"})
		}
		return s.text("", nil, &Error{Code: -32700, Message: "not JSON"})
	}
	r.Text = string(line)
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	if r.Method == "" || r.Version != "2.0" {
		if r.ID == nil {
			return ""
		}
		return s.text(r.Method, r.ID, &Error{Code: -32600, Message: "not a request"})
	}
	if r.ID == nil {
		return "" // a notification
	}
	switch r.ID[0] {
	case '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.text(r.Method, r.ID, s.answer(r))
	default:
		return s.text("", nil, &Error{Code: -32600, Message: "the id is neither text nor number"})
	}
}

func (s *Server) answer(r Request) any {
	if own := s.Answer[r.Method]; own != nil {
		return own(r)
	}
	switch r.Method {
	case "initialize":
		return s.Initialize(r)
	case "ping":
		return map[string]any{}
	case "tools/list":
		return s.list("tools", s.Tools)
	case "prompts/list":
		return s.list("prompts", s.Prompts)
	case "resources/list":
		return s.list("resources", s.Resources)
	case "tools/call":
		return s.Call(r)
	case "prompts/get", "resources/read", "completion/complete":
		return s.named(r)
	}
	return &Error{Code: -32601, Message: "unknown method"}
}

func (s *Server) revisions() []string {
	if s.Revisions == nil {
		return []string{"2025-11-25"}
	}
	return s.Revisions
}

// Initialize is the usual answer to the handshake, for an Answer that does more.
func (s *Server) Initialize(r Request) any {
	revisions := s.revisions()
	asked, ok := r.Params["protocolVersion"].(string)
	if !ok {
		return &Error{Code: -32602, Message: "protocolVersion is missing"}
	}
	if !slices.Contains(revisions, asked) {
		asked = revisions[len(revisions)-1]
	}
	capabilities := s.Capabilities
	if capabilities == nil {
		capabilities = map[string]any{}
	}
	return s.withExtras(map[string]any{
		"protocolVersion": asked, "capabilities": capabilities,
		"serverInfo": s.withExtras(map[string]any{"name": "rigged", "version": "1"}),
	})
}

func (s *Server) list(name string, items []map[string]any) any {
	if s.Capabilities[name] == nil {
		return &Error{Code: -32601, Message: "not offered"}
	}
	if items == nil {
		items = []map[string]any{}
	}
	if s.Extra {
		more := make([]map[string]any, len(items))
		for i, item := range items {
			more[i] = s.withExtras(item)
		}
		items = more
	}
	return s.withExtras(map[string]any{name: items})
}

// Call is the usual answer to a call of a tool, for an Answer that does more.
func (s *Server) Call(r Request) any {
	name, ok := r.Params["name"].(string)
	if !ok || s.Capabilities["tools"] == nil {
		return &Error{Code: -32602, Message: "no such tool"}
	}
	arguments, ok := r.Params["arguments"].(map[string]any)
	if !ok && r.Params["arguments"] != nil {
		return &Error{Code: -32602, Message: "arguments is no object"}
	}
	for _, tool := range s.Tools {
		if tool["name"] != name {
			continue
		}
		schema, _ := tool["inputSchema"].(map[string]any)
		if trouble := misfit(schema, arguments); trouble != "" {
			return map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": trouble}}}
		}
		return s.withExtras(map[string]any{"content": []any{s.withExtras(map[string]any{"type": "text", "text": "done"})}})
	}
	return &Error{Code: -32602, Message: "no such tool"}
}

// named answers the methods that take a name.
func (s *Server) named(r Request) any {
	wants := map[string]struct {
		capability, member string
		items              []map[string]any
	}{
		"prompts/get":         {"prompts", "name", s.Prompts},
		"resources/read":      {"resources", "uri", s.Resources},
		"completion/complete": {"completions", "ref", nil},
	}[r.Method]
	if s.Capabilities[wants.capability] == nil {
		return &Error{Code: -32601, Message: "not offered"}
	}
	for _, item := range wants.items {
		if item[wants.member] != r.Params[wants.member] {
			continue
		}
		if r.Method == "prompts/get" {
			if name := unfilled(item, r); name != "" {
				return &Error{Code: -32602, Message: name + " is missing"}
			}
			return s.withExtras(map[string]any{"messages": []any{}})
		}
		return s.withExtras(map[string]any{"contents": []any{map[string]any{"uri": item["uri"], "text": "text"}}})
	}
	if r.Method == "completion/complete" && s.completes(r) {
		return s.withExtras(map[string]any{"completion": map[string]any{"values": []any{}}})
	}
	if _, ok := r.Params["uri"].(string); ok && r.Method == "resources/read" {
		return &Error{Code: -32002, Message: "no resource has the URI"}
	}
	return &Error{Code: -32602, Message: wants.member + " names nothing"}
}

// unfilled is a required argument of a prompt that a request lacks.
func unfilled(prompt map[string]any, r Request) string {
	given, _ := r.Params["arguments"].(map[string]any)
	arguments, _ := prompt["arguments"].([]any)
	for _, one := range arguments {
		argument, _ := one.(map[string]any)
		name, _ := argument["name"].(string)
		if _, ok := given[name]; argument["required"] == true && !ok {
			return name
		}
	}
	return ""
}

// completes reports whether a request names an argument and a listed prompt.
func (s *Server) completes(r Request) bool {
	ref, _ := r.Params["ref"].(map[string]any)
	argument, _ := r.Params["argument"].(map[string]any)
	_, named := argument["name"].(string)
	_, typed := argument["value"].(string)
	return ref["type"] == "ref/prompt" && named && typed && slices.ContainsFunc(s.Prompts, func(prompt map[string]any) bool {
		return prompt["name"] == ref["name"]
	})
}

// misfit finds the mistakes that the kit's cases make on purpose: missing
// members, and objects instead of a number or boolean.
func misfit(schema, arguments map[string]any) string {
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := arguments[name.(string)]; !ok {
			return name.(string) + " is missing"
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range arguments {
		property, _ := properties[name].(map[string]any)
		if _, object := value.(map[string]any); object && property["type"] != "object" {
			return name + " is an object"
		}
	}
	return ""
}

// withExtras adds members that a client has to tolerate.
func (s *Server) withExtras(o map[string]any) map[string]any {
	if !s.Extra {
		return o
	}
	with := map[string]any{"x-vendor": map[string]any{"deep": []any{1, nil, "two"}}}
	for name, value := range o {
		with[name] = value
	}
	if _, ok := with["_meta"]; !ok {
		with["_meta"] = map[string]any{"com.example/note": "vendor data"}
	}
	return with
}

func (s *Server) text(method string, id json.RawMessage, answer any) string {
	switch a := answer.(type) {
	case Silence:
		return ""
	case Raw:
		return string(a)
	}
	content, err := body(answer)
	if err != nil {
		refuse(fmt.Sprintf("fakeserver: the answer to %s %v; a Raw is sent as it is", method, err))
	}
	text := `{"jsonrpc":"2.0"` + member("id", id) + `,` + content + `}`
	if s.Edit != nil {
		return s.Edit(text)
	}
	return text
}

func member(name string, value json.RawMessage) string {
	if value == nil {
		value = json.RawMessage("null")
	}
	return `,"` + name + `":` + string(value)
}

// body is the member of a response that holds the answer.
func body(answer any) (string, error) {
	name := `"result":`
	switch answer.(type) {
	case *Error:
		name = `"error":`
	case Error:
		return "", errors.New("is an Error, want an *Error")
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", fmt.Errorf("is not JSON: %w", err)
	}
	if !bytes.HasPrefix(text, []byte("{")) {
		return "", fmt.Errorf("is %s, want an object", text)
	}
	return name + string(text), nil
}

// refuse ends the test program. The panic has a goroutine of its own, since net/http
// recovers that of a handler.
func refuse(problem string) {
	go panic(problem)
	select {}
}

func isInitialize(body []byte) bool {
	var r Request
	return json.Unmarshal(body, &r) == nil && r.Method == "initialize"
}

func isError(text string) bool {
	var m map[string]any
	return json.Unmarshal([]byte(text), &m) == nil && m["error"] != nil
}

// Tool is a tool of one required text parameter, read-only if it says so.
func Tool(name string, readOnly bool) map[string]any {
	tool := map[string]any{
		"name": name,
		"inputSchema": map[string]any{
			"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}, "required": []any{"text"},
		},
	}
	if readOnly {
		tool["annotations"] = map[string]any{"readOnlyHint": true}
	}
	return tool
}
