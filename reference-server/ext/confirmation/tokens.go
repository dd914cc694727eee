package confirmation

import (
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// mostTokens is how many tokens are known at once; beyond it all are forgotten.
const mostTokens = 10_000

// A subject is what a user agrees to: one call of one caller.
type subject struct{ tool, arguments, principal string }

// subjectOf is equal for equal arguments, however they are written.
func (f Switches) subjectOf(call *core.ToolCall) subject {
	if f.TextOrder {
		return subject{call.Name, string(call.Arguments), call.Principal()}
	}
	var arguments any
	_ = json.Unmarshal(call.Arguments, &arguments) // an object, which has been read before
	text, _ := json.Marshal(arguments)
	return subject{call.Name, string(text), call.Principal()}
}

// tokens are the questions that were asked.
type tokens struct {
	mu     sync.Mutex
	issued []*question
}

// A question has a token, which is good for one answer.
type question struct {
	token string
	about subject
	until time.Time
	spent bool
}

// issue makes a token that nobody can guess.
func (k *tokens) issue(f Switches, about subject, until time.Time) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.issued) == mostTokens {
		k.issued = nil
	}
	token := f.token(rand.Text(), about, len(k.issued))
	k.issued = append(k.issued, &question{token: token, about: about, until: until})
	return token
}

// spend uses a token up. It reports whether the token was issued for the subject, and neither
// used nor expired.
func (k *tokens) spend(f Switches, token string, about subject, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := false
	for _, q := range k.issued {
		known = known || q.token == token
		if q.token != token || !f.concerns(q.about, about) || q.spent && !f.Reusable || now.After(q.until) && !f.NeverExpires {
			continue
		}
		q.spent = true
		return !f.AsksAgain
	}
	return f.accepts(token, known)
}
