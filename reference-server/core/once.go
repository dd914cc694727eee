package core

import (
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// maxSpent is how many runs the server remembers to be done.
const maxSpent = 20_000

// spent are the runs whose one effect has happened.
type spent struct {
	mu   sync.Mutex
	runs map[string]bool
	past []string // the oldest first
}

// has reports whether a run is known to be done.
func (s *spent) has(run string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[run]
}

// add reports whether a run is new.
func (s *spent) add(run string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs[run] {
		return false
	}
	if s.runs == nil {
		s.runs = map[string]bool{}
	}
	s.runs[run], s.past = true, append(s.past, run)
	if len(s.past) > maxSpent {
		delete(s.runs, s.past[0])
		s.past = s.past[1:]
	}
	return true
}

// Once returns an error where the answers of the client to a request have had their effect before. A
// tool whose effect may happen only once calls Once after its last question. It needs a
// server of one process: others would share what they have done.
func Once(t *Turn) error {
	f := t.core.Fault
	if t.rounds == nil || t.rounds.run == "" || f.Skips(fault.CheckStateOnce) {
		return nil
	}
	if f.Skips(fault.CheckStateOnceAtOnce) && !t.core.spent.has(t.rounds.run) {
		time.Sleep(50 * time.Millisecond) // another retry comes in the meantime
		t.core.spent.add(t.rounds.run)
		return nil
	}
	if t.core.spent.add(t.rounds.run) {
		return nil
	}
	return badParams("requestState was used before")
}
