package core

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Keep remembers a value while the request is served, for an extension that is called
// again. Each key has a type of its own.
func (t *Turn) Keep(key, value any) {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	if t.kept == nil {
		t.kept = map[any]any{}
	}
	t.kept[key] = value
}

// Kept returns the value under the key; nil without one.
func (t *Turn) Kept(key any) any {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	return t.kept[key]
}

// Notify sends a notification on behalf of the request, before its answer.
func (t *Turn) Notify(method string, params map[string]any) { t.notify(method, params) }

// Rerun runs a tool for a method of an extension, and fits the result to the
// revision as tools/call does.
func (t *Turn) Rerun(name string, arguments json.RawMessage) (fault.Message, *Error) {
	result, failure := t.RunTool(name, arguments)
	if failure != nil {
		return nil, failure
	}
	return t.shaper().toolResult(result), nil
}

// declare remembers the capabilities that a client declared in the handshake.
func (c *Conversation) declare(capabilities json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = capabilities
}

func (c *Conversation) declared() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}
