package engine_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/connect"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A restarting server listens at one address, and can be started anew there.
type restarting struct {
	t       *testing.T
	handler http.Handler
	address string
	now     *httptest.Server
}

func (r *restarting) start() {
	address := r.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := (&net.ListenConfig{}).Listen(r.t.Context(), "tcp", address)
	if err != nil {
		r.t.Error(err)
		return
	}
	r.address = listener.Addr().String()
	r.now = httptest.NewUnstartedServer(r.handler)
	_ = r.now.Listener.Close()
	r.now.Listener = listener
	r.now.Start()
}

func (r *restarting) stop() {
	r.now.CloseClientConnections()
	r.now.Close()
}

// A server that is started anew during the run is not blamed for what was cut off: the case
// meets it again. Where the same request ends the connection each time, the finding stands.
func TestAServerThatIsStartedAnew(t *testing.T) {
	t.Parallel()
	for _, lane := range []suite.Lane{suite.Fresh, suite.Shared} {
		server := &fakeserver.Server{Answer: fakeserver.Answers{"odd": func(fakeserver.Request) any { panic(http.ErrAbortHandler) }}}
		r := &restarting{t: t, handler: server.Handler()}
		r.start()
		var once sync.Once
		var later sync.WaitGroup
		meets := func(c *probe.Client) error {
			once.Do(func() {
				r.stop()
				later.Go(func() { time.Sleep(900 * time.Millisecond); r.start() })
			})
			return c.Call("ping", nil).WantResult()
		}
		p := plan(t, server,
			suite.Case{ID: "try/meets", Lane: lane, Run: meets},
			suite.Case{ID: "try/odd", Lane: lane, Run: func(c *probe.Client) error { return c.Call("odd", nil).WantResult() }},
			suite.Case{ID: "try/later", Lane: suite.Alone, Run: func(c *probe.Client) error { return c.Call("ping", nil).WantResult() }})
		p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: "http://" + r.address, Pool: wire.NewPool(wire.Limits{})}}
		p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
		p.Part, p.Jobs = true, 1
		_, found := gather(t, p)
		later.Wait()
		r.stop()
		for _, id := range []string{"try/meets", "try/later"} {
			if f := found[id]; f.Status != reports.Pass {
				t.Errorf("lane %v: %s: %s %q %+v, want a pass", lane, id, f.Status, f.Problem, f.Reason)
			}
		}
		if f := found["try/odd"]; f.Status != reports.Fail || !strings.Contains(f.Problem, "ended") {
			t.Errorf("lane %v: %s %q %+v, want a failure", lane, f.Status, f.Problem, f.Reason)
		}
	}
}
