package permissions

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every
// rule. For a wrong answer alone a fault needs no switch: it changes the answer.
type Switches struct {
	NoCheck      bool   // permissions/check is an unknown method
	CheckRuns    bool   // the check runs the tool
	CheckCounts  string // a tool that the check runs like a call
	CheckAllows  string // a tool that the check allows to every principal
	AssertedHeld bool   // the connection gets the scopes that a check has named
	NoRequired   bool   // tools/list names no scopes

	GateOpen        string // a tool that the call allows to every principal
	ActsThenRefuses bool   // a call that lacks a scope is refused after it has run

	Coaxes        bool // scopes/negotiate accepts malformed params
	IgnoreToken   bool // session tokens are ignored
	TokenOpensAll bool // a session allows every tool
	AnyToken      bool // every token allows every tool
	TokenTail     bool // only the first half of a token is compared
	NeverExpires  bool // a session outlives its end
	NeverIdle     bool // a session may stay unused
	PerConnection bool // the token of a session without scopes is known only on the connection of its negotiation
}

// holder is the principal of a session.
func (d *desk) holder(t *core.Turn, scopes []string) string {
	if d.Faults.PerConnection && len(scopes) == 0 {
		return t.Principal() + " on " + t.Caller()
	}
	return t.Principal()
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

// skipsScopes tells whether a fault allows a call that lacks a scope. The token of a
// call decides first.
func (d *desk) skipsScopes(call *core.ToolCall) bool {
	token, _ := d.token(call.Turn)
	return token == "" && d.Faults.GateOpen == call.Name
}

// acceptsForged tells whether a fault accepts a token that was never issued.
func (f Switches) acceptsForged(s *sessions, token string, known bool) bool {
	switch {
	case known:
		return false
	case f.TokenTail:
		s.mu.Lock()
		defer s.mu.Unlock()
		for given := range s.by {
			if len(given) == len(token) && given[:8] == token[:8] {
				return true
			}
		}
		return false
	default:
		return f.AnyToken
	}
}

// requestEveryScope turns malformed params into params that request every scope.
func requestEveryScope(params json.RawMessage) json.RawMessage {
	var w struct {
		Requested json.RawMessage `json:"requested_scopes"`
	}
	if json.Unmarshal(params, &w) == nil && bytes.HasPrefix(w.Requested, []byte("[")) {
		return params
	}
	all, err := json.Marshal(map[string]any{"requested_scopes": names()})
	if err != nil {
		return params
	}
	return all
}

// assertedScopes holds the scopes that a faulty server believes a client to have.
type assertedScopes struct {
	mu sync.Mutex
	by map[*core.Conversation][]string
}

func (a *assertedScopes) add(c *core.Conversation, scopes []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[*core.Conversation][]string{}
	}
	a.by[c] = scopes
}

func (a *assertedScopes) of(c *core.Conversation) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.by[c]
}
