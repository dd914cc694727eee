package front

import (
	"math"
	"net/http"
	"strconv"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// maxEvents is how many events a stream keeps for a client that resumes it. Beside them it
// keeps what its reader has not been given so far, up to unreadEvents.
const (
	maxEvents    = 1024
	unreadEvents = 64 * maxEvents
)

// retry is how many milliseconds a client should wait before it comes back.
const retry = 100

// anyReader is a reader that other readers do not displace.
const anyReader = 0

// A stream is the events of one answer, or of the standing stream of a session. A
// stream outlives the connection that carries it: a client that lost the connection
// can resume the stream.
type stream struct {
	prefix string // of event ids; empty for streams that cannot be resumed

	mu       sync.Mutex
	events   []string // data of the events; empty for an event with an id only
	dropped  int      // the number of events before the first kept event
	closed   bool
	reader   int  // only the newest reader gets events
	read     int  // the number of events that nobody waits for any more
	sentAway bool // the first reader is sent away and has to come back
	changed  chan struct{}
}

func newStream(prefix string) *stream {
	return &stream{prefix: prefix, changed: make(chan struct{})}
}

// add appends an event.
func (s *stream) add(data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.append(data)
}

func (s *stream) append(data string) {
	if s.closed {
		return
	}
	s.events = append(s.events, data)
	old := max(min(len(s.events)-maxEvents, s.read-s.dropped), len(s.events)-unreadEvents)
	if old > 0 {
		s.events, s.dropped = s.events[old:], s.dropped+old
	}
	s.wake()
}

// prime appends an event with nothing but an id, so that the client can resume the
// stream.
func (s *stream) prime() { s.add("") }

// listen makes the caller the reader of future events. It primes and takes the stream
// in one step; otherwise two clients at once would both get the id of the first prime.
func (s *stream) listen(primed bool) (reader, seen int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen = s.length()
	if primed {
		s.append("")
	}
	return s.newReader(), seen
}

func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// leave ends the connection of the first reader, which has to come back for the rest.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sentAway = true
	s.wake()
}

func (s *stream) length() int { return s.dropped + len(s.events) }

func (s *stream) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// take makes the caller the reader of the stream.
func (s *stream) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newReader()
}

func (s *stream) newReader() int {
	s.reader++
	s.read = s.dropped
	s.wake()
	return s.reader
}

// left says that a reader waits for no more events.
func (s *stream) left(reader int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reader == s.reader {
		s.read = math.MaxInt
	}
}

// eventsAfter returns the events after the first seen ones. Without events, changed
// tells when to look again; over says that the stream has ended for the reader.
func (s *stream) eventsAfter(reader, seen int) (first int, events []string, over bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reader != s.reader && reader != anyReader {
		return seen, nil, true, nil
	}
	if reader == s.reader {
		s.read = seen
	}
	from := max(seen-s.dropped, 0)
	if from < len(s.events) {
		events = append(events, s.events[from:]...)
	}
	return max(seen, s.dropped), events, s.closed || s.sentAway && reader == 1, s.changed
}

// follow sends a reader the events of a stream after the first seen ones, until the
// stream ends, another connection takes it, or the client leaves.
func (h *HTTP) follow(w http.ResponseWriter, r *http.Request, x fault.Exchange, s *stream, reader, seen int) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	if x.Revision.Modern() {
		header.Set("X-Accel-Buffering", "no")
	}
	h.head(w, x, http.StatusOK)
	defer s.left(reader)
	flush := http.NewResponseController(w)
	for {
		first, events, over, changed := s.eventsAfter(reader, seen)
		for i, data := range events {
			if !h.event(w, x, s.prefix, first+i+1, data) {
				return
			}
		}
		seen = first + len(events)
		if flush.Flush() != nil || (over && !h.habits().KeepStream) {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (h *HTTP) event(w http.ResponseWriter, x fault.Exchange, prefix string, number int, data string) bool {
	text := ""
	if prefix != "" {
		text = "id: " + prefix + strconv.Itoa(number) + "\n"
	}
	if data != "" {
		data = string(h.bytes(x, []byte(data)))
	}
	text += "data: " + data + "\n\n"
	if data == "" && x.Revision == requirements.R20251125 {
		text = "retry: " + strconv.Itoa(retry) + "\n" + text
	}
	if h.fault != nil && h.fault.HTTP.Event != nil {
		text = h.fault.HTTP.Event(x, text)
	}
	_, err := w.Write([]byte(text))
	return err == nil
}
