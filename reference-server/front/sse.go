package front

import (
	"context"
	"crypto/rand"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// SSE serves any number of clients over the HTTP+SSE of 2024-11-05: a stream of events
// for the messages of the server, and a path for the posts of clients.
type SSE struct {
	endpoint
	post string

	mu      sync.Mutex
	clients map[string]*client
}

// A client is a client with an open stream.
type client struct {
	conv    *core.Conversation
	stream  *stream // its events are stored as they are written
	ctx     context.Context
	inOrder sync.Mutex // messages begin in the order of their posts
}

// NewSSE returns the handler for the path of the stream and the path of the posts.
func NewSSE(c *core.Core, f *fault.Fault, stream, post string, hosts []string) *SSE {
	return &SSE{endpoint: endpoint{core: c, fault: f, path: stream, hosts: hosts}, post: post, clients: map[string]*client{}}
}

func (s *SSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.fault != nil && s.fault.HTTP.Serve != nil && s.fault.HTTP.Serve(w, r) {
		return
	}
	x := exchange(r)
	x.Transport, x.Header = requirements.SSE, r.Header.Clone()
	x.Header.Set("Host", r.Host)
	switch {
	case r.URL.Path != s.path && r.URL.Path != s.post:
		s.head(w, x, http.StatusNotFound)
	case !s.admits(w, r, x): // refused
	case r.URL.Path == s.path && r.Method == http.MethodGet:
		s.listen(w, r, x)
	case r.URL.Path == s.post && r.Method == http.MethodPost:
		s.acceptPost(w, r, x)
	default:
		w.Header().Set("Allow", http.MethodGet)
		if r.URL.Path == s.post {
			w.Header().Set("Allow", http.MethodPost)
		}
		s.head(w, x, http.StatusMethodNotAllowed)
	}
}

// listen opens the stream of a client and first sends the address for posts. The
// client is forgotten when its stream ends.
func (s *SSE) listen(w http.ResponseWriter, r *http.Request, x fault.Exchange) {
	id := rand.Text()
	c := &client{stream: newStream(""), ctx: r.Context()}
	c.conv = &core.Conversation{Push: func(m fault.Message) {
		s.sendMessage(c, fault.Exchange{Transport: requirements.SSE, Revision: c.conv.Revision(), HTTP: http.MethodGet}, core.Encode(m))
	}}
	s.add(c, x, "event: endpoint\ndata: "+s.post+"?sessionId="+url.QueryEscape(id)+"\n\n")
	s.setClient(id, c)
	defer s.core.Leave(c.conv)
	defer s.setClient(id, nil)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	s.head(w, x, http.StatusOK)
	flush, reader, seen := http.NewResponseController(w), c.stream.take(), 0
	for {
		first, events, over, changed := c.stream.eventsAfter(reader, seen)
		for _, text := range events {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
		seen = first + len(events)
		if flush.Flush() != nil || over {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// setClient notes a client; nil forgets the client.
func (s *SSE) setClient(id string, c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c == nil {
		delete(s.clients, id)
		return
	}
	s.clients[id] = c
}

func (s *SSE) find(r *http.Request) (*client, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.clients[r.URL.Query().Get("sessionId")]
	return c, ok
}

// add puts the text of an event on the stream, as the fault wants it.
func (s *SSE) add(c *client, x fault.Exchange, event string) {
	if s.fault != nil && s.fault.HTTP.Event != nil {
		event = s.fault.HTTP.Event(x, event)
	}
	c.stream.add(event)
}

func (s *SSE) sendMessage(c *client, x fault.Exchange, text []byte) {
	s.add(c, x, "event: message\ndata: "+string(s.bytes(x, text))+"\n\n")
}

// acceptPost reads one posted message and accepts it at once; the answer comes on the
// stream.
func (s *SSE) acceptPost(w http.ResponseWriter, r *http.Request, x fault.Exchange) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	c, known := s.find(r)
	switch {
	case !known:
		s.refuse(w, x, http.StatusNotFound, "there is no stream for this message")
		return
	case (err != nil || kind != "application/json") && !s.fault.Skips(fault.CheckContentType):
		s.refuse(w, x, http.StatusUnsupportedMediaType, "the body has to be application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		s.refuse(w, x, http.StatusRequestEntityTooLarge, "the body is too long")
		return
	}
	c.inOrder.Lock()
	serving := s.core.Begin(c.ctx, c.conv, core.Inbound{
		Message: envelope.Read(body, s.fault), Transport: requirements.SSE, Principal: principal(r),
	})
	x.Method, x.ID, x.Params = serving.Exchange().Method, serving.Exchange().ID, serving.Exchange().Params
	x.Revision = serving.Exchange().Revision
	if s.route(x, nil, fault.Own)[0] == fault.Body {
		c.inOrder.Unlock()
		outcome := serving.Run(listener{s, c})
		s.json(w, x, http.StatusOK, outcome.Messages, outcome.List)
		return
	}
	if serving.InOrder() {
		s.run(c, serving)
		c.inOrder.Unlock()
	} else {
		c.inOrder.Unlock()
		go s.run(c, serving) // the run ends with the stream of its client
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	s.head(w, x, http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted") // the client may be gone
}

// run serves a message and sends what comes of it.
func (s *SSE) run(c *client, serving *core.Serving) {
	outcome := serving.Run(listener{s, c})
	switch {
	case outcome.Exits:
		c.stream.finish()
	case outcome.List:
		s.sendMessage(c, serving.Exchange(), core.EncodeList(outcome.Messages))
	default:
		for _, message := range outcome.Messages {
			s.sendMessage(c, serving.Exchange(), core.Encode(message))
		}
	}
}

// A listener sends the messages that a request sends before its answer.
type listener struct {
	front  *SSE
	client *client
}

func (l listener) Notify(x fault.Exchange, m fault.Message) {
	l.front.sendMessage(l.client, x, core.Encode(m))
}
func (l listener) Open() {}
