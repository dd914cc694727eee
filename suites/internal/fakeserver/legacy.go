package fakeserver

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// SSE is the behaviour of the server over HTTP+SSE.
type SSE struct {
	Status   int    // of an accepted POST; 0 is 202
	Body     string // of the answer to an accepted POST
	Picky    bool   // unknown notifications are refused
	Echo     bool   // the body holds the answer too
	Absolute bool   // the endpoint event names a whole URI
	Host     string // in that URI instead of the host that the client named; the port stays
	InPath   bool   // the session is in the path of the URI, not in its query
	Untyped  bool   // messages come in events without a type
	Lines    bool   // the data of an event has several lines, which end in CR LF
	Remarks  bool   // comments, empty events and events of other types between messages
	First    string // the first text on a stream
	Silent   bool   // no endpoint event
	OnlyBody bool   // answers only in bodies
	One      bool   // a second open stream is refused
	Newest   bool   // the newest stream gets all answers
	Ends     bool   // a stream ends the earlier ones
}

// Legacy serves HTTP+SSE: a GET of any path opens a stream. It validates
// Origin, and answers a POST to any other URI with status 404.
func (s *Server) Legacy() http.Handler {
	var mu sync.Mutex
	streams, begun := map[string]chan string{}, 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			http.Error(w, "no web pages here", http.StatusForbidden)
			return
		}
		if r.Method == http.MethodGet {
			mu.Lock()
			if s.SSE.One && len(streams) > 0 {
				mu.Unlock()
				http.Error(w, "one client at a time", http.StatusConflict)
				return
			}
			for id, before := range streams {
				if s.SSE.Ends {
					before <- "" // this ends it
					delete(streams, id)
				}
			}
			begun++
			id, events := fmt.Sprint(begun), make(chan string, 64)
			streams[id] = events
			mu.Unlock()
			s.stream(w, r, id, events)
			mu.Lock()
			delete(streams, id)
			mu.Unlock()
			return
		}
		id := cmp.Or(r.URL.Query().Get("session_id"), strings.TrimPrefix(r.URL.Path, "/messages/"))
		mu.Lock()
		events, known := streams[id]
		if newest := streams[fmt.Sprint(begun)]; s.SSE.Newest && newest != nil {
			events = newest
		}
		mu.Unlock()
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<22))
		if !known || err != nil || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		s.take(w, body, events)
	})
}

func (s *Server) take(w http.ResponseWriter, body []byte, events chan<- string) {
	if r := readLoosely(body); s.SSE.Picky && strings.HasPrefix(r.Method, "notifications/") && !ofClients(r.Method) {
		http.Error(w, "unknown notification", http.StatusBadRequest)
		return
	}
	text, beside := s.Reply(body), s.SSE.Body
	if s.SSE.Echo || s.SSE.OnlyBody {
		w.Header().Set("Content-Type", "application/json")
		beside = text
	}
	status := cmp.Or(s.SSE.Status, http.StatusAccepted)
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = io.WriteString(w, beside)
	}
	if text != "" && !s.SSE.OnlyBody {
		events <- text
	}
}

// ofClients reports whether a client may send the notification.
func ofClients(method string) bool {
	switch strings.TrimPrefix(method, "notifications/") {
	case "initialized", "cancelled", "progress", "roots/list_changed":
		return true
	}
	return false
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, id string, events <-chan string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	to := "/messages/?session_id=" + id
	if s.SSE.InPath {
		to = "/messages/" + id
	}
	if s.SSE.Absolute {
		name, port, _ := strings.Cut(r.Host, ":")
		to = "http://" + cmp.Or(s.SSE.Host, name) + ":" + port + to
	}
	_, _ = io.WriteString(w, s.SSE.First)
	if !s.SSE.Silent {
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+to+"\n\n")
	}
	for {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case text := <-events:
			if text == "" {
				return
			}
			_, _ = io.WriteString(w, s.SSE.event(text))
		case <-r.Context().Done():
			return
		}
	}
}

func (s SSE) event(text string) string {
	event := "event: message\ndata: " + text + "\n\n"
	if s.Untyped {
		event = "data: " + text + "\n\n"
	}
	if s.Lines {
		event = strings.ReplaceAll(strings.Replace(event, "data: {", "data: {\ndata: ", 1), "\n", "\r\n")
	}
	if s.Remarks {
		event = ": still here\n\nevent: ping\ndata: 2026-11-22T08:00:00Z\n\ndata:\n\nid: 7\nretry: 1000\n" + event
	}
	return event
}
