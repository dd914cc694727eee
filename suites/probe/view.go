package probe

import "github.com/mcp-conform/mcp-conform/suites/frame"

// A View is one connection as all watchers of it see it. What each of them would find
// out of a frame is found out once.
type View struct {
	bound  binding
	reader Reader
	asked  bool // for a handshake
	sight  Sight
}

// A Sight is one frame as a View shows it, until the next one comes.
type Sight struct {
	Seen
	binding  bool      // the frame is a single message that the revision of the column binds
	message  Message   // which is this
	messages []Message // of the server, those of an array one by one
	asked    bool      // somebody asked for a handshake on this connection
	found    map[string]any
}

// See takes a frame in.
func (v *View) See(s Seen) *Sight {
	v.asked = v.asked || s.Dir == frame.Sent && s.Message().Method == "initialize"
	at := &v.sight
	at.Seen, at.asked, at.messages = s, v.asked, v.reader.Messages(s)
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

// ShownTo is what a watcher says of the frame. A violation that names no frames
// is shown by this one.
func (at *Sight) ShownTo(w Watcher) Opinion {
	var said Opinion
	if l, ok := w.(looker); ok {
		said = l.look(at)
	} else {
		said = w.See(at.Seen)
	}
	if said.broken == nil {
		return said // nearly always: every watcher sees every frame
	}
	return said.shown(at.Evidence())
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

// A looker is a watcher to whom matters only what a View finds out.
type looker interface {
	look(at *Sight) Opinion
}

// A bound watcher judges single messages that the revision of the column binds.
type bound struct {
	wants func(*Message) bool // nil for all of them
	judge func(Message) Opinion
	own   View // for whoever shows it frames directly
}

func (w *bound) See(s Seen) Opinion { return w.look(w.own.See(s)) }

func (w *bound) look(at *Sight) Opinion {
	if !at.binding || w.wants != nil && !w.wants(&at.message) {
		return Nothing()
	}
	return w.judge(at.message)
}

// An each watcher judges every message, whatever provoked it.
type each struct {
	judge     func(Message) Opinion
	stateless bool
	own       View // for whoever shows it frames directly
}

func (w *each) See(s Seen) Opinion { return w.look(w.own.See(s)) }

func (w *each) look(at *Sight) Opinion {
	if w.stateless && at.asked {
		return Nothing()
	}
	said := Nothing()
	for i := range at.messages {
		said = said.And(w.judge(at.messages[i]))
	}
	return said
}
