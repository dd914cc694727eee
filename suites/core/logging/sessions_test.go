package logging_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// TestLawfulSessions: sessions that have levels of their own, and a server that tells every
// session what happens to the whole of it, in the words of its calls.
func TestLawfulSessions(t *testing.T) {
	server := func(h fakeserver.HTTP) *fakeserver.Server {
		l := &logger{}
		s := l.server()
		s.HTTP = h
		s.HTTP.Sessions = true
		return s
	}
	const role = "roles: {logging-tool: {tool: hours}}"
	per := &perSession{}
	chatty := &perSession{}
	lawful.Servers(t, "logging", []lawful.Row{
		{
			Name: "each session has its level", Over: requirements.HTTP, Config: role,
			Server: server(fakeserver.HTTP{Around: per.around, Get: quiet}),
			Judged: []string{"logging/level-per-session", "logging/messages-per-session"},
		},
		{
			Name: "the same is told to every session all the time", Over: requirements.HTTP, Config: role,
			Server: server(fakeserver.HTTP{Around: chatty.around, Get: ticking}),
		},
		{
			Name: "one session at a time", Over: requirements.HTTP, Config: role,
			Server: server(fakeserver.HTTP{Around: (&perSession{}).around, OneSession: true, Get: quiet}),
		},
	})
}

// perSession logs on the stream of a call what the session of the call wants.
type perSession struct{ levels sync.Map }

func (p *perSession) around(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked struct {
			Method string
			Params struct{ Name, Level string }
		}
		_ = json.Unmarshal(body, &asked)
		session := r.Header.Get("Mcp-Session-Id")
		if asked.Method == "logging/setLevel" {
			p.levels.Store(session, asked.Params.Level)
		}
		if asked.Method != "tools/call" || asked.Params.Name != "hours" {
			inner.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		inner.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			w.WriteHeader(answer.Code)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		least, _ := p.levels.Load(session)
		logAbove(w, fmt.Sprint(least))
		_, _ = fmt.Fprintf(w, "data: %s\n\n", strings.TrimSpace(answer.Body.String()))
	})
}

// logAbove logs once at each level from the least one on.
func logAbove(w io.Writer, least string) {
	on := false
	for _, level := range all() {
		if on = on || level == least; on {
			_, _ = fmt.Fprintf(w, `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":%q,"data":"the hours are read"}}`+"\n\n", level)
		}
	}
}

// quiet opens a stream that brings nothing.
func quiet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// ticking opens a stream that brings an emergency several times a second.
func ticking(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		logAbove(w, "emergency")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}
