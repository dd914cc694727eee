package core

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A Refusal says why a request fails, in the terms of the structured-errors
// extension. Who refuses a request says it beside the answer in plain core form,
// and need not know whether anybody passes it on: without that extension clients
// get the plain answer alone.
type Refusal struct {
	Code        string   // UPPER_SNAKE_CASE; the same for the same cause
	Category    Category // what a client can do about it
	Message     string   // for people; empty: what the answer says anyway
	RetryAfter  time.Duration
	ForUsers    bool // the user can do something about it, and should be told
	Suggestion  string
	Details     map[string]any
	Explanation string // the part of the documentation that explains it; empty: that of the category
}

// A Category says what a client can do about a failure.
type Category string

// The categories. The first and the last need Refusal.RetryAfter.
const (
	Transient    Category = "transient"     // the same request may succeed later
	Permanent    Category = "permanent"     // it never will
	AuthRequired Category = "auth_required" // it takes other rights
	InvalidInput Category = "invalid_input" // it takes another request
	RateLimited  Category = "rate_limited"  // there were too many
)

// Refuse says why the request is going to fail. What is said last counts.
func (t *Turn) Refuse(why Refusal) { t.refusal = &why }

// Refusal is why the request failed; ok is false when nobody said so.
func (t *Turn) Refusal() (why Refusal, ok bool) {
	if t.refusal == nil {
		return Refusal{}, false
	}
	return *t.refusal, true
}

// RefuseError is Refuse for a request that is answered with a JSON-RPC error.
func (t *Turn) RefuseError(code int, text string, why Refusal) *Error {
	t.Refuse(why)
	return &Error{Code: code, Message: text}
}

// RefuseResult is Refuse for a tools/call that is answered with isError.
func (t *Turn) RefuseResult(text string, why Refusal) fault.Message {
	t.Refuse(why)
	return toolError(text)
}
