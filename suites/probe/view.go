package probe

import (
	"hash/maphash"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A View is one connection as all watchers of it see it. What each of them would find
// out of a frame is found out once.
type View struct {
	bound  binding
	reader Reader
	asked  bool // for a handshake
	sight  Sight
	kept   []any // by watchers
}

// A Sight is one frame as a View shows it, until the next one comes.
type Sight struct {
	Seen
	binding  bool      // the frame is a single message that the revision of the column binds
	message  Message   // which is this
	messages []Message // of the server, those of an array one by one
	asked    bool      // somebody asked for a handshake on this connection
	found    map[string]any
	view     *View
}

// See takes a frame in.
func (v *View) See(s Seen) *Sight {
	v.asked = v.asked || s.Dir == frame.Sent && s.Message().Method == "initialize"
	at := &v.sight
	at.view, at.Seen, at.asked, at.messages = v, s, v.asked, v.reader.Messages(s)
	at.message = Message{}
	clear(at.found)
	var m frame.Message
	if m, at.binding = v.bound.message(s); at.binding {
		at.message = Message{
			Message: m, Place: "$", Revision: v.bound.column, Request: s.Request, Survey: s.Survey, Frame: s, sight: at,
		}
	}
	return at
}

// Concerns reports whether a watcher has anything to say of such a frame: most look at
// answers only, and most frames are none.
func (at *Sight) Concerns(w Watcher) bool {
	return at.binding || Remembers(w)
}

// A Twin names what is said in a frame, and what it answers.
type Twin struct {
	survey *Survey
	text   uint64
}

//nolint:gochecknoglobals // one for all, so that texts of several connections can be compared
var twins = maphash.MakeSeed()

// Twin is the same for two messages whose texts, and those of the requests that they
// answer, differ in nothing but the id: watchers made by OnBinding and the like say the
// same of both. There is none of a frame that is no message for them.
func (at *Sight) Twin() (twin Twin, ok bool) {
	if !at.binding {
		return Twin{}, false
	}
	var h maphash.Hash
	h.SetSeed(twins)
	maphash.WriteComparable(&h, at.Request.Method)
	for _, f := range []frame.Frame{at.Request.Frame, at.Frame} {
		before, behind := f.Apart()
		maphash.WriteComparable(&h, [2]int{len(before), len(behind)})
		_, _ = h.Write(before)
		_, _ = h.Write(behind)
	}
	return Twin{at.Survey, h.Sum64()}, true
}

// Remembers reports whether a watcher may say something else of a Twin.
func Remembers(w Watcher) bool {
	_, simple := w.(*bound)
	return !simple
}

// ShownTo is what a watcher says of the frame. A violation that names no frames
// is shown by this one.
func (at *Sight) ShownTo(w Watcher) Opinion {
	said := w.See(at)
	if said.broken == nil {
		return said // nearly always: every watcher sees every frame
	}
	return said.shown(at.Evidence())
}

// Messages are those that the server sent in the frame, those of an array one by one.
// Log lines in JSON and what stands beside an HTTP refusal are none: other rules say
// what they are.
func (at *Sight) Messages() []Message { return at.messages }

// Refused reports whether an HTTP exchange was refused by its status.
func (at *Sight) Refused(exchange int) bool { return at.view.reader.Refused(exchange) }

// Common is what watchers keep together about the connection of a sight, a T of which
// there is one: whoever asks first gets its zero value.
func Common[T any](at *Sight) *T {
	for _, kept := range at.view.kept {
		if t, ok := kept.(*T); ok {
			return t
		}
	}
	t := new(T)
	at.view.kept = append(at.view.kept, t)
	return t
}

// Shared is what find makes of the message. Watchers that are shown the message together,
// and ask under the same name, share it.
func Shared[T any](m Message, name string, find func() T) T {
	at := m.sight
	if at == nil || at.Seq != m.Frame.Seq {
		return find()
	}
	if found, ok := at.found[name].(T); ok {
		return found
	}
	found := find()
	if at.found == nil {
		at.found = map[string]any{}
	}
	at.found[name] = found
	return found
}

// A bound watcher judges single messages that the revision of the column binds.
type bound struct {
	wants func(*Message) bool // nil for all of them
	judge func(Message) Opinion
}

func (w *bound) See(at *Sight) Opinion {
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

func (w *each) See(at *Sight) Opinion {
	if w.stateless && at.asked {
		return Nothing()
	}
	said := Nothing()
	for i := range at.messages {
		said = said.And(w.judge(at.messages[i]))
	}
	return said
}
