package progress

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// valueCases watch what progress says, whatever request it is about.
func valueCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "progress/increases",
			Title:  "the progress of a request grows with every notification",
			Checks: []requirements.ID{"progress-increases"},
			Fix: "count up: send each notification with a higher progress than the one before, also where no total is known; " +
				"keep the progressToken with its call: a tool may serve several at the same time",
			Sees:  "two notifications of progress of one request",
			Watch: func() probe.Watcher { return probe.WatchFunc(increases) },
		},
		{
			ID:     schema,
			Title:  "progress has a token and a number, total is a number, and message a string",
			Checks: []requirements.ID{"progress-schema"},
			Fix:    "write the token as the client sent it, progress and total as numbers, and message as a string",
			Owns:   []suite.Part{{Of: method, At: "/params"}},
			Sees:   "progress",
			Watch:  probe.OnNotification(method, fits),
		},
		{
			ID:     "progress/message-readable",
			Title:  "the message of progress says something to a person",
			Checks: []requirements.ID{"progress-message-readable"},
			Fix:    "say in message what is being done, or leave it out",
			Sees:   "progress with a message",
			Watch:  probe.OnNotification(method, readable),
		},
		{
			ID:     "progress/ends-with-answer",
			Title:  "no progress of a request follows its answer",
			Checks: []requirements.ID{"progress-stops-at-completion"},
			Fix:    "send the last progress before the answer, and stop whatever sends it",
			Sees:   "the answer to a request of which progress was reported",
			Watch:  func() probe.Watcher { return probe.WatchFunc(endsWithAnswer) },
		},
		{
			ID:     "progress/no-flood",
			Title:  "progress of one request comes less often than limits.progress-rate, by default a thousand times a second",
			Checks: []requirements.ID{"progress-rate-limited"},
			Fix:    "send progress at most a few times a second, whatever the number of steps",
			Sees:   "the answer to a request of which progress was reported",
			Watch:  func() probe.Watcher { return probe.WatchFunc(noFlood) },
		},
		{
			ID:     "progress/server-tokens",
			Title:  "the progress tokens of the server's own requests are strings or integers, each for one open request",
			Checks: []requirements.ID{"progress-server-token-unique"},
			Fix:    "give each request of the server a progressToken of its own, a string or an integer",
			Owns:   []suite.Part{{Class: frame.Request, At: "/params/_meta/progressToken"}},
			Sees:   "a request of the server with a progressToken",
			Watch:  func() probe.Watcher { return &ownTokens{open: map[string]asked{}} },
		},
	}
}

const schema = "progress/schema"

func increases(s *probe.WatchedFrame) probe.Opinion {
	said, b := probe.Nothing(), bookOf(s)
	for _, t := range b.told {
		value, ok := number(t.Message)
		switch {
		case !ok || !t.ahead:
		case value > t.before.progress:
			said = said.And(probe.Kept())
		default:
			less := probe.Shown(probe.One(t.before.in), probe.One(s.Frame)).Violation(
				"%s is %v, want more than %v as the notification before it has%s",
				t.Where("/params/progress"), value, t.before.progress, b.perhapsOf(t.call))
			if behind(t.call, s) {
				less = less.Unless(probe.Elsewhere{Case: "progress/ends-with-answer", Why: "the request was answered before"})
			}
			said = said.And(less.Opinion())
		}
	}
	return said
}

func fits(n probe.Notice) probe.Opinion {
	if n.Frame.Schemas == nil {
		return probe.Failed(errors.New("there are no schemas"))
	}
	set, err := n.Frame.Schemas.Core(string(n.Revision))
	if err != nil {
		return probe.Failed(err)
	}
	faults := slices.DeleteFunc(set.Validate("ProgressNotification", n.Message.Message.Value), func(f schemas.Fault) bool {
		return !strings.HasPrefix(f.Pointer, "/params")
	})
	return probe.Fits(probe.Faults("", n.Unowned(schema, faults)), nil)
}

// readable passes over messages that say anything at all: what is useful is known only to
// those who read it.
func readable(n probe.Notice) probe.Opinion {
	text, ok := n.Params["message"].(string)
	if !ok {
		return probe.Nothing()
	}
	blank := !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
	switch strings.TrimSpace(text) {
	case "[object Object]", "undefined", "null", "<nil>", "%s", "%d":
		blank = true
	}
	if blank {
		return probe.Breaks("%s is %s, want a message for people or none", n.Where("/params/message"), probe.Show(text))
	}
	return probe.Kept()
}

// endsWithAnswer passes over the progress of a task, which goes on after the answer.
func endsWithAnswer(s *probe.WatchedFrame) probe.Opinion {
	said, b := probe.Nothing(), bookOf(s)
	for _, c := range b.ended {
		if len(c.times) > 0 {
			said = said.And(probe.Kept())
		}
	}
	for _, t := range b.told {
		c := t.call
		if c == nil || c.answer == nil || c.task {
			continue
		}
		if behind(c, s) {
			said = said.And(probe.Shown(c.answer, probe.One(s.Frame)).Violation(
				"progress comes after the answer to its request, want none").Opinion())
		} else if on := b.streams[s.Exchange]; on != nil {
			said = said.And(elsewhere(t, c, on, s))
		}
	}
	return said
}

// behind reports whether a frame follows the answer to a call that is no task.
func behind(c *call, s *probe.WatchedFrame) bool {
	return c != nil && c.answer != nil && !c.task && c.answer.Exchange == s.Exchange && c.answer.Seq < s.Seq
}

// elsewhere judges progress on another stream than that of the answer. Which of the two was
// sent first is known only where the stream began after the answer, or has brought the
// progress of a request that did. A stream that is resumed brings what was sent before. One
// that GET opens may bring what the server had kept for it.
func elsewhere(t told, c *call, on *stream, s *probe.WatchedFrame) probe.Opinion {
	shown := probe.Shown(c.answer, probe.One(on.begin), probe.One(s.Frame))
	switch get := on.begin.HTTP != nil && on.begin.HTTP.Method == http.MethodGet; {
	case get && on.begin.HTTP.Header.Get(protocol.HeaderLastEvent) != "":
		return probe.Nothing()
	case t.newest > c.answer.Seq:
		return shown.Violation("progress comes after that of a request that was sent after the answer, want none").Opinion()
	case on.begin.Seq > c.answer.Seq:
		said := shown.Violation("progress comes on a stream that was opened after the answer to its request, want none").Opinion()
		if get {
			return said.AtMostWarn()
		}
		return said
	}
	return probe.Nothing()
}

func noFlood(s *probe.WatchedFrame) probe.Opinion {
	said, b := probe.Nothing(), bookOf(s)
	for _, c := range b.ended {
		if len(c.times) > 0 {
			said = said.And(probe.Kept())
		}
	}
	flood := 0
	if s.Survey != nil {
		flood = s.Survey.Given.ProgressRate
	}
	for _, t := range b.told {
		if t.call == nil || flood == 0 || len(t.call.times) < flood {
			continue
		}
		times := t.call.times[len(t.call.times)-flood:]
		if took := times[flood-1] - times[0]; took <= time.Second {
			said = said.And(probe.Breaks("progress of one request came %d times within %s, want it less often",
				flood, took.Round(time.Millisecond)))
		}
	}
	return said
}

// ownTokens looks at the requests of the server.
type ownTokens struct {
	open map[string]asked // by id
}

// asked is an open request of the server with a token.
type asked struct {
	token any
	in    frame.Frame
}

func (w *ownTokens) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir == frame.Sent {
		for _, m := range probe.Singles(s.Message()) {
			if m.Class == frame.Result || m.Class == frame.Error {
				delete(w.open, frame.IDKey(m.ID))
			}
		}
	}
	said := probe.Nothing()
	for _, m := range s.Messages() {
		switch token, ok := m.At("/params/_meta/progressToken"); {
		case m.Class == frame.Notification && m.Method == "notifications/cancelled":
			id, _ := m.At("/params/requestId")
			delete(w.open, frame.IDKey(probe.JSON(id)))
		case m.Asks() && ok:
			said = said.And(w.judge(m, token, s.Frame))
		}
	}
	return said
}

func (w *ownTokens) judge(m probe.Message, token any, in frame.Frame) probe.Opinion {
	const at = "/params/_meta/progressToken"
	if ok, _ := aToken().Match(token); !ok {
		return probe.Breaks("%s is %s, want %s", m.Where(at), probe.Show(token), aToken().FailureMessage(token))
	}
	for _, other := range w.open {
		if probe.Same(other.token, token) {
			return probe.Shown(probe.One(other.in), probe.One(in)).Violation(
				"%s is %s, which another open request of the server has too, want another token", m.Where(at), probe.Show(token)).Opinion()
		}
	}
	w.open[frame.IDKey(m.ID)] = asked{token, in}
	return probe.Kept()
}

func aToken() probe.Matcher {
	return probe.That("a string or an integer", func(v any) bool {
		if _, ok := v.(string); ok {
			return true
		}
		n, ok := probe.NumberOf(v)
		return ok && n == float64(int64(n))
	})
}
