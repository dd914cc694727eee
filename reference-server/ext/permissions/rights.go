package permissions

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// ownScopes lists the scopes that a principal has without a negotiation. Over HTTP the
// bearer token is the principal; a real server would look it up.
func ownScopes(principal string) []string {
	switch principal {
	case "key-of-the-harbour-master":
		return names()
	case "key-of-the-harbour-guest":
		return []string{"read:berths"}
	default:
		return []string{"read:berths", "write:berths"}
	}
}

// grantable lists the scopes that a principal can negotiate: its own, and the scopes
// that every principal may request.
func grantable(principal string) []string {
	scopes := []string{"read:berths", "write:berths", "write:signals"}
	if slices.Contains(ownScopes(principal), admin) {
		scopes = append(scopes, admin)
	}
	return scopes
}

// rights lists the scopes for judging a request. With a session token they are the
// scopes of the session and no others, so that a client can work with fewer scopes
// than it has; an unknown or ended token allows nothing.
func (d *desk) rights(t *core.Turn) ([]string, *refusal) {
	token, refusal := d.token(t)
	switch {
	case refusal != nil:
		return nil, refusal
	case token == "" || d.Faults.IgnoreToken:
		return d.own(t), nil
	}
	scopes, refusal := d.session(t, token)
	switch {
	case refusal != nil && d.Faults.ForgedDropped:
		return d.own(t), nil
	case refusal == nil && d.Faults.TokenWidens:
		return append(d.own(t), scopes...), nil
	}
	return scopes, refusal
}

// own lists the scopes of a caller without a token; a fault adds some.
func (d *desk) own(t *core.Turn) []string {
	return slices.Concat(ownScopes(t.Principal()), d.kept.of(t.Conversation()), d.kept.of(t.Principal()))
}

// token is the session token of a request: from _meta under the bare or the prefixed
// key, or over HTTP from the header. Several tokens have to be equal.
func (d *desk) token(t *core.Turn) (string, *refusal) {
	tokens := t.Header("X-MCP-Session-Token")
	for _, key := range []string{"session_token", Prefix + "session_token"} {
		raw := t.Meta(key)
		if raw == nil {
			continue
		}
		var token *string
		if json.Unmarshal(raw, &token) != nil || token == nil {
			return "", malformed(key + " is not a string")
		}
		tokens = append(tokens, *token)
	}
	for _, token := range tokens {
		switch {
		case token == "":
			return "", unknownToken()
		case token != tokens[0]:
			return "", malformed("the session tokens differ from each other")
		}
	}
	if len(tokens) == 0 {
		return "", nil
	}
	return tokens[0], nil
}
