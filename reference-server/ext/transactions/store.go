package transactions

import (
	"sync"
	"time"
)

// These bound what is kept: a client that begins and never ends can fill no more.
const (
	maxOpen  = 1024
	maxSteps = 100
)

// A name is what a transaction is known by: ids of different principals have
// nothing to do with each other.
type name struct{ principal, id string }

// A transaction is open until it is committed, rolled back or idle for too long.
type transaction struct {
	name name
	idle time.Duration
	// busy is full while somebody works on the transaction, who alone may touch what
	// follows. Steps of one transaction run one after the other, so that there is an
	// order to take them back in, and no rollback misses one that is under way.
	busy  chan struct{}
	timer *time.Timer
	until time.Time // when it has been idle for too long
	over  bool
	tried int    // steps that were run
	steps []step // those that succeeded, in the order in which they ran

	// What follows is for faults.
	failed  []step
	planted []Call
	fixed   bool // what is done does not count as activity
	ended   bool // it can only be rolled back any more
}

// A step is a call that succeeded.
type step struct {
	id   string
	key  string // its idempotency key, if it had one
	undo *Call  // nil: there is nothing to take back
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

// begin opens a transaction that calls expire when it has been idle for too long.
func (s *store) begin(as name, idle time.Duration, expire func(*transaction), f Switches) problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if there := s.open[as]; there != nil {
		return s.again(there, f)
	}
	if len(s.open) >= maxOpen {
		return full
	}
	if s.open == nil {
		s.open = map[name]*transaction{}
	}
	x := &transaction{name: as, idle: idle, busy: make(chan struct{}, 1), until: time.Now().Add(idle), fixed: f.FromBegin}
	s.open[as] = x
	if !f.NeverExpires {
		x.busy <- struct{}{} // the timer may be faster than this
		x.timer = time.AfterFunc(idle, func() { expire(x) })
		<-x.busy
	}
	return none
}

// again is a begin with an id that is in use.
func (s *store) again(there *transaction, f Switches) problem {
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

// take waits until nobody works on the transaction any more; it is nil when there is
// none of that name.
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

// takeIdle takes a transaction for its end, unless it was used meanwhile.
func (s *store) takeIdle(x *transaction) bool {
	x.busy <- struct{}{}
	if x.over || time.Now().Before(x.until) {
		<-x.busy
		return false
	}
	return true
}

// release gives a transaction back that stays open. It is idle from now on.
func (s *store) release(x *transaction) {
	if x.timer != nil && !x.fixed {
		x.until = time.Now().Add(x.idle)
		x.timer.Reset(x.idle)
	}
	<-x.busy
}

// end gives back a transaction that is over, which only a fault keeps.
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
