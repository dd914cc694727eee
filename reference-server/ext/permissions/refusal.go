package permissions

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// notAllowed is the JSON-RPC error code for valid params without permission, outside
// the range of JSON-RPC.
const notAllowed = 1001

// A refusal is one reason to refuse: in words, and in the terms of the
// structured-errors extension.
type refusal struct {
	text string
	why  core.Refusal
}

// lacking names the missing scopes, and how to get them.
func lacking(missing []string) *refusal {
	return &refusal{"This call needs " + strings.Join(missing, " and ") + ".", core.Refusal{
		Code: "SCOPE_INSUFFICIENT", Category: core.AuthRequired, ForUsers: true,
		Suggestion: "Ask for the missing scopes with scopes/negotiate, or let the user open elevation_url.",
		Details:    map[string]any{"missing_scopes": missing, "elevation_url": elevation(missing)},
	}}
}

func unknownToken() *refusal {
	return &refusal{"The session token is unknown.", core.Refusal{
		Code: "AUTHENTICATION_REQUIRED", Category: core.AuthRequired, Suggestion: "Ask for a session with scopes/negotiate.",
	}}
}

func endedToken() *refusal {
	return &refusal{"The session has ended.", core.Refusal{
		Code: "TOKEN_EXPIRED", Category: core.AuthRequired, Suggestion: "Ask for a new session with scopes/negotiate.",
	}}
}

func malformed(text string) *refusal {
	return &refusal{text, core.Refusal{Code: "INVALID_INPUT", Category: core.InvalidInput}}
}

// answer refuses a tools/call: with a result, so that the model sees the reason,
// unless the request itself is malformed.
func (r *refusal) answer(t *core.Turn) (fault.Message, *core.Error) {
	if r.why.Category == core.InvalidInput {
		return nil, r.failure(t)
	}
	return t.RefuseResult(r.text, r.why), nil
}

// failure refuses a method of the extension.
func (r *refusal) failure(t *core.Turn) *core.Error {
	code := notAllowed
	if r.why.Category == core.InvalidInput {
		code = envelope.InvalidParams
	}
	return t.RefuseError(code, r.text, r.why)
}
