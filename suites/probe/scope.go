package probe

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// A scope is the time in which one function speaks to the server: a case, or a
// part of discovery. It ends with the function, or earlier by Stop. A Client has
// the methods of its scope.
type scope struct {
	mu     sync.Mutex
	ctx    context.Context
	why    error // why the function was stopped; nil while it goes on
	over   bool  // nothing may speak any more
	tidy   []func()
	misses []Miss
	hasty  bool     // what the server does not offer is awaited for a short time
	ending []func() // for the very end, after the cleanups; they say nothing to the server
}

// A defect is a mistake in the function, not a reason to stop it.
type defect string

func (d defect) Error() string { return string(d) }

// Run lets a function speak in the conversation and returns its verdict, or why
// it was stopped. The function has a goroutine of its own, so that Stop can end
// it at any call. A panic becomes an error, and so does the end of the
// goroutine by other means than Stop, such as t.FailNow.
func (k *Control) Run(ctx context.Context, speak func(c *Client) error) error {
	_, err := Judge(ctx, k, speak)
	return err
}

// Judge is Run for a case: it also returns the requests that the case awaited in vain.
func Judge(ctx context.Context, k *Control, speak func(c *Client) error) (missed []Miss, err error) {
	s := &scope{ctx: ctx}
	err = s.run(func() error { return speak(newClient(k.conversation, s, nil)) })
	missed = s.inVain()
	s.tidyUp()
	return missed, err
}

// miss keeps a request that was awaited in vain.
func (s *scope) miss(m Miss) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.misses = append(s.misses, m)
}

func (s *scope) inVain() []Miss {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.misses
}

// run calls a function in a goroutine of its own, which Stop may end.
func (s *scope) run(function func() error) error {
	err := error(defect("the case ended its goroutine instead of returning"))
	var running sync.WaitGroup
	running.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				err = defect(fmt.Sprintf("the case panicked: %v", r))
			}
		}()
		err = function()
	})
	running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != nil {
		err, s.why = s.why, nil
	}
	return err
}

// tidyUp runs the cleanups of the function, the last first, and ends its other
// goroutines.
func (s *scope) tidyUp() {
	// A run that is cut short still gives the cleanups a moment.
	if s.ctx.Err() != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), time.Second)
		defer cancel()
		s.mu.Lock()
		s.ctx = ctx
		s.mu.Unlock()
	}
	for tidy, more := s.nextCleanup(); more; tidy, more = s.nextCleanup() {
		_ = s.run(func() error { tidy(); return nil })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, end := range s.ending {
		end()
	}
}

// nextCleanup takes the last cleanup that is left.
func (s *scope) nextCleanup() (tidy func(), more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tidy) == 0 {
		return nil, false
	}
	last := len(s.tidy) - 1
	tidy, s.tidy = s.tidy[last], s.tidy[:last]
	return tidy, true
}

// end keeps the reason why the function is stopped; the first reason counts.
func (s *scope) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = why
	}
}

// state is the context, and whether the scope has ended.
func (s *scope) state() (ctx context.Context, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ctx, s.over || s.why != nil
}

// Stop ends the case here, at any depth: only deferred calls still run. A
// goroutine that the case has started ends the case with itself; the other
// goroutines end at their next call.
func (s *scope) Stop(why error) {
	s.end(why)
	runtime.Goexit()
}

// Undecide ends the case without a verdict.
func (s *scope) Undecide(reason string) { s.Stop(&Undecided{Reason: reason}) }

// UndecideIf ends the case without a verdict where the condition holds.
func (s *scope) UndecideIf(condition bool, reason string) {
	if condition {
		s.Undecide(reason)
	}
}

// NotSeen ends a case whose occasion did not arise. The reason is a sentence that says why
// the rule does not apply, such as "the server declares tools".
func (s *scope) NotSeen(reason string) { s.Stop(&Undecided{Reason: reason, Unseen: true}) }

// NotSeenIf ends the case as NotSeen does where the condition holds.
func (s *scope) NotSeenIf(condition bool, reason string) {
	if condition {
		s.NotSeen(reason)
	}
}

// Require ends the case without a verdict where a precondition fails: another
// case judges the rule behind the precondition.
func (s *scope) Require(expectation error, otherwise string) {
	if expectation != nil {
		s.Undecide(otherwise)
	}
}

// Cleanup registers a function for the end of the case, however it ends: the
// last one runs first. Its answers are not judged.
func (s *scope) Cleanup(tidy func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy = append(s.tidy, tidy)
}

// atEnd registers a function for the end of the case, after the cleanups.
func (s *scope) atEnd(end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = append(s.ending, end)
}

// Try runs a part of a case and returns why it was stopped; the case goes on
// after it, except where the run is cut short. No other goroutine of the case
// may speak meanwhile: Try could not tell which one was stopped.
func (s *scope) Try(part func()) error {
	s.live()
	why := s.run(func() error { part(); return nil })
	if _, ours := errors.AsType[defect](why); ours {
		s.Stop(why)
	}
	s.live()
	return why
}

// Must ends the case where there is an error, such as an expectation that fails: a violation
// is its verdict.
func (s *scope) Must(err error) {
	if err != nil {
		s.Stop(err)
	}
}

// Context is the context of the case, for what it does beside the conversation.
func (s *scope) Context() context.Context { return s.live() }

// live is the context of the case. It ends the calling goroutine where the case
// is over or the run is cut short.
func (s *scope) live() context.Context {
	ctx, ended := s.state()
	if ended {
		runtime.Goexit()
	}
	s.Must(ctx.Err())
	return ctx
}

// Guess lets a part of discovery ask for what the server does not say that it offers: it
// awaits each answer for a shorter time.
func (s *scope) Guess(part func()) {
	hurry(s, true)
	defer hurry(s, false)
	part()
}

func hurry(s *scope, hasty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasty = hasty
}

func guesses(s *scope) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasty
}
