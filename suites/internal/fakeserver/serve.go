package fakeserver

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
)

// Stdio is the behaviour of the server as a process.
type Stdio struct {
	Begin      func(out, errw io.Writer)             // called before the server reads
	Line       func(line []byte, out io.Writer) bool // called before the server reads a line; true: the line is done
	OutOfOrder bool                                  // answers of one burst go out last first
	IgnoreEOF  bool
	ExitAfter  int                // lines; 0: never
	Exit       func(Request) bool // instead of an answer
}

// Serve stands in for a process.
func (s *Server) Serve(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	if s.Stdio.Begin != nil {
		s.Stdio.Begin(out, errw)
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		reader := bufio.NewReaderSize(in, 16<<10)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	for n := 1; ; n++ {
		select {
		case line, ok := <-lines:
			if !ok {
				if s.Stdio.IgnoreEOF {
					select {
					case <-term:
					case <-ctx.Done():
					}
				}
				return 0
			}
			if s.Stdio.Exit != nil && s.Stdio.Exit(readLoosely(line)) {
				return 1
			}
			s.line(line, lines, out)
			if n == s.Stdio.ExitAfter {
				return 1
			}
		case <-term:
			return 0
		case <-ctx.Done():
			return 1
		}
	}
}

// readLoosely reads a line as far as possible.
func readLoosely(line []byte) Request {
	var r Request
	_ = json.Unmarshal(line, &r)
	return r
}

func (s *Server) line(line []byte, more <-chan []byte, out io.Writer) {
	if s.Stdio.Line != nil && s.Stdio.Line(line, out) {
		return
	}
	answers := []string{s.Reply(line)}
	if s.Stdio.OutOfOrder {
		select {
		case next, ok := <-more:
			if ok {
				answers = append([]string{s.Reply(next)}, answers...)
			}
		default:
		}
	}
	for _, a := range answers {
		if a != "" {
			_, _ = io.WriteString(out, a+"\n")
		}
	}
}

// HTTP is the behaviour of the server over Streamable HTTP.
type HTTP struct {
	Sessions    bool
	Store       *Store                                               // with Sessions: shared by several instances; nil: its own
	SessionID   string                                               // the beginning of session ids
	OneSession  bool                                                 // with Sessions: a new session ends the earlier ones
	AnyOrigin   bool                                                 // serves web pages of any site
	Before      func(w http.ResponseWriter, body []byte) (done bool) // called before the server reads a POST; true: the POST is done
	Events      bool                                                 // answer in an event stream instead of JSON
	Status      int                                                  // of JSON-RPC errors; 0 is 200
	Refuse      int                                                  // status for everything, with a text body
	ContentType string
	NotFound    int                                          // status for an unknown session; 0 is 404
	Missing     int                                          // status for a missing session id; 0 is 400
	Free        bool                                         // with Sessions: requests without a session id are served
	NoDelete    bool                                         // with Sessions: clients cannot end sessions
	Get         func(w http.ResponseWriter, r *http.Request) // instead of status 405
	Message     func(w http.ResponseWriter, text string)     // writes an answer instead of the server
	Around      func(http.Handler) http.Handler              // stands before the server
}

// A Store holds the sessions of one server or of several.
type Store struct {
	mu  sync.Mutex
	ids map[string]bool
}

// take reports whether a session exists, and ends it if told to.
func (s *Store) take(id string, ends bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.ids[id]
	if ends {
		delete(s.ids, id)
	}
	return known
}

// add keeps a session, beside the others or instead of them.
func (s *Store) add(id string, alone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil || alone {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
}

// Handler serves Streamable HTTP at any path.
func (s *Server) Handler() http.Handler {
	if s.HTTP.Around != nil {
		return s.HTTP.Around(endpoint(s))
	}
	return endpoint(s)
}

func endpoint(s *Server) http.Handler {
	sessions := cmp.Or(s.HTTP.Store, &Store{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !s.HTTP.AnyOrigin {
			http.Error(w, "this is not for web pages", http.StatusForbidden)
			return
		}
		if s.HTTP.Refuse != 0 {
			http.Error(w, "this is no MCP endpoint", s.HTTP.Refuse)
			return
		}
		id := r.Header.Get("Mcp-Session-Id")
		known := sessions.take(id, r.Method == http.MethodDelete && !s.HTTP.NoDelete)
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<22))
		switch {
		case err != nil:
			return
		case s.HTTP.Sessions && id != "" && !known:
			http.Error(w, "no such session", cmp.Or(s.HTTP.NotFound, http.StatusNotFound))
			return
		case s.HTTP.Sessions && id == "" && !s.HTTP.Free && !isInitialize(body):
			http.Error(w, "the session id is missing", cmp.Or(s.HTTP.Missing, http.StatusBadRequest))
			return
		case !s.names(r):
			http.Error(w, "the version is not spoken", http.StatusBadRequest)
			return
		case r.Method == http.MethodDelete && s.HTTP.Sessions && !s.HTTP.NoDelete:
			return
		case r.Method == http.MethodGet && s.HTTP.Get != nil:
			s.HTTP.Get(w, r)
			return
		case r.Method != http.MethodPost:
			http.Error(w, "POST only", http.StatusMethodNotAllowed)
			return
		}
		if s.HTTP.Before != nil && s.HTTP.Before(w, body) {
			return
		}
		text := s.Reply(body)
		if s.HTTP.Sessions && text != "" && isInitialize(body) {
			id = s.HTTP.SessionID + rand.Text()
			sessions.add(id, s.HTTP.OneSession)
			w.Header().Set("Mcp-Session-Id", id)
		}
		s.write(w, text)
	})
}

// names reports whether the version header, if there is one, names a version of
// the server.
func (s *Server) names(r *http.Request) bool {
	version := r.Header.Get("Mcp-Protocol-Version")
	_, discovered := s.Answer["server/discover"] // the answer itself lists those revisions
	return version == "" || discovered || slices.Contains(s.revisions(), version)
}

func (s *Server) write(w http.ResponseWriter, text string) {
	status := http.StatusOK
	if isError(text) && s.HTTP.Status != 0 {
		status = s.HTTP.Status
	}
	switch {
	case text == "":
		w.WriteHeader(http.StatusAccepted)
	case s.HTTP.Message != nil:
		s.HTTP.Message(w, text)
	case s.HTTP.Events && status == http.StatusOK:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": hello\n\nevent: message\ndata: %s\n\n", text)
	default:
		kind := s.HTTP.ContentType
		if kind == "" {
			kind = "application/json"
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}
