package front

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const (
	maxSessions = 4096 // beyond it a new session ends the oldest
	maxStreams  = 64   // streams per session that can be resumed
)

// sessions are the open sessions.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*session
	ids  []string // the oldest first
}

// A session is one conversation of the handshake era over HTTP.
type session struct {
	id       string
	owner    string // the principal that opened the session
	conv     *core.Conversation
	standing *stream // for messages that belong to no request

	mu      sync.Mutex
	ended   bool
	running map[int]context.CancelFunc
	streams []*stream
	next    int
	held    *heldNotification
}

func (h *HTTP) newSession() *session {
	s := &session{id: h.sessionID(), running: map[int]context.CancelFunc{}}
	s.standing = s.stream()
	s.register(s.standing)
	s.conv = &core.Conversation{Push: func(m fault.Message) { s.standing.add(string(core.Encode(m))) }}
	return s
}

func (all *sessions) keep(s *session) (oldest *session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byID == nil {
		all.byID = map[string]*session{}
	}
	all.byID[s.id] = s
	all.ids = append(all.ids, s.id)
	if len(all.ids) <= maxSessions {
		return nil
	}
	oldest = all.byID[all.ids[0]]
	delete(all.byID, all.ids[0])
	all.ids = all.ids[1:]
	return oldest
}

func (all *sessions) find(id string) (*session, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s, ok := all.byID[id]
	return s, ok
}

func (all *sessions) end(s *session) {
	all.mu.Lock()
	delete(all.byID, s.id)
	for i, id := range all.ids {
		if id == s.id {
			all.ids = append(all.ids[:i], all.ids[i+1:]...)
			break
		}
	}
	all.mu.Unlock()
	s.end()
}

// end stops the work of the session and closes its streams.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, cancel := range s.running {
		cancel()
	}
	for _, one := range s.streams {
		one.finish()
	}
}

// run notes work of the session, so that the work ends with the session. The caller
// calls done when the work is over.
func (s *session) run(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	number := s.next
	s.running[number] = cancel
	if s.ended {
		cancel()
	}
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, number)
		cancel()
	}
}

// stream makes a stream. Its event ids differ from the ids of all other streams of the
// session.
func (s *session) stream() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return newStream(strconv.Itoa(s.next) + "-")
}

// register keeps a stream for a client that resumes it.
func (s *session) register(made *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) >= maxStreams {
		// The first stream, for messages without a request, stays.
		s.streams = append(s.streams[:1], s.streams[2:]...)
	}
	s.streams = append(s.streams, made)
	if s.ended {
		made.finish()
	}
}

// find returns the stream of an event, and how many of the stream's events the client
// already has.
func (s *session) find(lastEvent string) (*stream, int, bool) {
	prefix, number, ok := strings.Cut(lastEvent, "-")
	seen, err := strconv.Atoi(number)
	if !ok || err != nil {
		return nil, 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.streams {
		if one.prefix == prefix+"-" {
			return one, seen, true
		}
	}
	return nil, 0, false
}
