package permissions_test

import (
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/permissions"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A well gives so many answers in a row, and rests when it was asked too often.
type well struct {
	most   int
	counts bool // checks count too
	mute   bool // it does not say how long it rests

	mu    sync.Mutex
	asked int
	rests time.Time
}

const rest = 300 * time.Millisecond

func (w *well) draw() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.rests.IsZero() && time.Now().After(w.rests) {
		w.asked, w.rests = 0, time.Time{}
	}
	if w.asked++; w.asked <= w.most {
		return true
	}
	if w.rests.IsZero() {
		w.rests = time.Now().Add(rest)
	}
	return false
}

func (w *well) server() *fakeserver.Server {
	return &fakeserver.Server{
		Capabilities: object{"tools": object{}, "extensions": object{prefix + "permissions": object{}}},
		Tools:        []object{{"name": "draw", "inputSchema": object{"type": "object"}}},
		Answer: map[string]func(fakeserver.Request) any{
			"permissions/check": func(r fakeserver.Request) any {
				if w.counts {
					w.draw()
				}
				return object{"allowed": r.Params["tool"] == "draw"}
			},
			"tools/call": func(r fakeserver.Request) any {
				if r.Params["name"] != "draw" {
					return &fakeserver.Error{Code: -32602, Message: "no such tool"}
				}
				said := []any{object{"type": "text", "text": "water"}}
				if w.draw() {
					return object{"content": said}
				}
				record := object{"code": "RATE_LIMIT_EXCEEDED", "category": "rate_limited", "message": "later", "retry_after_seconds": 2 * rest.Seconds()}
				if w.mute {
					delete(record, "retry_after_seconds")
				}
				return object{"content": said, "isError": true, "_meta": object{"error": record}}
			},
		},
	}
}

// Whether checks use a quota up is only said of one that allows two calls without
// them, by the server's own clock.
func TestQuotas(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		well *well
		want reports.Status
	}{
		{"checks are free", &well{most: 3}, reports.Pass},
		{"checks count", &well{most: 4, counts: true}, reports.Fail},
		{"checks are free, and most of the quota was used before", &well{most: 3, asked: 2}, reports.Pass},
		{"one call in a row", &well{most: 1}, reports.Skip},
		{"checks count, and nobody says how long", &well{most: 4, counts: true, mute: true}, reports.Skip},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := row.well.server()
			cfg, err := config.Parse("mcp-conform.yaml", []byte("wait: {max: 5s}\nroles: {rate-limit: {tool: draw, repeat: 3}}\n"),
				func(string) (string, bool) { return "", false }, config.Known{Roles: pages.Roles(pages.All())})
			if err != nil {
				t.Fatal(err)
			}
			report := proof.Judge(t, plan.Plan{
				Config: cfg, Local: &plan.Local{Serve: server.Serve}, Suites: []suite.Suite{permissions.Suite()}, Seed: 1,
				Selected: func(_ suite.Suite, c suite.Case) bool { // what others ask would count too
					return c.ID == "ext-permissions/check-available" || c.ID == "ext-permissions/check-keeps-quota"
				},
			})
			for _, f := range report.Findings {
				if f.Case == "ext-permissions/check-keeps-quota" && f.Status != row.want {
					t.Errorf("%s: %s %+v", f.Status, f.Problem, f.Reason)
				}
			}
		})
	}
}
