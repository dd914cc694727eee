package gateways_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// limited lets so many requests through in a second.
func limited(perSecond int) (over func() bool) {
	var mu sync.Mutex
	var at []time.Time
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		for len(at) > 0 && time.Since(at[0]) >= time.Second {
			at = at[1:]
		}
		if len(at) >= perSecond {
			return true
		}
		at = append(at, time.Now())
		return false
	}
}

// What stands behind a server limits how often it is asked, and the server says so in its
// answers. That is not a fault of the server, the report names the limit, and limits.rate keeps
// it, over stdio too.
func TestLimitsInAnswers(t *testing.T) {
	t.Parallel()
	const perSecond, told = 20, "Rate limit exceeded, try again in 1 second"
	for name, limit := range map[string]func(over func() bool) *fault.Fault{
		"errors": func(over func() bool) *fault.Fault {
			return &fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
				if (x.Method == "tools/call" || x.Method == "ping") && over() {
					return fault.Refuse(x, -32000, told)
				}
				return fault.Verdict{}
			}}
		},
		"failures of tools": func(over func() bool) *fault.Fault {
			return &fault.Fault{Reply: func(x fault.Exchange, m fault.Message) {
				if x.Method == "tools/call" && m["result"] != nil && over() {
					m["result"] = map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": told}}}
				}
			}}
		},
	} {
		for _, over := range []config.Transport{config.Stdio, config.HTTP} {
			t.Run(name+" over "+string(over), func(t *testing.T) {
				t.Parallel()
				judged := func(rate int) reports.Report {
					cfg := proof.Config(t)
					cfg.Transport, cfg.Limits.Rate = over, rate
					cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
					report := proof.Judge(t, suites.Plan{
						Config: cfg, Local: inprocess.Server(limit(limited(perSecond))), Seed: 1, Timeout: 20 * time.Second,
						Selected: func(s suite.Suite, _ suite.Case) bool { return s.Name == "tools" || s.Name == "jsonrpc" },
					})
					lawful.NothingSaid(t, report)
					return report
				}
				if text := judged(0).Verdict.Text; !strings.Contains(text, "responses name a rate limit, such as \""+told+"\"") {
					t.Errorf("the report says %q, and names no limit", text)
				}
				slow := judged(perSecond / 2)
				if text := slow.Verdict.Text; strings.Contains(text, "rate limit") {
					t.Errorf("with half of the rate the report says %q", text)
				}
				for _, f := range slow.Findings {
					if f.Reason != nil && strings.Contains(strings.ToLower(f.Reason.Text), "rate limit") {
						t.Errorf("with half of the rate %s was not judged: %s", f.Case, f.Reason.Text)
					}
				}
			})
		}
	}
}
