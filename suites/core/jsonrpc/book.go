package jsonrpc

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A book holds what was asked on one connection. Its watchers share it.
type book struct {
	seq     int               // the frame that was taken note of last
	asked   map[string]*entry // by frame.IDKey
	replied map[string]bool   // ids of the server's own requests, once they are answered
	// malformed and told say of an HTTP exchange, or of 0 for a stream of messages, that something
	// malformed was sent, or something that is not a request.
	malformed, told map[int]bool
	behind          []string // on a stream: requests sent after the last malformed frame
	settled         int      // how many of them were answered
}

// An entry is one id and how often it was asked and answered.
type entry struct {
	asked, answered int
	last            frame.Frame
}

// enough is how many requests behind a malformed frame have to be answered
// before nothing more is expected for it.
const enough = 3

// bookOf is the book of a connection, in which what the client says in this frame is written
// down, and which answers come.
func bookOf(s *probe.Sight) *book {
	b := probe.Common[book](s)
	if b.seq == s.Seq {
		return b
	}
	b.seq = s.Seq
	if s.Dir == frame.Sent {
		b.sent(s.Seen)
	}
	for _, m := range s.Messages() {
		if i := slices.Index(b.behind, frame.IDKey(m.ID)); i >= 0 && m.Responds() {
			b.behind = slices.Delete(b.behind, i, i+1)
			b.settled++
		}
	}
	return b
}

func (b *book) sent(s probe.Seen) {
	if b.asked == nil {
		b.asked, b.replied = map[string]*entry{}, map[string]bool{}
		b.malformed, b.told = map[int]bool{}, map[int]bool{}
	}
	if s.Malformed {
		b.behind, b.settled = nil, 0
	}
	for _, exchange := range s.Channels() {
		b.malformed[exchange] = b.malformed[exchange] || s.Malformed
		b.told[exchange] = b.told[exchange] || s.Malformed || s.Kind != frame.KindMessage
	}
	for _, m := range probe.Singles(s.Message()) {
		key := frame.IDKey(m.ID)
		if m.Class != frame.Request {
			for _, exchange := range s.Channels() {
				b.told[exchange] = true
			}
			b.replied[key] = b.replied[key] || m.HasID
			continue
		}
		if b.asked[key] == nil {
			b.asked[key] = &entry{}
		}
		b.asked[key].asked++
		if b.malformed[0] && b.settled < enough && !s.Malformed {
			b.behind = append(b.behind, key)
		}
	}
}

func (b *book) find(id string) *entry { return b.asked[frame.IDKey(id)] }

// doubtful reports whether a response may be about something malformed. On a
// stream of messages that is over once requests behind it are answered.
func (b *book) doubtful(exchange int) bool {
	return b.malformed[exchange] && (exchange > 0 || b.settled < enough)
}
