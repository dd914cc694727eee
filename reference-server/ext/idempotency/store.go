package idempotency

import (
	"bytes"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// maxEntries is the size of the store: beyond it the store forgets the oldest key.
const maxEntries = 4096

type identity struct {
	principal  string
	key        string
	connection *core.Conversation // nil unless a fault forgets keys with their connection
	kind       string             // empty unless a fault keeps several stores
}

// A store holds the outcomes of the calls with a key.
type store struct {
	faults Switches

	mu       sync.Mutex
	entries  map[identity]*entry
	order    []*entry          // the oldest first; may contain forgotten entries
	claims   int               // for a fault: calls with a key
	refusals map[identity]bool // for a fault: refused calls, which use their keys up
}

// An entry is one call. The entry exists from the beginning of the call, so that a
// parallel repeat finds it.
type entry struct {
	id             identity
	digest         string
	began          time.Time
	finished       chan struct{} // closed when result and expires are set
	repeats        atomic.Int64
	closeRivalled  sync.Once // closes rivalled when a faulty server meets a parallel call
	rivalled       chan struct{}
	setFirstRepeat sync.Once // for a fault: sets firstRepeat
	firstRepeat    time.Time // when the call was first repeated

	result  []byte // nil for a call without an outcome
	expires time.Time
}

// claim returns the entry of a key, and whether the caller is the first to use the key
// and has to settle the entry.
func (s *store) claim(id identity, digest string, now time.Time) (e *entry, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.entries[id]; ok && !s.expired(known, now) {
		return known, false
	}
	e = &entry{id: id, digest: digest, began: now, finished: make(chan struct{}), rivalled: make(chan struct{})}
	if s.entries == nil {
		s.entries = map[identity]*entry{}
	}
	s.entries[id] = e
	s.order = append(s.order, e)
	for len(s.order) > s.limit() && !s.faults.Unbounded {
		if oldest := s.order[0]; s.entries[oldest.id] == oldest {
			delete(s.entries, oldest.id)
		}
		s.order = s.order[1:]
	}
	return e, true
}

// limit is the maximum number of entries.
func (s *store) limit() int {
	if s.faults.LastKey {
		return 1
	}
	return maxEntries
}

// newest is the time of the last new key, which only a fault uses.
func (s *store) newest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order[len(s.order)-1].began
}

// full counts the calls of a fault that fails beyond a number of keys, and reports
// whether the number is exceeded.
func (s *store) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims++
	return s.faults.FallsOver && s.claims > maxEntries/2
}

func (s *store) expired(e *entry, now time.Time) bool {
	// A call that still runs keeps its key.
	return e.settled() && !s.faults.NoTTL && !now.Before(e.expires)
}

func (s *store) keep(e *entry, result fault.Message, expires time.Time) {
	raw, err := json.Marshal(result)
	if err != nil {
		s.forget(e)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.result, e.expires = raw, expires
	close(e.finished)
}

func (s *store) forget(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.id] == e {
		delete(s.entries, e.id)
	}
	close(e.finished)
}

// drop forgets an entry that has its outcome, for a fault.
func (s *store) drop(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.id] == e && e.settled() {
		delete(s.entries, e.id)
	}
}

// refuse remembers a refused call, for a fault.
func (s *store) refuse(id identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusals == nil {
		s.refusals = map[identity]bool{}
	}
	s.refusals[id] = true
}

func (s *store) refused(id identity) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusals[id]
}

// settled tells whether the call is no longer being served.
func (e *entry) settled() bool {
	select {
	case <-e.finished:
		return true
	default:
		return false
	}
}

// outcome returns the result of a settled call without its metadata, which each answer
// gets anew.
func (e *entry) outcome() (fault.Message, bool) {
	if !e.settled() || e.result == nil {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(e.result))
	decoder.UseNumber()
	var result map[string]any
	if decoder.Decode(&result) != nil {
		return nil, false
	}
	delete(result, "_meta")
	return result, true
}
