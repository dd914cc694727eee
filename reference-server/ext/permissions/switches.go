package permissions

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/intent"
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
	AssertedKept bool   // the principal gets the scopes that a check has named
	CheckLate    bool   // the check runs the tool some time after its answer
	NoRequired   bool   // tools/list names no scopes

	GateOpen        string // a tool that the call allows to every principal
	OpenBy          string // the member of _meta with which a call lacks no scope
	StepOpen        bool   // a step of a transaction lacks no scope
	BelievesIntent  bool   // a call whose intent speaks of approval lacks no scope
	ActsThenRefuses bool   // a call that lacks a scope is refused after it has run
	RefusesThenActs bool   // a call that lacks a scope runs some time after its refusal

	Coaxes        bool // scopes/negotiate accepts malformed params
	IgnoreToken   bool // session tokens are ignored
	TokenOpensAll bool // a session allows every tool
	AnyToken      bool // every token allows every tool
	TokenTail     bool // only the first half of a token is compared
	DeniedKept    bool // the token of a session opens each scope that was requested
	TokenWidens   bool // a token adds the scopes of its session to those of its caller
	ForgedDropped bool // a call with an unknown or ended token is judged by the rights of its caller
	GrantKept     bool // a principal keeps the scopes of its sessions, with and without a token
	CountedTokens bool // the token of a session is a number
	NamesSessions bool // the refusal of an unknown token names the tokens of the sessions that there are
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

// opens are the scopes of a session.
func (f Switches) opens(granted, requested []string) []string {
	if f.DeniedKept && len(granted) > 0 {
		return requested
	}
	return granted
}

// skipsScopes tells whether a fault allows a call that lacks a scope. The token of a
// call decides first.
func (d *desk) skipsScopes(call *core.ToolCall) bool {
	token, _ := d.token(call.Turn)
	return d.Faults.OpenBy != "" && call.Meta(d.Faults.OpenBy) != nil || d.Faults.StepOpen && call.Exchange().Method == "transaction/step" ||
		token == "" && d.Faults.GateOpen == call.Name || d.Faults.BelievesIntent && strings.Contains(intent.Of(call.Turn), "approved")
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

// naming adds the tokens of the sessions that there are to a refusal.
func (f Switches) naming(s *sessions, r *refusal) *refusal {
	if !f.NamesSessions {
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.why.Details = map[string]any{"known": slices.Sorted(maps.Keys(s.by))}
	return r
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

// keptScopes holds the scopes that a faulty server believes clients to have, by their
// connection or by their principal.
type keptScopes struct {
	mu sync.Mutex
	by map[any][]string
}

func (k *keptScopes) add(whose any, scopes []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil {
		k.by = map[any][]string{}
	}
	k.by[whose] = append(k.by[whose], scopes...)
}

func (k *keptScopes) of(whose any) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.by[whose])
}

// later runs a call some time after its answer, as a server with a queue does.
func later(run func()) { time.AfterFunc(50*time.Millisecond, run) }
