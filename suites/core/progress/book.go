package progress

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const method = "notifications/progress"

// A book holds the requests of one connection, with what was reported of them. All watchers
// of the connection share it.
type book struct {
	seq     int // the frame that was noted last
	open    map[key]*call
	calls   []*call         // those with a token, the last one at the end
	streams map[int]*stream // over HTTP, by exchange
	reports map[string]bool // tools that reported progress when asked
	told    []told          // in the frame in sight
	ended   []*call         // by the frame in sight
}

// A key tells requests apart: the frame with the request, and its id.
type key struct {
	sent int
	id   string
}

// A call is one request of the client.
type call struct {
	exchange int
	sent     int // the frame with the request
	tool     string
	token    any // nil: none

	answer *probe.Seen // nil while it is open
	failed bool        // the answer is an error, or says that the tool failed
	task   bool        // the work goes on after the answer
	last   map[int]report
	times  []time.Duration // when progress was reported
}

// A stream is what the server answers one exchange over HTTP with.
type stream struct {
	begin  frame.Frame // of the client
	newest int         // the frame with the last request whose progress it brought
}

// A report is one notification of progress, as the watchers of values compare it.
type report struct {
	progress float64
	in       frame.Frame
}

// A told is a notification of progress and the request that it is about.
type told struct {
	probe.Message
	at     probe.Seen
	token  any
	call   *call  // nil: no request has the token
	before report // the last one of the request on the same stream
	ahead  bool   // there was one before
	newest int    // the frame with the last request whose progress the same stream brought
}

// bookOf returns the book of a connection, after it has noted the frame in sight.
func bookOf(s *probe.WatchedFrame) *book {
	b := probe.Common[book](s)
	if b.seq == s.Seq {
		return b
	}
	b.seq, b.told, b.ended = s.Seq, nil, nil
	if s.Dir == frame.Sent {
		b.sent(s.Seen)
	}
	for _, m := range s.Messages() {
		switch {
		case m.Responds():
			b.answered(m, s.Seen)
		case m.Class == frame.Notification && m.Method == method:
			b.reported(m, s.Seen)
		}
	}
	if s.Kind == frame.KindEnd {
		delete(b.streams, s.Exchange)
	}
	return b
}

func (b *book) sent(s probe.Seen) {
	if s.Transport == requirements.HTTP {
		if b.streams == nil {
			b.streams = map[int]*stream{}
		}
		b.streams[s.Exchange] = &stream{begin: s.Frame}
	}
	for _, m := range probe.Singles(s.Message()) {
		if m.Class != frame.Request {
			continue
		}
		c := &call{exchange: s.Exchange, sent: s.Seq, last: map[int]report{}}
		c.token, _ = m.At("/params/_meta/" + protocol.MetaProgress)
		if name, ok := m.At("/params/name"); ok && m.Method == "tools/call" {
			c.tool = probe.TextOf(name)
		}
		_, c.task = m.At("/params/task")
		if b.open == nil {
			b.open, b.reports = map[key]*call{}, map[string]bool{}
		}
		b.open[key{s.Seq, frame.IDKey(m.ID)}] = c
		if c.token != nil {
			b.calls = append(b.calls, c)
		}
	}
}

func (b *book) answered(m probe.Message, s probe.Seen) {
	c, at := b.answeredBy(m)
	if c == nil {
		return
	}
	delete(b.open, at)
	_, made := m.At("/result/task")
	kind, _ := m.At("/result/resultType")
	c.answer, c.task = &s, c.task || made || kind == "task"
	flag, _ := m.At("/result/isError")
	c.failed = m.Class != frame.Result || flag == true
	b.ended = append(b.ended, c)
}

// answeredBy looks for the request of a response by its id where the response is one of an
// array.
func (b *book) answeredBy(m probe.Message) (*call, key) {
	at := key{m.Request.Frame.Seq, frame.IDKey(m.ID)}
	if c := b.open[at]; c != nil || at.sent > 0 {
		return c, at
	}
	for other, c := range b.open {
		if other.id == at.id {
			return c, other
		}
	}
	return nil, at
}

// perhapsOf tells, for a finding, of a call whose progress may have come under the token of
// another one: it is open, has a token, and got no progress yet.
func (b *book) perhapsOf(reported *call) string {
	for _, c := range b.calls {
		if c != reported && c.answer == nil && len(c.times) == 0 {
			return "; another call with a progressToken got none, and this may be its progress"
		}
	}
	return ""
}

func (b *book) reported(m probe.Message, s probe.Seen) {
	t := told{Message: m, at: s}
	if t.token, _ = m.At("/params/progressToken"); t.token == nil {
		return // progress/schema judges it
	}
	for _, c := range b.calls {
		if probe.Same(t.token, c.token) {
			t.call = c
		}
	}
	if c := t.call; c != nil {
		b.reports[c.tool] = true
		c.times = append(c.times, s.At)
		t.before, t.ahead = c.last[s.Exchange]
		if value, ok := number(m); ok {
			c.last[s.Exchange] = report{value, s.Frame}
		}
		if on := b.streams[s.Exchange]; on != nil {
			t.newest, on.newest = on.newest, max(on.newest, c.sent)
		}
	}
	b.told = append(b.told, t)
}

func number(m probe.Message) (float64, bool) {
	value, _ := m.At("/params/progress")
	if n, ok := value.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

// given reports whether the client gave the token, perhaps as a value of the other type.
func (b *book) given(token any) bool {
	for _, c := range b.calls {
		if plain(token) == plain(c.token) {
			return true
		}
	}
	return false
}

// plain is a token without its type, and a number without its notation: 0.0 is 0.
func plain(token any) string { return frame.IDKey(strings.Trim(probe.JSON(token), `"`)) }

// asks reports whether a request is open that may have led to a message, and whether such
// a request has a token. Over HTTP it is the request whose stream brings the message.
func (b *book) asks(s probe.Seen) (open, withToken bool) {
	for _, c := range b.open {
		if s.Transport == requirements.HTTP && c.exchange != s.Exchange {
			continue
		}
		open, withToken = true, withToken || c.token != nil
	}
	return open, withToken
}
