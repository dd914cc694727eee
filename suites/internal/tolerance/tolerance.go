// Package tolerance says how many conversations a server bears at once, and what the
// run may do, excuses and tells because of that.
package tolerance

import (
	"errors"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Tolerance is how many conversations a server bears. A conversation is a process over
// stdio, a stream over HTTP+SSE, and a session over HTTP.
type Tolerance int

const (
	Many        Tolerance = iota // as many as the kit opens
	Few                          // it refuses a further session while a few are open
	OneForAll                    // it refuses every session but the first, even when that was closed
	OneProcess                   // a second process ends at once
	OneStream                    // it refuses a second stream
	LastSession                  // a new session ends the one before
	LastStream                   // a new stream ends the one before, or gets its messages
)

// At is the tolerance at a revision: from 2026-07-28 on no request needs a session.
func (t Tolerance) At(r requirements.Revision) Tolerance {
	if t == OneForAll && r.Modern() {
		return Many
	}
	return t
}

// Seats says how many of n cases may run at once.
func (t Tolerance) Seats(n int) int {
	if t == Many {
		return n
	}
	return 1
}

// Serial reports whether the server bears one conversation at a time.
func (t Tolerance) Serial() bool { return t >= OneProcess }

// ClosesFirst reports whether a conversation has to be closed before the next one opens.
func (t Tolerance) ClosesFirst() bool { return t == Few || t.Serial() }

// Lags reports whether the server may need a moment to notice that a stream was closed.
func (t Tolerance) Lags() bool { return t == OneStream || t == LastStream }

// RefusesSessions reports whether the server refuses a session because of others.
func (t Tolerance) RefusesSessions() bool { return t == Few || t == OneForAll }

// Irreplaceable reports whether the session that is open must be kept: no complaint can
// be confirmed on another one.
func (t Tolerance) Irreplaceable() bool { return t == OneForAll }

// Displaces reports whether a new conversation ends the one before.
func (t Tolerance) Displaces() bool { return t == LastSession || t == LastStream }

// Reopening excuses an opening that was refused in place of the connection that cases
// share; nil where nothing does.
func (t Tolerance) Reopening(err error) error {
	if t.Irreplaceable() && refused(err) {
		return Over()
	}
	return t.Opening(err)
}

// Opening excuses an opening that was refused to a case; nil where nothing does.
func (t Tolerance) Opening(err error) error {
	if t.RefusesSessions() && refused(err) {
		return taken()
	}
	return nil
}

// Excuse turns the outcome of a case into an undecided one where the server refused or
// ended a conversation that the case needs; nil where it did not.
func (t Tolerance) Excuse(outcome error, k *probe.Control) error {
	violates := violated(outcome)
	switch {
	case t == OneForAll && k.Unadmitted(), t == Few && (refused(outcome) || violates && k.Opens()) && k.Unadmitted():
		return taken()
	case t.Serial() && (violates || refused(outcome)) && k.StreamRefused():
		return &probe.Undecided{Reason: "a stream is refused while another one is open, and this takes two"}
	case t == OneProcess && refused(outcome) && k.DiedBeforeSpeaking():
		return alone()
	case t == LastStream && violates && k.Opens() && k.Over():
		return &probe.Undecided{Reason: "a new stream ends the one before, and this takes two"}
	}
	return nil
}

// ExcuseFresh is Excuse for what has to be seen on a connection that no other case used,
// so that the case itself opened the two conversations.
func (t Tolerance) ExcuseFresh(outcome error, k *probe.Control) error {
	switch {
	case !violated(outcome):
	case t == OneProcess && k.DiedBeforeSpeaking():
		return alone()
	case t == LastSession && k.Opens() && k.SessionEnded():
		return &probe.Undecided{Reason: "a new session ends the one before (HTTP status 404 for its id), and this takes two"}
	case k.Opens() && probe.Killed(k):
		return &probe.Undecided{Reason: "a process was killed while another one of the same command ran, and this takes two"}
	}
	return nil
}

// Displaced reports whether the outcome of a case over stdio may come from a process that
// another case started: some servers kill whatever holds the port that they want. The control
// is nil where the opening of the case itself failed.
func Displaced(outcome error, k *probe.Control) bool {
	if k == nil {
		o, ok := errors.AsType[*probe.OpeningError](outcome)
		return ok && (o.Sent != nil || o.Reply.Died())
	}
	return (violated(outcome) || refused(outcome)) && probe.Killed(k)
}

// Crowded reports whether the outcome of a case may come from too many sessions at a time
// on a server that seemed to bear any number. The control is nil where the opening of the
// case itself failed.
func (t Tolerance) Crowded(outcome error, k *probe.Control) bool {
	switch {
	case t != Many || !refused(outcome) && !violated(outcome):
		return false
	case k == nil:
		o, ok := errors.AsType[*probe.OpeningError](outcome)
		return ok && (o.Reply.Failed() || o.Reply.Status() >= http.StatusBadRequest)
	}
	return k.Unadmitted()
}

// Note tells what the tolerance means for the run, on the case that owns the opening.
func (t Tolerance) Note() string {
	switch t {
	case LastSession, LastStream:
		return "the server has one session at a time, and a new one ends the one before; so cases ran one after the other"
	case OneForAll:
		return "beside the session that there is, the server refused a further one; what takes one of its own is undecided"
	case Few:
		return "beside a few sessions, the server refused a further one; so cases ran one after the other"
	default:
		return ""
	}
}

// Over is the outcome of a case behind the end of the one session.
func Over() error {
	return &probe.Undecided{Reason: "the server ended the session, and begins no other"}
}

// taken is the outcome of a case that needs a session when all are taken.
func taken() error {
	return &probe.Undecided{Reason: "beside the sessions that there are, the server refused a further one, and this takes one of its own"}
}

// alone is the outcome of a case that needs a second process.
func alone() error {
	return &probe.Undecided{Reason: "a second process of the server ends while another one runs, and this takes two"}
}

func refused(err error) bool {
	_, ok := errors.AsType[*probe.OpeningError](err)
	return ok
}

func violated(err error) bool {
	_, ok := errors.AsType[*probe.Violation](err)
	return ok
}
