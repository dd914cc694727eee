package probe

import (
	"slices"
	"sync"
)

// Tokens are the credentials that came to light during a run: the tokens of sessions that
// the server gave out, and those that a command made. They are safe for concurrent use, and
// a nil *Tokens keeps none.
type Tokens struct {
	mu  sync.Mutex
	all []string
}

// shortestToken is the length from which a token is known again: shorter texts occur by
// chance.
const shortestToken = 8

// Add keeps a token.
func (t *Tokens) Add(token string) {
	if t == nil || len(token) < shortestToken {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.all, token) {
		t.all = append(t.all, token)
	}
}

// All are the tokens, in the order in which they came.
func (t *Tokens) All() []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.all)
}
