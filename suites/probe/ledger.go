package probe

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A ledger holds the requests of the client on one connection: which frame
// belongs to which request, and which frames something malformed provoked.
type ledger struct {
	read func(frame.Frame) // gives a frame the reading of an equal text, if there is one

	mu           sync.Mutex
	lastID       int
	leaving      map[string]*leaving // texts that are on their way, or about to be sent
	asked        map[string]Asked    // requests by the key of their id
	keptRequests []string            // keys of the requests that are kept with params, not only with their method
	posts        map[int]Asked       // HTTP: the request that an exchange carried
	accepted     map[int]bool        // HTTP: exchanges whose status is 200
	malformed    map[int]bool        // HTTP: exchanges whose request was malformed on purpose
	malformedIDs map[string]bool
	stayedAway   map[string]time.Duration // HTTP: by the key of a request, how long the client waited before it resumed its stream
	pending      map[string]bool          // ids of requests that were not answered yet
	lateIDs      map[string]bool          // ids that were pending when earlier cases ended
	lostIDs      map[string]bool          // HTTP: ids of requests that were accepted, and whose exchange ended without an answer

	expected map[string]request // requests that Patience learns from, by the key of their id
	gaveUp   map[int]bool       // HTTP: exchanges whose end was awaited in vain
}

// leaving is a text that is on its way, or about to be sent.
type leaving struct {
	text    string
	message *frame.Message // nil where nobody asked for it
	good    int            // copies that a good client would send
}

func newLedger(read func(frame.Frame)) ledger {
	return ledger{
		read: read, asked: map[string]Asked{}, leaving: map[string]*leaving{},
		posts: map[int]Asked{}, malformed: map[int]bool{}, malformedIDs: map[string]bool{}, pending: map[string]bool{},
		accepted: map[int]bool{}, lostIDs: map[string]bool{},
		expected: map[string]request{}, gaveUp: map[int]bool{}, stayedAway: map[string]time.Duration{},
	}
}

func (l *ledger) nextID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	return strconv.Itoa(l.lastID)
}

// reading reads a text before it is sent; the frame of the text shares the reading.
func (l *ledger) reading(text string) frame.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.leaves(text)
	if one.message == nil {
		f := frame.New(frame.Sent, frame.KindMessage, []byte(text))
		l.read(f)
		m := f.Message()
		one.message = &m
	}
	return *one.message
}

// leaves is a text that is on its way; l.mu is held.
func (l *ledger) leaves(text string) *leaving {
	one := l.leaving[text]
	if one == nil {
		one = &leaving{text: text}
		l.leaving[text] = one
	}
	return one
}

// good announces a text that a good client would send.
func (l *ledger) good(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaves(text).good++
}

// enter adds to a frame the request that it belongs to, and whether something
// malformed provoked it. One reader sees sent frames before their answers.
func (l *ledger) enter(s *Seen) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.Dir == frame.Sent {
		l.enterSent(s)
	} else {
		l.enterReceived(s)
	}
}

func (l *ledger) enterSent(s *Seen) {
	one := l.leaving[string(s.Raw())]
	if one == nil {
		one = &leaving{}
	}
	if one.good > 0 {
		one.good--
	} else {
		s.Malformed = len(s.Raw()) > 0
	}
	if one.message != nil {
		s.Known(*one.message)
		one.message = nil
	}
	if one.good == 0 {
		delete(l.leaving, one.text) // many texts are sent, and each of them is on its way for a moment
	}
	m := s.Message()
	if m.Class == frame.Request {
		a := Asked{Method: m.Method, Frame: s.Frame}
		if s.HTTP != nil {
			a.Header = s.HTTP.Header
		}
		key := frame.IDKey(m.ID)
		l.asked[key] = a
		l.keptRequests = append(l.keptRequests, key)
		l.pending[key] = true
		if r, ok := l.expected[key]; ok {
			r.at = s.At
			l.expected[key] = r
		}
		l.malformedIDs[key] = s.Malformed
		if s.Exchange > 0 {
			l.posts[s.Exchange] = a
		}
		s.Request = a
	}
	if s.Exchange > 0 {
		l.malformed[s.Exchange] = s.Malformed
	}
}

func (l *ledger) enterReceived(s *Seen) {
	s.Malformed = s.Exchange > 0 && l.malformed[s.Exchange]
	s.Request = l.posts[s.Exchange]
	switch s.Kind {
	case frame.KindHead:
		if s.HTTP != nil && s.HTTP.Status == http.StatusOK {
			l.accepted[s.Exchange] = true
		}
	case frame.KindEnd:
		l.closes(s)
	case frame.KindMessage:
		l.enterAnswers(s)
	case frame.KindEvent, frame.KindBody: // no message
	}
}

// enterAnswers notes which requests a message answers.
func (l *ledger) enterAnswers(s *Seen) {
	m := s.Message()
	for _, each := range Singles(m) {
		if each.Responds() {
			key := frame.IDKey(each.ID)
			s.awaited = s.awaited || l.pending[key]
			s.Away = max(s.Away, l.stayedAway[key])
			delete(l.stayedAway, key)
			delete(l.pending, key)
			delete(l.lostIDs, key)
		}
	}
	if !m.Responds() {
		return
	}
	key := frame.IDKey(m.ID)
	a, known := l.asked[key]
	s.Request = a
	if known {
		s.Malformed = s.Malformed || l.malformedIDs[key]
	} else if !m.HasID || m.ID == "null" {
		s.Malformed = true
	}
}

// closes forgets an exchange that ended.
func (l *ledger) closes(s *Seen) {
	if s.Request.Method != "" && l.accepted[s.Exchange] && (s.End == nil || s.End.Err == "") {
		if key := frame.IDKey(s.Request.Frame.Message().ID); l.pending[key] {
			l.lostIDs[key] = true
		}
	}
	delete(l.posts, s.Exchange)
	delete(l.accepted, s.Exchange)
	delete(l.malformed, s.Exchange)
}

// loses reports whether the server accepted a request over HTTP and let it go without an
// answer: it may do so with each request of the session from then on.
func (l *ledger) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lostIDs) > 0
}

// awaitsOnly reports whether the request with this id is the only one in
// flight, so that an unreadable frame answers it.
func (l *ledger) awaitsOnly(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) == 1 && l.pending[frame.IDKey(id)]
}

// inFlight are the keys of the requests in flight.
func (l *ledger) inFlight() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.pending)
}

// stopAwaiting stops waiting for an answer.
func (l *ledger) stopAwaiting(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pending, frame.IDKey(id))
}

// shorten drops the params of the requests that were answered. The ids of the
// others are late from now on.
func (l *ledger) shorten() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keptRequests = slices.DeleteFunc(l.keptRequests, func(key string) bool {
		if l.pending[key] {
			return false
		}
		l.asked[key] = Asked{Method: l.asked[key].Method} // all that is needed to judge one more answer to it
		return true
	})
	l.lateIDs = maps.Clone(l.pending)
}

// late are the ids of requests that earlier cases left without an answer. It
// leaves out the id null, which would excuse every error without a request from
// then on.
func (l *ledger) late() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := map[string]bool{}
	for id := range l.lateIDs {
		if id != "null" {
			ids[looseID(id)] = true
		}
	}
	return ids
}

// expect notes a request before it is sent.
func (l *ledger) expect(id string, r request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected[frame.IDKey(id)] = r
}

// unanswered is the request that a response is the first answer to.
func (l *ledger) unanswered(id string) (r request, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := frame.IDKey(id)
	r, ok = l.expected[key]
	delete(l.expected, key)
	return r, ok
}

// stays notes how long the client waited before it resumed the stream of a request.
func (l *ledger) stays(id string, away time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stayedAway[frame.IDKey(id)] += away
}

// giveUp notes that the end of an exchange was awaited in vain.
func (l *ledger) giveUp(exchange int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gaveUp[exchange] = true
}

// givenUp reports whether the end of an exchange was awaited in vain.
func (l *ledger) givenUp(exchange int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gaveUp[exchange]
}
