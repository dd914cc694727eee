package front

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// maxEvents is how many events a stream keeps for a client that comes back.
const maxEvents = 1024

// retry is how many milliseconds a client should wait before it comes back.
const retry = 100

// anyReader is served beside all others.
const anyReader = 0

// A stream is the events of one answer, or of the standing stream of a
// session. It outlives the connection that carries it: a client that lost one
// can go on where it was.
type stream struct {
	prefix string // of event ids; empty for streams that cannot be resumed

	mu      sync.Mutex
	events  []string // data of the events; empty for one that only has an id
	dropped int      // events before the first that is kept
	closed  bool
	reader  int  // only the newest one is served
	away    bool // the first reader is to come back
	changed chan struct{}
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
	if len(s.events) > maxEvents {
		s.events, s.dropped = s.events[1:], s.dropped+1
	}
	s.wake()
}

// prime appends an event that has an id and nothing else, so that the client
// has something to come back with.
func (s *stream) prime() { s.add("") }

// listen makes the caller the reader of what is added from now on. In one step, or two
// who come at once would both be told what the first of them was primed with.
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

// leave sends the client away that is there, to come back for the rest.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
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
	s.wake()
	return s.reader
}

// after returns the events behind the first seen ones. Where there are none
// yet, changed tells when to look again; over says that none will come.
func (s *stream) after(reader, seen int) (first int, events []string, over bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reader != s.reader && reader != anyReader {
		return seen, nil, true, nil
	}
	from := max(seen-s.dropped, 0)
	if from < len(s.events) {
		events = append(events, s.events[from:]...)
	}
	return max(seen, s.dropped), events, s.closed || s.away && reader == 1, s.changed
}

// follow sends a reader the events of a stream behind the first seen ones, until the
// stream is over, another connection takes it, or the client is gone.
func (h *HTTP) follow(w http.ResponseWriter, r *http.Request, x fault.Exchange, s *stream, reader, seen int) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	if x.Revision.Modern() {
		header.Set("X-Accel-Buffering", "no")
	}
	h.head(w, x, http.StatusOK)
	flush := http.NewResponseController(w)
	for {
		first, events, over, changed := s.after(reader, seen)
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
