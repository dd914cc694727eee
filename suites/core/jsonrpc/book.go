package jsonrpc

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A book records the requests of one connection. All watchers of the connection share it.
type book struct {
	seq     int               // the frame that was noted last
	asked   map[string]*entry // by frame.IDKey
	replied map[string]bool   // ids of the server's requests that the client answered
	// malformed holds the HTTP exchanges with a malformed message, and nonRequests those
	// with anything but valid requests. A stream of messages counts as exchange 0.
	malformed, nonRequests map[int]bool
	followers              []string // on a stream: requests sent after the last malformed frame
	settled                int      // how many of the requests in followers were answered
}

// An entry counts how often one id was asked and answered.
type entry struct {
	asked, answered int
	last            frame.Frame
}

// enough is how many requests after a malformed frame have to be answered before no late
// response to the frame is expected any more.
const enough = 3

// bookOf returns the book of a connection, after it has noted the frame in sight.
func bookOf(s *probe.WatchedFrame) *book {
	b := probe.Common[book](s)
	if b.seq == s.Seq {
		return b
	}
	b.seq = s.Seq
	if s.Dir == frame.Sent {
		b.sent(s.Seen)
	}
	for _, m := range s.Messages() {
		if i := slices.Index(b.followers, frame.IDKey(m.ID)); i >= 0 && m.Responds() {
			b.followers = slices.Delete(b.followers, i, i+1)
			b.settled++
		}
	}
	return b
}

func (b *book) sent(s probe.Seen) {
	if b.asked == nil {
		b.asked, b.replied = map[string]*entry{}, map[string]bool{}
		b.malformed, b.nonRequests = map[int]bool{}, map[int]bool{}
	}
	if s.Malformed {
		b.followers, b.settled = nil, 0
	}
	for _, exchange := range s.Channels() {
		b.malformed[exchange] = b.malformed[exchange] || s.Malformed
		b.nonRequests[exchange] = b.nonRequests[exchange] || s.Malformed || s.Kind != frame.KindMessage
	}
	for _, m := range probe.Singles(s.Message()) {
		key := frame.IDKey(m.ID)
		if m.Class != frame.Request {
			for _, exchange := range s.Channels() {
				b.nonRequests[exchange] = true
			}
			b.replied[key] = b.replied[key] || m.HasID
			continue
		}
		if b.asked[key] == nil {
			b.asked[key] = &entry{}
		}
		b.asked[key].asked++
		if b.malformed[0] && b.settled < enough && !s.Malformed {
			b.followers = append(b.followers, key)
		}
	}
}

func (b *book) find(id string) *entry { return b.asked[frame.IDKey(id)] }

// doubtful reports whether a response may belong to a malformed message. On a stream of
// messages the doubt ends once enough later requests are answered.
func (b *book) doubtful(exchange int) bool {
	return b.malformed[exchange] && (exchange > 0 || b.settled < enough)
}
