package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
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

// A server that lets nobody in now and then is still asked: only refusals in a
// row, with no case between them that was let in, are hopeless.
func TestRefusalsThatAreNotInARow(t *testing.T) {
	t.Parallel()
	var refuse atomic.Int64 // handshakes that are refused from now on
	server := &fakeserver.Server{}
	server.Answer = map[string]func(fakeserver.Request) any{"initialize": func(r fakeserver.Request) any {
		if refuse.Add(-1) >= 0 {
			return &fakeserver.Error{Code: -32603, Message: "out of licences"}
		}
		return map[string]any{
			"protocolVersion": r.Params["protocolVersion"], "capabilities": map[string]any{},
			"serverInfo": map[string]any{"name": "r", "version": "1"},
		}
	}}
	cases := []suite.Case{{ID: "try/owner", Raw: true, Proves: []suite.Need{suite.Opening()}, Run: passes}}
	for i := range 4 {
		cases = append(cases, suite.Case{
			ID: fmt.Sprintf("try/complains-%d", i), Lane: suite.Fresh,
			Run: func(*probe.Client) error {
				refuse.Store(2) // each case tries twice
				return &probe.Violation{Problem: "broken"}
			},
		}, suite.Case{ID: fmt.Sprintf("try/refused-%d", i), Lane: suite.Fresh, Run: passes})
	}
	p := plan(t, server, cases...)
	p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	p.Jobs = 1
	p.Part = true // nobody asks for other revisions beside the cases
	_, found := gather(t, p)
	if f := found["try/complains-3"]; f.Status != reports.Fail {
		t.Errorf("%s %+v, want a failure although three cases before it got no connection", f.Status, f.Reason)
	}
	if f := found["try/refused-3"]; f.Reason == nil || f.Reason.BlockedBy != "try/refused-0" {
		t.Errorf("%s %+v, want it to be blocked by the first that got no connection", f.Status, f.Reason)
	}
}

// The case during which the server ended keeps its finding, also where another case might be
// the reason for it: to judge it again would tell nothing but that nothing listens.
func TestWhoNoticesTheEndKeepsItsFinding(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{Answer: fakeserver.Answers{"ping": func(fakeserver.Request) any {
		time.Sleep(time.Second)
		return map[string]any{}
	}}}
	listening := httptest.NewServer(server.Handler())
	begun, ended := make(chan struct{}), make(chan struct{})
	ends := func(c *probe.Client) error {
		<-begun
		err := c.Call("ping", nil).WantResult() // no answer in time
		listening.CloseClientConnections()
		listening.Close()
		close(ended)
		return err
	}
	beside := func(*probe.Client) error { close(begun); <-ended; time.Sleep(time.Second); return nil }
	p := plan(t, server,
		suite.Case{ID: "try/ends", Lane: suite.Fresh, Contends: true, Run: ends},
		suite.Case{ID: "try/beside", Lane: suite.Fresh, Run: beside},
		suite.Case{ID: "try/later", Lane: suite.Alone, Run: passes})
	p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})}}
	p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	p.Part, p.Timeout = true, 300*time.Millisecond
	_, found := gather(t, p)
	if f := found["try/ends"]; f.Status == reports.Skip || f.Status == reports.Pass {
		t.Errorf("%s %+v, want its own finding", f.Status, f.Reason)
	}
	if f := found["try/ends"]; !strings.Contains(f.Problem, "did not answer ping") {
		t.Errorf("%q does not say what the case saw", f.Problem)
	}
	if f := found["try/later"]; f.Reason == nil || f.Reason.BlockedBy != "try/ends" {
		t.Errorf("%s %+v, want it to be blocked by try/ends", f.Status, f.Reason)
	}
}

// A run whose server ended does not pass with a warning.
func TestTheEndOfAServerIsMoreThanAWarning(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{}
	listening := httptest.NewServer(server.Handler())
	p := plan(t, server, suite.Case{ID: "try/ends", Lane: suite.Fresh, Run: func(*probe.Client) error {
		listening.CloseClientConnections()
		listening.Close()
		return (&probe.Violation{Problem: "odd"}).AtMostWarn()
	}})
	p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})}}
	p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	p.Part = true
	_, found := gather(t, p)
	if f := found["try/ends"]; f.Status != reports.Error || !strings.Contains(f.Problem, "odd") {
		t.Errorf("%s %q, want an error that says what the case saw", f.Status, f.Problem)
	}
}

// A server that ends at a question of discovery is not said to end by a case, and the
// question is named.
func TestTheEndBeforeTheFirstCase(t *testing.T) {
	t.Parallel()
	for method, advice := range map[string]bool{"server/discover": true, "tools/list": false} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools")}
			listening := fakeserver.Ending(server.Handler(), func(body []byte) bool {
				return strings.Contains(string(body), `"method":"`+method+`"`)
			})
			t.Cleanup(listening.Close)
			p := plan(t, server, suite.Case{ID: "try/first", Lane: suite.Fresh, Run: func(c *probe.Client) error {
				return c.Call("ping", nil).WantResult()
			}})
			p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})}}
			_, found := gather(t, p)
			f := found["try/first"]
			if f.Status != reports.Error || !strings.Contains(f.Problem, "before the first case, and did not answer ") ||
				!strings.Contains(f.Problem, method) {
				t.Errorf("%s %q %+v, want an error that names what was asked before the first case", f.Status, f.Problem, f.Reason)
			}
			if got := strings.Contains(f.Problem, "-32601"); got != advice {
				t.Errorf("%q advises on unknown methods: %v, want %v", f.Problem, got, advice)
			}
		})
	}
}

// Where several cases were under way, the one is named whose text the server got last and that
// no server understands.
func TestTheEndAfterBrokenJSON(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{}
	ended, begun := make(chan struct{}), make(chan struct{})
	var once sync.Once // a case may be judged twice
	listening := fakeserver.Ending(server.Handler(), func(body []byte) bool {
		if json.Valid(body) || len(body) == 0 {
			return false
		}
		close(ended)
		return true
	})
	t.Cleanup(listening.Close)
	await := func(c *probe.Client, event <-chan struct{}) {
		select {
		case <-event:
		case <-c.Context().Done():
		case <-time.After(10 * time.Second):
		}
	}
	p := plan(t, server,
		suite.Case{ID: "try/breaks", Lane: suite.Fresh, Run: func(c *probe.Client) error {
			await(c, begun)
			c.Ask(`{"jsonrpc":`)
			return nil
		}},
		suite.Case{ID: "try/notices", Lane: suite.Fresh, Run: func(c *probe.Client) error {
			once.Do(func() { close(begun) })
			await(c, ended)
			time.Sleep(200 * time.Millisecond) // until nothing listens
			return c.Call("ping", nil).WantResult()
		}})
	p.Ways = []connect.Way{{Transport: requirements.HTTP, URL: listening.URL, Pool: wire.NewPool(wire.Limits{})}}
	p.Config.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	p.Part = true
	_, found := gather(t, p)
	if f := found["try/notices"]; !strings.Contains(f.Problem, "begin with try/breaks, which had just sent a malformed message") {
		t.Errorf("%s %q does not name the case that broke the server", f.Status, f.Problem)
	}
}
