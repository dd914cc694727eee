package permissions

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches are the ways in which a fault makes the extension misbehave. The zero
// Switches keep every rule. What only an answer says wrong is no switch: the fault
// changes the answer.
type Switches struct {
	NoCheck      bool   // permissions/check is an unknown method
	CheckRuns    bool   // the check runs the tool
	CheckCounts  string // a tool that the check runs, as if it were called
	CheckAllows  string // a tool that the check allows to everybody
	AssertedHeld bool   // the scopes that a check was told of are those of the connection from then on
	NoRequired   bool   // tools/list tells nothing of scopes

	GateOpen        string // a tool that the call itself is allowed to everybody
	ActsThenRefuses bool   // a call that lacks a scope is refused after it has run

	Coaxes        bool // scopes/negotiate makes something out of malformed params
	IgnoreToken   bool // session tokens are not looked at
	TokenOpensAll bool // a session opens every tool
	AnyToken      bool // every token opens every tool
	TokenTail     bool // only the first half of a token is compared
	NeverExpires  bool // a session outlives its end
	NeverIdle     bool // a session may lie unused
	PerConnection bool // the token of a session without scopes is known only on the connection that it was given out on
}

// holder is whom a session is given to, or who shows the token of one.
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
	own, _ := f.Ext.(Switches) // another extension's are none of this one's business
	return own
}

// lets tells whether a fault lets a call through that lacks a scope. One with a
// token is judged by that.
func (d *desk) lets(call *core.ToolCall) bool {
	token, _ := d.token(call.Turn)
	return token == "" && d.Faults.GateOpen == call.Name
}

// forged tells whether a fault takes a token that nobody was given.
func (f Switches) forged(s *sessions, token string, known bool) bool {
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

// coax turns params that do not fit into some that ask for every scope there is.
func coax(params json.RawMessage) json.RawMessage {
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

// asserted are scopes that a faulty server takes a client's word for.
type asserted struct {
	mu sync.Mutex
	by map[*core.Conversation][]string
}

func (a *asserted) add(c *core.Conversation, scopes []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[*core.Conversation][]string{}
	}
	a.by[c] = scopes
}

func (a *asserted) of(c *core.Conversation) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.by[c]
}
