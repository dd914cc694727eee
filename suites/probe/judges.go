package probe

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Message is one message of the server as a judge gets it.
type Message struct {
	frame.Message
	Place    string                // "$", or "$[2]" in an array
	Revision requirements.Revision // that binds the message
	Request  Asked                 // that a response answers; its Method is empty for an unknown request
	Frame    Seen                  // that holds the message
	sight    *WatchedFrame
}

// Survey is what discovery learned about the column.
func (m Message) Survey() *Survey {
	if m.sight != nil {
		m.sight.surveyed = true
		return m.sight.Seen.Survey
	}
	return m.Frame.Survey
}

// Taken is the revision under which the server may read a request. Over HTTP
// only the session names the revision of a request of 2024-11-05, and the page
// on transports lets a server take a request without a revision for 2025-03-26.
func (m Message) Taken() requirements.Revision {
	if m.Revision == requirements.R20241105 && m.Frame.Transport == requirements.HTTP && m.Survey() != nil && !m.Survey().Traits[Sessions] {
		return requirements.R20250326
	}
	return m.Revision
}

// Value is the value at a pointer, or Absent.
func (m Message) Value(pointer string) any {
	if v, ok := m.At(pointer); ok {
		return v
	}
	return Absent{}
}

// Where writes a pointer as problems show it, as in $[2].result.tools.
func (m Message) Where(pointer string) string {
	return m.Place + strings.TrimPrefix(path(pointer), "$")
}

// Problem says how the value at a pointer breaks a definition of the revision's
// schema; it is empty where the value fits. An empty pointer names the whole message.
func (m Message) Problem(definition, pointer string) (string, error) {
	if m.Frame.Schemas == nil {
		return "", errors.New("there are no schemas")
	}
	value, ok := m.At(pointer)
	if pointer == "" {
		value, ok = m.Message.Value, true
	}
	if !ok {
		return m.Where(pointer) + " is absent", nil
	}
	problem, err := schemaProblem(m.Frame.Schemas, string(m.Revision), definition, pointer, value)
	if problem != "" && m.Place != "$" {
		problem = "in the message " + m.Place + ", " + problem
	}
	return problem, err
}

// Fits expects the value at a pointer to fit a definition of the schema.
func (m Message) Fits(definition, pointer string) Opinion {
	return Fits(m.Problem(definition, pointer))
}

// Asks reports whether the message is a request of the server. A notification
// with an id breaks another rule.
func (m Message) Asks() bool {
	return m.Class == frame.Request && !strings.HasPrefix(m.Method, "notifications/")
}

// An Answer is a result that the revision of the column binds.
type Answer struct {
	Message
	Result map[string]any
}

// A Notice is a notification that the revision of the column binds.
type Notice struct {
	Message
	Params map[string]any
}

// OnResult makes watchers of the results of a method. They judge only results
// that the revision of the column binds: no answers to malformed requests, to
// requests at another revision or before the handshake, nothing cut off, no
// arrays. The JSON-RPC pages judge results that are not objects.
func OnResult(method string, judge func(Answer) Opinion) func() Watcher {
	return OnResults([]string{method}, judge)
}

// OnResults is OnResult for several methods.
func OnResults(methods []string, judge func(Answer) Opinion) func() Watcher {
	return func() Watcher {
		return &bound{
			wants: func(m *Message) bool { return m.Class == frame.Result && slices.Contains(methods, m.Request.Method) },
			judge: func(m Message) Opinion {
				result, ok := m.Value("/result").(map[string]any)
				if !ok {
					return Nothing()
				}
				return judge(Answer{m, result})
			},
		}
	}
}

// OnNotification makes watchers of a notification of the server. As OnResult,
// they judge only messages that the revision of the column binds.
func OnNotification(method string, judge func(Notice) Opinion) func() Watcher {
	return func() Watcher {
		return &bound{
			wants: func(m *Message) bool { return m.Class == frame.Notification && m.Method == method },
			judge: func(m Message) Opinion {
				return judge(Notice{m, ObjectOf(m.Value("/params"))})
			},
		}
	}
}

// OnBinding makes watchers of all single messages that the revision of the
// column binds, as OnResult and OnNotification do. The opinion of judge may
// depend only on the texts of the message and its request, and on the column,
// whose survey it gets from the message: judge is not asked again about a message
// that repeats an earlier one.
func OnBinding(judge func(Message) Opinion) func() Watcher {
	return func() Watcher { return &bound{judge: judge} }
}

// OnEach makes watchers of every message of the server, also of each message of
// an array. Frame.Malformed says whether something malformed provoked the
// message.
func OnEach(judge func(Message) Opinion) func() Watcher {
	return func() Watcher { return &each{judge: judge} }
}

// OnEachStateless is OnEach on connections without a handshake: after a
// handshake, the older rules bind a server of both eras.
func OnEachStateless(judge func(Message) Opinion) func() Watcher {
	return func() Watcher { return &each{judge: judge, stateless: true} }
}

// A Reader finds the messages of the server among the frames of one connection,
// for watchers with a memory. Each watcher has a Reader of its own and shows it
// every frame.
type Reader struct {
	refused map[int]bool // HTTP exchanges with a status of 400 or above
}

// Messages are the server's messages in this frame, without log lines in JSON
// and the bodies of HTTP refusals: other rules judge those.
func (r *Reader) Messages(s Seen) []Message {
	if s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status >= 400 {
		if r.refused == nil {
			r.refused = map[int]bool{}
		}
		r.refused[s.Exchange] = true
	}
	if s.Dir != frame.Received || s.Kind != frame.KindMessage {
		return nil
	}
	var all []Message
	read := s.Message()
	for i, m := range Singles(read) {
		at := "$"
		if read.Class == frame.Batch {
			at += "[" + strconv.Itoa(i) + "]"
		}
		// The body of an HTTP refusal counts as a message only with a jsonrpc member.
		_, marked := m.Members["jsonrpc"]
		if LooksLikeMessage(m) && (marked || !r.Refused(s.Exchange)) {
			all = append(all, Message{Message: m, Place: at, Revision: s.Revision, Request: s.Request, Frame: s})
		}
	}
	return all
}

// Refused reports whether the status of an HTTP exchange refused it.
func (r *Reader) Refused(exchange int) bool { return exchange > 0 && r.refused[exchange] }
