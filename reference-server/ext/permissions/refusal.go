package permissions

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// notAllowed is the code of a JSON-RPC error for what is no slip in the params; it
// lies outside of the range that JSON-RPC keeps for itself.
const notAllowed = 1001

// A refusal is one reason to say no, for people and, as a record of the
// structured-errors extension, for programs.
type refusal struct {
	text           string
	code, category string
	suggestion     string
	details        map[string]any
}

// lacking says which scopes are missing, and how to get them.
func (d *desk) lacking(missing []string) *refusal {
	text := "This call needs"
	for i, scope := range missing {
		if i > 0 {
			text += " and"
		}
		text += " " + scope
	}
	return &refusal{
		text: text + ".", code: "SCOPE_INSUFFICIENT", category: "auth_required",
		suggestion: "Ask for the missing scopes with scopes/negotiate, or let the user open elevation_url.",
		details:    map[string]any{"missing_scopes": missing, "elevation_url": elevation(missing)},
	}
}

func unknownToken() *refusal {
	return &refusal{
		text: "The session token is unknown.", code: "AUTHENTICATION_REQUIRED", category: "auth_required",
		suggestion: "Ask for a session with scopes/negotiate.",
	}
}

func endedToken() *refusal {
	return &refusal{
		text: "The session has ended.", code: "TOKEN_EXPIRED", category: "auth_required",
		suggestion: "Ask for a new session with scopes/negotiate.",
	}
}

func malformed(text string) *refusal {
	return &refusal{text: text, code: "INVALID_INPUT", category: "invalid_input"}
}

// record is the refusal for programs.
func (r *refusal) record() map[string]any {
	record := map[string]any{"code": r.code, "message": r.text, "category": r.category, "user_actionable": r.code == "SCOPE_INSUFFICIENT"}
	if r.suggestion != "" {
		record["suggestion"] = r.suggestion
	}
	if r.details != nil {
		record["details"] = r.details
	}
	return record
}

// answer refuses a tools/call: as a result, so that the model sees why, unless the
// request itself is malformed.
func (r *refusal) answer(t *core.Turn) (fault.Message, *core.Error) {
	if r.category == "invalid_input" {
		return nil, r.failure(t)
	}
	meta := map[string]any{"error": r.record()}
	if t.Modern() {
		meta[Prefix+"error"] = r.record()
	}
	return fault.Message{
		"content": []any{map[string]any{"type": "text", "text": r.text}}, "isError": true, "_meta": meta,
	}, nil
}

// failure refuses a method of the extension.
func (r *refusal) failure(*core.Turn) *core.Error {
	code := notAllowed
	if r.category == "invalid_input" {
		code = envelope.InvalidParams
	}
	return &core.Error{Code: code, Message: r.text, Data: r.record()}
}
