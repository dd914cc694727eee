package jsonrpc_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// What is wrong with all errors is said by one case. Those that want a certain error do not
// say it again.
func TestSaidOnce(t *testing.T) {
	t.Parallel()
	for id, change := range map[string]fault.Change{
		"jsonrpc/error-code-integer": func(_ fault.Exchange, m fault.Message) {
			if failure, ok := m["error"].(map[string]any); ok {
				failure["code"] = fmt.Sprint(failure["code"])
			}
		},
		"jsonrpc/result-xor-error": func(_ fault.Exchange, m fault.Message) {
			if _, ok := m["error"]; ok {
				m["result"] = map[string]any{}
			}
		},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			saidOnce(t, id, change)
		})
	}
}

func saidOnce(t *testing.T, id string, change fault.Change) {
	t.Helper()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	local := inprocess.Server(&fault.Fault{Reply: change})
	local.Handler = nil
	report := proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(s suite.Suite, _ suite.Case) bool {
		return slices.Contains([]string{"jsonrpc", "errors", "tools", "prompts", "resources", "completion", "pagination"}, s.Name)
	}})
	said := false
	for _, f := range report.Findings {
		switch {
		case f.Status != reports.Fail && f.Status != reports.Warn:
		case f.Case == id:
			said = true
		default:
			t.Errorf("%s: %s", f.Case, f.Problem)
		}
	}
	if !said {
		t.Error("nothing is said")
	}
}
