package core

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A Refusal says why a request fails, in the terms of the structured-errors extension.
// Code that refuses a request gives a Refusal beside the answer in plain core form and
// need not know whether the extension is on: without the extension clients get the
// plain answer alone.
type Refusal struct {
	Code        string   // UPPER_SNAKE_CASE; the same for the same cause
	Category    Category // how a client can react
	Message     string   // for people; empty to repeat the text of the answer
	RetryAfter  time.Duration
	ForUsers    bool // the user can react and should be told
	Suggestion  string
	Details     map[string]any
	Explanation string // the section of the documentation; empty for the section of the category
}

// A Category says how a client can react to a failure.
type Category string

// The categories. Transient and RateLimited need Refusal.RetryAfter.
const (
	Transient    Category = "transient"     // the same request may succeed later
	Permanent    Category = "permanent"     // the same request will never succeed
	AuthRequired Category = "auth_required" // the request needs other rights
	InvalidInput Category = "invalid_input" // the request has to change
	RateLimited  Category = "rate_limited"  // the client sent too many requests
)

// refusing remembers why a request is going to fail.
type refusing struct{ why *Refusal }

// Refuse says why the request is going to fail. The last Refusal counts.
func (r *refusing) Refuse(why Refusal) { r.why = &why }

// Refusal is the reason for the failure of the request; ok is false without one.
func (r *refusing) Refusal() (why Refusal, ok bool) {
	if r.why == nil {
		return Refusal{}, false
	}
	return *r.why, true
}

// RefuseError is Refuse for a request that is answered with a JSON-RPC error.
func (r *refusing) RefuseError(code int, text string, why Refusal) *Error {
	r.Refuse(why)
	return &Error{Code: code, Message: text}
}

// RefuseResult is Refuse for a tools/call that is answered with isError.
func (r *refusing) RefuseResult(text string, why Refusal) fault.Message {
	r.Refuse(why)
	return toolError(text)
}
