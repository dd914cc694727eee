package sessionstate

import (
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Switches make the extension misbehave for a fault. The zero Switches keep every rule.
type Switches struct {
	Before, Behind string // what stands around the base64 of a token
	Unsealed       bool   // a token is the content itself, and is taken from anybody
	OwnerCompared  bool   // with Unsealed, a token is taken from its owner alone
	Grows          bool   // each change makes the token longer
	Ignores        bool   // tokens are ignored
	Remembers      string // a tool whose calls without a token continue where their caller stopped
	Latest         bool   // each token continues where the last change of its caller ended
	GarbageFresh   bool   // a token that cannot be read counts as none
	LengthOnly     bool   // of a token only the length is checked
	NeverStale     bool   // tokens never end
	StuckWhenStale bool   // after a stale token the next call without one fails
	AnyPrincipal   bool   // a token is good for every caller
}

func switches(f *fault.Fault) Switches {
	if f == nil {
		return Switches{}
	}
	own, _ := f.Ext.(Switches) // zero if Ext holds another extension's switches
	return own
}

// latest is what faulty servers remember of the tokens that they issued.
type latest struct {
	mu    sync.Mutex
	held  map[string]content // by principal
	token string
	stuck bool
}

func (l *latest) issued(principal, token string, c content) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]content{}
	}
	l.held[principal], l.token = c, token
}

func (l *latest) staled(stuck bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stuck = stuck
}

func (l *latest) of(principal string) content {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[principal]
}

// failing reports once whether the call fails.
func (l *latest) failing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	stuck := l.stuck
	l.stuck = false
	return stuck
}

// unasked is the state of a call without a token.
func (f Switches) unasked(l *latest, call *core.ToolCall, fresh content) content {
	if f.Remembers == call.Name {
		return l.of(call.Principal())
	}
	return fresh
}

// opened is the state of a call with a good token.
func (f Switches) opened(l *latest, t *core.Turn, held content) content {
	switch {
	case f.Ignores:
		return content{Principal: t.Principal()}
	case f.Latest:
		return l.of(t.Principal())
	}
	return held
}

// unreadable is the answer to a token that cannot be opened.
func (f Switches) unreadable(l *latest, t *core.Turn, token string) (content, *core.Refusal) {
	l.mu.Lock()
	known := len(l.token)
	l.mu.Unlock()
	switch {
	case f.GarbageFresh && len(token) < 10:
		return content{Principal: t.Principal()}, nil
	case f.LengthOnly && known == len(token):
		return l.of(t.Principal()), nil
	}
	return content{}, unusable("INVALID_INPUT", "session_state cannot be read.")
}

// pad is what a change adds to a token.
func (f Switches) pad() string {
	if f.Grows {
		return strings.Repeat("tide ", 1000)
	}
	return ""
}
