package probe

import (
	"hash/maphash"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A Connection is one connection as all its watchers see it. It works out each fact
// about a frame once for all of them.
type Connection struct {
	bound  binding
	reader Reader
	asked  bool // the client asked for a handshake
	sight  WatchedFrame
	kept   []any // values that watchers keep about the connection
}

// A WatchedFrame is one frame as a Connection shows it, valid until the next frame.
type WatchedFrame struct {
	Seen
	binding  bool      // the frame is a single message that the revision of the column binds
	message  Message   // the bound message
	messages []Message // the server's messages in the frame, also each message of an array
	asked    bool      // the client asked for a handshake on this connection
	surveyed bool      // a watcher looked at the survey
	found    map[string]discovery
	view     *Connection
}

// See takes in the next frame.
func (v *Connection) See(s Seen) *WatchedFrame {
	v.asked = v.asked || s.Dir == frame.Sent && s.Message().Method == "initialize"
	at := &v.sight
	at.view, at.Seen, at.asked, at.messages = v, s, v.asked, v.reader.Messages(s)
	at.message = Message{}
	clear(at.found)
	var m frame.Message
	if m, at.binding = v.bound.message(s); at.binding {
		at.message = Message{Message: m, Place: "$", Revision: v.bound.column, Request: s.Request, Frame: s, sight: at}
		at.message.Frame.Survey = nil // watchers ask the message
	}
	return at
}

// Concerns reports whether a watcher may have an opinion on such a frame: most
// watchers look at answers only, and most frames are no answers.
func (at *WatchedFrame) Concerns(w Watcher) bool {
	switch w.(type) {
	case *bound:
		return at.binding
	case *each:
		return len(at.messages) > 0
	default:
		return true
	}
}

// A Digest identifies the texts of a frame and of its request in a column.
type Digest struct {
	survey *Survey
	text   Text
}

// Text is a Digest of the texts, the revision and the transport, whatever the column's
// survey says.
func (d Digest) Text() Text { return d.text }

// A Text is a Digest without a survey.
type Text uint64

//nolint:gochecknoglobals // one for all, so that texts of several connections can be compared
var twins = maphash.MakeSeed()

// Digest is equal for two messages whose texts, and the texts of whose requests, differ
// only in the id: watchers made by OnBinding and its kin have the same opinion on
// both. It reports false for frames that are no messages for these watchers.
func (at *WatchedFrame) Digest() (twin Digest, ok bool) {
	if !at.binding {
		return Digest{}, false
	}
	var h maphash.Hash
	h.SetSeed(twins)
	maphash.WriteComparable(&h, [3]string{string(at.view.bound.column), string(at.Transport), at.Request.Method})
	for _, f := range []frame.Frame{at.Request.Frame, at.Frame} {
		before, behind := f.Apart()
		maphash.WriteComparable(&h, [2]int{len(before), len(behind)})
		_, _ = h.Write(before)
		_, _ = h.Write(behind)
	}
	return Digest{at.Survey, Text(h.Sum64())}, true
}

// Remembers reports whether a watcher has a memory, and so may have different
// opinions on one Digest.
func Remembers(w Watcher) bool {
	_, simple := w.(*bound)
	return !simple
}

// Surveyed reports whether the watcher that was shown the frame last has looked at the
// survey, so that its opinion may depend on that too.
func (at *WatchedFrame) Surveyed() bool { return at.surveyed }

// ShownTo is the watcher's opinion on the frame. A violation without frames
// gets this one.
func (at *WatchedFrame) ShownTo(w Watcher) Opinion {
	at.surveyed = false
	said := w.See(at)
	if said.broken == nil {
		return said // the usual path: every watcher sees every frame
	}
	return said.shown(at.Evidence())
}

// Messages are the server's messages in the frame, also each message of an
// array. They leave out log lines in JSON and the bodies of HTTP refusals:
// other rules judge those.
func (at *WatchedFrame) Messages() []Message { return at.messages }

// Refused reports whether the status of an HTTP exchange refused it.
func (at *WatchedFrame) Refused(exchange int) bool { return at.view.reader.Refused(exchange) }

// Common is the one T that watchers share about a connection: the first caller
// gets its zero value.
func Common[T any](at *WatchedFrame) *T {
	for _, kept := range at.view.kept {
		if t, ok := kept.(*T); ok {
			return t
		}
	}
	t := new(T)
	at.view.kept = append(at.view.kept, t)
	return t
}

// Shared keeps the result of find with the message. Watchers that ask under the
// same name share it.
func Shared[T any](m Message, name string, find func() T) T {
	at := m.sight
	if at == nil || at.Seq != m.Frame.Seq {
		return find()
	}
	before := at.found[name]
	if found, ok := before.value.(T); ok {
		at.surveyed = at.surveyed || before.surveyed
		return found
	}
	already := at.surveyed
	at.surveyed = false
	found := find()
	if at.found == nil {
		at.found = map[string]discovery{}
	}
	at.found[name] = discovery{found, at.surveyed}
	at.surveyed = at.surveyed || already
	return found
}

// A discovery is what watchers share about a message.
type discovery struct {
	value    any
	surveyed bool // it depends on the survey
}

// A bound watcher judges single messages that the revision of the column binds.
type bound struct {
	wants func(*Message) bool // nil for all of them
	judge func(Message) Opinion
}

func (w *bound) See(at *WatchedFrame) Opinion {
	if !at.binding || w.wants != nil && !w.wants(&at.message) {
		return Nothing()
	}
	return w.judge(at.message)
}

// An each watcher judges every message, whatever provoked it.
type each struct {
	judge     func(Message) Opinion
	stateless bool
}

func (w *each) See(at *WatchedFrame) Opinion {
	if w.stateless && at.asked {
		return Nothing()
	}
	said := Nothing()
	for i := range at.messages {
		said = said.And(w.judge(at.messages[i]))
	}
	return said
}
