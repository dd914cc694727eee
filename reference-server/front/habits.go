package front

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func (h *HTTP) sessionID() string {
	if own := h.habits().SessionID; own != nil {
		return own(int(h.sessionsBegun.Add(1)))
	}
	return rand.Text()
}

// workContext is the context of a session's request, which continues when its client
// leaves.
func (h *HTTP) workContext(ctx context.Context) context.Context {
	if h.habits().CancelsLost {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// standingReader returns the reader of the session's standing stream for a GET, and
// how many of its events the client does not get.
func (h *HTTP) standingReader(s *session, x fault.Exchange) (reader, seen int) {
	reader, seen = s.standing.listen(x.Revision == requirements.R20251125)
	if h.route(x, nil, fault.Standing)[0] == fault.Shared {
		reader = anyReader
	}
	return reader, seen
}

// resumed is the stream that the client wants to resume.
func (h *HTTP) resumed(s *session, x fault.Exchange, lastEvent string) (*stream, int, bool) {
	switch h.route(x, nil, fault.Own)[0] {
	case fault.Newest:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.streams[len(s.streams)-1], 0, true
	case fault.Anywhere:
		return h.sessions.resumed(lastEvent)
	case fault.Again:
		found, seen, ok := s.find(lastEvent)
		return found, max(seen-1, 0), ok
	default:
		return s.find(lastEvent)
	}
}

// resumed finds an event in all sessions. Streams with the same number are merged.
func (all *sessions) resumed(lastEvent string) (*stream, int, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	var found []*stream
	seen := 0
	for _, id := range all.ids {
		if one, had, ok := all.byID[id].find(lastEvent); ok {
			found, seen = append(found, one), had
		}
	}
	switch len(found) {
	case 0:
		return nil, 0, false
	case 1:
		return found[0], seen, true
	}
	merged := newStream(found[0].prefix)
	for _, one := range found {
		one.mu.Lock()
		for _, data := range one.events[min(max(seen-one.dropped, 0), len(one.events)):] {
			merged.add(data)
		}
		one.mu.Unlock()
	}
	merged.finish()
	return merged, 0, true
}

// postAlone serves a request of the handshake era without a session.
func (h *HTTP) postAlone(w http.ResponseWriter, r *http.Request, x fault.Exchange, in core.Inbound) {
	named := requirements.R20250326
	if values := r.Header.Values(headerVersion); len(values) > 0 {
		named = requirements.Revision(values[0])
	}
	if !named.Known() && !h.fault.Skips(fault.CheckVersionHeader) {
		h.refuse(w, x, http.StatusBadRequest, "the version header names no revision that is served")
		return
	}
	conv := &core.Conversation{}
	if in.Method != "initialize" {
		conv.Assume(named)
	}
	serving := h.core.Begin(context.WithoutCancel(r.Context()), conv, in)
	a := &answering{front: h, serving: serving, stream: newStream("")}
	a.answer(w, r, func() {})
}

// heldNotification is a notification that waits for the stream of another request.
type heldNotification struct {
	by      *answering
	message fault.Message
}

// sendOnOtherStreams sends a message on other streams than its own as the fault wants
// it, and says whether the message goes on its own stream too.
func (a *answering) sendOnOtherStreams(m fault.Message) (own bool) {
	if a.session == nil {
		return true
	}
	for _, to := range a.front.route(a.serving.Exchange(), m, fault.Own) {
		switch to {
		case fault.Standing:
			a.session.conv.Push(m)
		case fault.All:
			a.front.sessions.push(m)
		case fault.Another:
			own = !a.crossesStreams(m)
		default:
			own = true
		}
	}
	return own
}

func (a *answering) crossesStreams(m fault.Message) bool {
	s := a.session
	s.mu.Lock()
	other := s.held
	if other != nil && other.by != a {
		s.held = nil
	} else {
		other = nil
	}
	keep := s.held == nil && !a.held && other == nil
	if keep {
		a.held, s.held = true, &heldNotification{a, m}
	}
	s.mu.Unlock()
	if other != nil {
		a.Open()
		a.stream.add(string(core.Encode(other.message)))
	}
	return keep
}

// push sends a message to the standing streams of all sessions.
func (all *sessions) push(m fault.Message) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.byID {
		s.conv.Push(m)
	}
}

// any is one of the open sessions, for a fault that ends all; nil where none is open.
func (all *sessions) any() *session {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.byID {
		return s
	}
	return nil
}
