// Package envelope reads JSON-RPC messages strictly: it refuses what the
// specification does not allow and never repairs it.
package envelope

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A Kind is the kind of a message.
type Kind int

// The kinds of messages.
const (
	Unreadable   Kind = iota // not a JSON-RPC message; Problem says why
	Request                  // has a method and an id
	Notification             // has a method and no id
	Response                 // has a result or an error, and no method
	Batch                    // a list of messages
)

// The JSON-RPC error codes for unreadable messages.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	InvalidParams  = -32602
)

// A Problem is the error for a message with a wrong form.
type Problem struct {
	Code int
	Text string
}

// A Message is one message as the client wrote it.
type Message struct {
	Kind    Kind
	ID      json.RawMessage // byte for byte; nil without an id that may be echoed
	Key     string          // equal for equal ids, even if they are written differently
	Method  string
	Params  json.RawMessage // nil without params; else an object
	Members []Message       // the messages of a batch
	Result  json.RawMessage // of a response; nil without a result
	Error   json.RawMessage // of a response; nil without an error
	Problem *Problem        // also of a request whose params are not an object

	// Param and Meta are the members of Params and of the _meta in it. They are
	// decoded once, here, because all code that serves a message reads them.
	Param, Meta map[string]json.RawMessage
}

// Read reads one message. The fault names checks to skip; nil skips none.
func Read(raw []byte, f *fault.Fault) Message {
	if problem := grammar(raw, f); problem != nil {
		return Message{Problem: problem, ID: idOf(raw, problem)}
	}
	return reader{fault: f}.message(raw, true)
}

type reader struct{ fault *fault.Fault }

func (r reader) message(raw []byte, mayBatch bool) Message {
	switch kindOf(raw) {
	case '{':
		return r.object(Members(raw))
	case '[':
		if !mayBatch {
			return invalid("a list within a list is no message")
		}
		batch := Message{Kind: Batch}
		for _, member := range elements(raw) {
			batch.Members = append(batch.Members, r.message(member, false))
		}
		return batch
	default:
		return invalid("a message is an object")
	}
}

func (r reader) object(m map[string]json.RawMessage) Message {
	id, hasID := m["id"]
	msg := Message{}
	if key, ok := idKey(id); ok || (hasID && r.fault.Skips(fault.CheckIDType)) {
		msg.ID, msg.Key = id, key
		if !ok {
			msg.Key = string(id)
		}
	}
	_, hasMethod := m["method"]
	method, isText := Text(m["method"])
	version, _ := Text(m["jsonrpc"])

	// A message that was surely meant as a notification stays one, however broken, so
	// that it is never answered.
	if !hasID && isText && method != "" {
		msg.Kind, msg.Method = Notification, method
	}
	switch {
	case version != "2.0" && !r.fault.Skips(fault.CheckVersionMember):
		return msg.with(InvalidRequest, `jsonrpc is not "2.0"`)
	case !hasMethod && (has(m, "result") || has(m, "error")):
		return r.response(msg, m, hasID)
	case !isText || method == "":
		return msg.with(InvalidRequest, "method is not a non-empty string")
	case hasID && msg.ID == nil:
		return msg.with(InvalidRequest, "id is neither a string nor an integer")
	}
	msg.Method = method
	if hasID {
		msg.Kind = Request
	}
	if params, given := m["params"]; given {
		switch {
		case kindOf(params) == '{':
			msg.Params, msg.Param = params, Members(params)
			msg.Meta = Members(msg.Param["_meta"])
		case !r.fault.Skips(fault.CheckParamsObject):
			return msg.with(InvalidParams, "params is not an object")
		}
	}
	return msg
}

func (r reader) response(msg Message, m map[string]json.RawMessage, hasID bool) Message {
	msg.Kind, msg.Result, msg.Error = Response, m["result"], m["error"]
	switch {
	case has(m, "result") && has(m, "error"):
		return msg.with(InvalidRequest, "both result and error are present")
	case hasID && msg.ID == nil && string(m["id"]) != "null":
		return msg.with(InvalidRequest, "id is neither a string nor an integer")
	}
	return msg
}

func (m Message) with(code int, text string) Message {
	m.Problem = &Problem{Code: code, Text: text}
	return m
}

func invalid(text string) Message {
	return Message{}.with(InvalidRequest, text)
}

func has(m map[string]json.RawMessage, name string) bool {
	_, ok := m[name]
	return ok
}
