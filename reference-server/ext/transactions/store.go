package transactions

import (
	"sync"
	"time"
)

// The limits of the store, for clients that begin transactions and never end them.
const (
	maxOpen  = 1024
	maxSteps = 100
)

// A name identifies a transaction: the ids of different principals are independent.
type name struct{ principal, id string }

// A transaction is open until it is committed, rolled back or idle for too long.
type transaction struct {
	name name
	idle time.Duration
	// busy is full while a request works on the transaction; only that request may
	// touch the fields below. Steps of one transaction run one after the other, so
	// that a rollback knows their order and misses no running step.
	busy  chan struct{}
	timer *time.Timer
	until time.Time // the end of the permitted idle time
	over  bool
	tries int    // number of steps that were run
	steps []step // the successful steps in the order of their runs

	// The fields below are for faults.
	failed   []step
	injected []Call
	fixed    bool          // work does not extend the idle time
	ended    bool          // the transaction can only be rolled back
	undone   bool          // its steps are undone already, and its commit says so
	met      chan struct{} // joins two requests that overlap
}

// A step is a successful call.
type step struct {
	id   string
	key  string // the idempotency key; empty without one
	undo *Call  // nil: nothing can be undone
}

// A store holds the open transactions.
type store struct {
	mu   sync.Mutex
	open map[name]*transaction
}

// A problem says why a transaction was not begun.
type problem int

const (
	none problem = iota
	taken
	full
)

// begin opens a transaction; a timer calls expire after the idle time.
func (s *store) begin(as name, idle time.Duration, expire func(*transaction), f Switches) problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if there := s.open[as]; there != nil {
		return s.beginAgain(there, f)
	}
	if len(s.open) >= maxOpen {
		return full
	}
	if s.open == nil {
		s.open = map[name]*transaction{}
	}
	x := &transaction{
		name: as, idle: idle, until: time.Now().Add(idle), fixed: f.FromBegin,
		busy: make(chan struct{}, 1), met: make(chan struct{}),
	}
	s.open[as] = x
	if !f.NeverExpires {
		x.busy <- struct{}{} // the timer may fire before x.timer is set
		x.timer = time.AfterFunc(idle, func() { expire(x) })
		<-x.busy
	}
	return none
}

// beginAgain handles a begin with an id in use.
func (s *store) beginAgain(there *transaction, f Switches) problem {
	switch {
	case f.BeginAgain:
		return none
	case f.BeginResets:
		there.busy <- struct{}{}
		there.steps = nil
		<-there.busy
	case f.BeginEnds:
		delete(s.open, there.name)
	}
	return taken
}

// take waits until the transaction is not busy; x is nil without an open transaction
// of that name.
func (s *store) take(as name, stop <-chan struct{}) (x *transaction, stopped bool) {
	s.mu.Lock()
	x = s.open[as]
	s.mu.Unlock()
	if x == nil {
		return nil, false
	}
	select {
	case x.busy <- struct{}{}:
	case <-stop:
		return nil, true
	}
	if x.over {
		<-x.busy
		return nil, false
	}
	return x, false
}

// takeIdle takes a transaction to end it, unless it was used in the meantime.
func (s *store) takeIdle(x *transaction) bool {
	x.busy <- struct{}{}
	if x.over || time.Now().Before(x.until) {
		<-x.busy
		return false
	}
	return true
}

// release ends the work on a transaction that stays open. The idle time starts anew.
func (s *store) release(x *transaction) {
	if x.timer != nil && !x.fixed {
		x.until = time.Now().Add(x.idle)
		x.timer.Reset(x.idle)
	}
	<-x.busy
}

// end ends a transaction; only a fault keeps it in the store.
func (s *store) end(x *transaction, keep bool) {
	if x.timer != nil {
		x.timer.Stop()
	}
	if x.ended = keep; !keep {
		x.over, x.steps = true, nil
		s.mu.Lock()
		delete(s.open, x.name)
		s.mu.Unlock()
	}
	<-x.busy
}
