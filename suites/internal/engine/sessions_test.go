package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// overHTTP gives the findings on a handler, with so many cases at once.
func overHTTP(t *testing.T, server http.Handler, jobs int, cases ...suite.Case) map[string]reports.Finding {
	t.Helper()
	listening := httptest.NewServer(server)
	defer listening.Close()
	p := plan(t, &fakeserver.Server{}, cases...)
	p.Jobs = jobs
	p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})}}
	_, found := gather(t, p)
	return found
}

// A server whose new session ends the one before is judged one session at a time;
// what takes two is undecided, and the report says so.
func TestOneSessionAtATime(t *testing.T) {
	t.Parallel()
	ping := func(c *probe.Client) error {
		reply := c.Call("ping", nil)
		return reply.WantResult()
	}
	initialize := func(c *probe.Client) error {
		reply := c.Initialize()
		return reply.WantResult()
	}
	server := &fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true, OneSession: true}}
	cases := []suite.Case{
		{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Run: initialize},
		{ID: "try/two", Run: func(c *probe.Client) error {
			c.Opened()
			return ping(c)
		}},
		{ID: "try/raw", Raw: true, Run: initialize},
		{ID: "try/waits", Lane: suite.Waits, Run: ping},
		{ID: "try/alone", Lane: suite.Alone, Run: ping},
	}
	want := map[string]string{"try/owner": "pass", "try/two": "undecided", "try/raw": "pass", "try/waits": "pass", "try/alone": "pass"}
	for _, letter := range "abcdefghij" {
		lane := suite.Shared
		if letter%3 == 0 {
			lane = suite.Fresh
		}
		cases = append(cases, suite.Case{ID: "try/" + string(letter), Lane: lane, Run: ping})
		want["try/"+string(letter)] = "pass"
	}
	found := overHTTP(t, server.Handler(), 8, cases...)
	if diff := cmp.Diff(want, kinds(found)); diff != "" {
		t.Error(diff)
	}
	if notes := strings.Join(found["try/owner"].Notes, "\n"); !strings.Contains(notes, "one session at a time") {
		t.Errorf("the owner of the opening says %q", notes)
	}
}

// A server may end a session whenever it likes: the case is judged on a new one, and
// says so. One that answers an unknown method with status 404 has ended nothing.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	refused := map[string]bool{}
	server := &fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true, Status: http.StatusNotFound, Before: func(w http.ResponseWriter, body []byte) bool {
		var r fakeserver.Request
		if json.Unmarshal(body, &r) != nil || r.Method != "once" || refused[r.Method] {
			return false
		}
		refused[r.Method] = true
		http.Error(w, "no such session", http.StatusNotFound)
		return true
	}}, Answer: map[string]func(fakeserver.Request) any{"once": func(fakeserver.Request) any { return map[string]any{} }}}
	call := func(method string) func(*probe.Client) error {
		return func(c *probe.Client) error {
			reply := c.Call(method, nil)
			return reply.WantResult()
		}
	}
	found := overHTTP(t, server.Handler(), 1, suite.Case{ID: "try/once", Run: call("once")}, suite.Case{ID: "try/unknown", Run: call("unknown")})
	if diff := cmp.Diff(map[string]string{"try/once": "pass", "try/unknown": "fail"}, kinds(found)); diff != "" {
		t.Error(diff)
	}
	const said = "the session was over before the case was"
	for id, want := range map[string]bool{"try/once": true, "try/unknown": false} {
		if notes := strings.Join(found[id].Notes, "\n"); strings.Contains(notes, said) != want {
			t.Errorf("%s says %q", id, notes)
		}
	}
}

// A server may break a session by one request, so that nothing is answered in it any more:
// the next cases are judged in a new one.
func TestBrokenSession(t *testing.T) {
	t.Parallel()
	var broken sync.Map
	server := &fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true}}
	inner := server.Handler()
	breaking := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session := r.Header.Get("Mcp-Session-Id")
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"breaks"`)) {
			broken.Store(session, true)
		}
		if _, over := broken.Load(session); !over {
			inner.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
	})
	ping := func(c *probe.Client) error { return c.Call("ping", nil).WantResult() }
	found := overHTTP(t, breaking, 1,
		suite.Case{ID: "try/breaks", Run: func(c *probe.Client) error { c.Call("breaks", nil); return nil }},
		suite.Case{ID: "try/next", Run: func(c *probe.Client) error {
			c.UndecideIf(!c.Call("ping", nil).Served(), "ping is not answered")
			return nil
		}},
		suite.Case{ID: "try/last", Run: ping},
	)
	if diff := cmp.Diff(map[string]string{"try/breaks": "pass", "try/next": "pass", "try/last": "pass"}, kinds(found)); diff != "" {
		t.Error(diff)
	}
}

// A further session may be refused for the number of those that other cases have: the case
// is judged again when nothing runs beside it, whichever of its sessions was refused.
func TestFurtherSessionRefused(t *testing.T) {
	t.Parallel()
	var refusing atomic.Bool
	server := &fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true, Before: func(w http.ResponseWriter, body []byte) bool {
		var r fakeserver.Request
		if json.Unmarshal(body, &r) != nil || r.Method != "initialize" || !refusing.Load() {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Too many sessions"}}`, r.ID)
		return true
	}}}
	cases, want := []suite.Case{{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Run: passes}}, map[string]string{"try/owner": "pass"}
	for id, lane := range map[string]suite.Lane{"try/shared": suite.Shared, "try/fresh": suite.Fresh} {
		crowded := true
		cases = append(cases, suite.Case{ID: id, Lane: lane, Run: func(c *probe.Client) error {
			refusing.Store(crowded)
			defer refusing.Store(false)
			crowded = false
			c.Opened()
			return nil
		}})
		want[id] = "pass"
	}
	found := overHTTP(t, server.Handler(), 1, cases...)
	if diff := cmp.Diff(want, kinds(found)); diff != "" {
		t.Error(diff)
	}
}

// Where the end of one session ends all of them, cases run one by one, and each gets a session
// that lives.
func TestSessionsEndTogether(t *testing.T) {
	t.Parallel()
	var living sync.Map
	inner := (&fakeserver.Server{HTTP: fakeserver.HTTP{Sessions: true}}).Handler()
	together := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		if _, lives := living.Load(id); id != "" && !lives {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		inner.ServeHTTP(w, r)
		if begun := w.Header().Get("Mcp-Session-Id"); begun != "" {
			living.Store(begun, true)
		}
		if r.Method == http.MethodDelete {
			living.Clear()
		}
	})
	want, cases := map[string]string{}, []suite.Case(nil)
	for _, letter := range "abcdefghijkl" {
		lane := suite.Shared
		if letter%3 == 0 {
			lane = suite.Fresh
		}
		cases = append(cases, suite.Case{ID: "try/" + string(letter), Lane: lane, Run: func(c *probe.Client) error {
			for range 5 {
				c.Must(c.Call("ping", nil).WantResult())
			}
			return nil
		}})
		want["try/"+string(letter)] = "pass"
	}
	if diff := cmp.Diff(want, kinds(overHTTP(t, together, 8, cases...))); diff != "" {
		t.Error(diff)
	}
}
