package meta_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	all := fakeserver.Reading()
	all[0]["_meta"] = map[string]any{
		"com.example/a.b_c-d": map[string]any{}, "vendor/outputTemplate": "ui://x", "ui": nil, "x": 1, "com.example/": "", "a-b.c1/d/e": true,
		"com.example.mcp/x": 1, "io.modelcontextprotocol/serverInfo": map[string]any{"name": "later", "version": "1"},
	}
	lawful.Servers(t, "meta", []lawful.Row{
		{Name: "metadata of vendors, long and short", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: all}},
	})
}

func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	lawful.Stateless(t, "more metadata", lawful.Prompt, &fault.Fault{Reply: func(_ fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok {
			meta := result.Object("_meta")
			meta["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
			meta["tracestate"], meta["baggage"] = "rojo=1,", "k=v;p=1"
			meta["com.example/x"] = []any{}
		}
	}})
}

// TestErasByMetadata: a server of both eras that takes a request without a version in _meta
// for one of the older era rejects it as it likes, or serves it and is warned.
func TestErasByMetadata(t *testing.T) {
	t.Parallel()
	without := func(x fault.Exchange) bool {
		return x.Method == "server/discover" && fault.Meta(x.Params, "protocolVersion") == nil
	}
	for name, row := range map[string]struct {
		habit  fault.Fault
		warned bool
	}{
		"rejected": {habit: fault.Fault{Reply: fault.When(without).Set("/error/code", -32000)}},
		"served":   {habit: fault.Fault{Skip: []fault.Check{fault.CheckMetaVersion}}, warned: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := proof.Config(t)
			cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(requirements.R20260728)}}, config.HTTP
			report := proof.Judged(t, plan.Plan{Config: cfg, Local: inprocess.Server(&row.habit), Selected: func(_ suite.Suite, c suite.Case) bool {
				return strings.HasPrefix(c.ID, "meta/version-required")
			}})
			for _, f := range report.Findings {
				told := row.warned && f.Case == "meta/version-required"
				if f.Status == reports.Fail || (f.Status == reports.Warn) != told {
					t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
				}
				if told && !strings.Contains(f.Problem, "names 2026-07-28 in its header, and no version in _meta") {
					t.Errorf("%s: %s", f.Case, f.Problem)
				}
			}
		})
	}
}

// The end of a stream may come some time after its answer, within the next case.
func TestStreamsEndLate(t *testing.T) {
	t.Parallel()
	cfg, local := proof.Config(t), inprocess.Server(&fault.Fault{HTTP: fault.HTTP{AlwaysStream: true}})
	cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(requirements.R20260728)}}, config.HTTP
	next := local.Handler
	local.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			time.Sleep(50 * time.Millisecond)
		}
		next.ServeHTTP(w, r)
		time.Sleep(20 * time.Millisecond)
	})
	report := proof.Judged(t, plan.Plan{Config: cfg, Local: local, Jobs: 1, Selected: func(s suite.Suite, c suite.Case) bool {
		return s.Name == "meta" && c.Watch == nil
	}})
	for _, f := range report.Findings {
		if f.Case == "meta/subscription-acknowledged" && f.Status != reports.Pass {
			t.Errorf("%s: %s %v", f.Status, f.Problem, f.Reason)
		}
	}
}
