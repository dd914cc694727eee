package jsonrpc

import (
	"context"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A message is one that the server sent, with its place in the frame.
type message struct {
	frame.Message
	at   string // "$", or "$[2]" in an array
	seen probe.Seen
}

// A rule judges one message. Its problem is empty when the message keeps it.
type rule func(m message) (judged bool, problem string)

// each makes a watcher that judges every message of the server by itself,
// those of an array one by one.
func each(r rule) func() probe.Watcher {
	return func() probe.Watcher { return &reader{judge: r, refused: map[int]bool{}} }
}

// A reader finds the messages among the frames of one connection.
type reader struct {
	judge   rule
	refused map[int]bool // HTTP exchanges with a status of 400 or above
}

func (r *reader) See(s probe.Seen) probe.Opinion {
	judged := false
	var v *probe.Violation
	for _, m := range r.messages(s) {
		applies, problem := r.judge(m)
		judged = judged || applies
		if problem != "" && v == nil {
			v = s.Break(m.at + problem)
		}
	}
	return probe.Said(judged, v)
}

// messages are those that the server sent in this frame. Log lines in JSON and
// what stands beside an HTTP refusal are none: others say what they are.
func (r *reader) messages(s probe.Seen) []message {
	if s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status >= 400 {
		r.refused[s.Exchange] = true
	}
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	var all []message
	read := s.Message()
	for i, m := range probe.Singles(read) {
		at := "$"
		if read.Class == frame.Batch {
			at += "[" + strconv.Itoa(i) + "]"
		}
		if meant(m, r.refused[s.Exchange] && s.Exchange > 0) {
			all = append(all, message{Message: m, at: at, seen: s})
		}
	}
	return all
}

// meant reports whether JSON is meant as a message. Beside an HTTP refusal that
// takes more than looking like one.
func meant(m frame.Message, refusal bool) bool {
	_, marked := m.Members["jsonrpc"]
	return probe.LooksLikeMessage(m) && (marked || !refusal)
}

func (m message) response() bool { return m.Class == frame.Result || m.Class == frame.Error }

// asks reports whether the server asks something of the client. A notification
// with an id is a slip of another kind.
func (m message) asks() bool {
	return m.Class == frame.Request && !strings.HasPrefix(m.Method, "notifications/")
}

// member is a value of the message, or that there is none.
func (m message) member(pointer string) any {
	if v, ok := m.At(pointer); ok {
		return v
	}
	return probe.Absent{}
}

// strays are the responses after a mark that answer none of the client's
// requests, however loosely their ids are compared. Over HTTP an error without
// an id may stand beside a refusal.
func strays(c *probe.Client, from probe.Mark) []probe.Seen {
	asked := askedIDs(c.Since(0))
	refused := map[int]bool{}
	var found []probe.Seen
	for _, s := range c.Since(from) {
		if s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status >= 400 {
			refused[s.Exchange] = true
		}
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			continue
		}
		for _, m := range probe.Singles(s.Message()) {
			answers := m.Class == frame.Result || m.Class == frame.Error
			excused := refused[s.Exchange] && s.Exchange > 0 && m.Class != frame.Result && (!m.HasID || m.ID == "null")
			if answers && probe.LooksLikeMessage(m) && !excused && !(m.HasID && asked[bare(m.ID)]) {
				found = append(found, s)
			}
		}
	}
	return found
}

// askedIDs are the ids that the client has used, in its requests and in its
// answers to those of the server.
func askedIDs(seen []probe.Seen) map[string]bool {
	ids := map[string]bool{}
	for _, s := range seen {
		if m := s.Message(); s.Dir == frame.Sent && m.HasID && m.Class != frame.NotAMessage {
			ids[bare(m.ID)] = true
		}
	}
	return ids
}

// bare makes "1" and 1 the same: which of them it is, is another question than
// whose answer it is.
func bare(id string) string { return strings.Trim(id, `"`) }

// quiet waits until what a server says unasked after the opening has come, so
// that it is not taken for an answer to what is sent next.
func quiet(ctx context.Context, c *probe.Client) error {
	reply, err := c.Barrier(ctx)
	if err == nil && !reply.Answered() {
		err = probe.Undecide("the server does not answer a plain request either: " + reply.Outcome())
	}
	return err
}

// harmless is a method that every server answers, by era.
func harmless(c *probe.Client) string {
	return map[bool]string{false: "ping", true: "server/discover"}[c.Revision().Modern()]
}

// declared picks the first of the methods whose capability the server has.
func declared(c *probe.Client, of []offer) offer {
	for _, o := range of {
		if _, ok := c.Survey().Capabilities[o.capability]; ok {
			return o
		}
	}
	return offer{}
}

// An offer is a method that comes with a capability.
type offer struct{ capability, method, items string }

// lists are the methods whose well-formed use changes nothing.
func lists() []offer {
	return []offer{
		{"tools", "tools/list", "tools"}, {"resources", "resources/list", "resources"}, {"prompts", "prompts/list", "prompts"},
	}
}

// list is one that the server has; cases that use it need suite.Lists.
func list(c *probe.Client) offer {
	return declared(c, lists())
}
