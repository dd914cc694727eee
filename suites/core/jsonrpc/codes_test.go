package jsonrpc_test

import (
	"fmt"
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

// One case says that the codes of errors are texts; those that want a certain code do not
// say it again.
func TestCodesAsText(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
	local := inprocess.Server(&fault.Fault{Reply: func(_ fault.Exchange, m fault.Message) {
		if failure, ok := m["error"].(map[string]any); ok {
			failure["code"] = fmt.Sprint(failure["code"])
		}
	}})
	local.Handler = nil
	report := proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(s suite.Suite, _ suite.Case) bool {
		return s.Name == "jsonrpc" || s.Name == "errors"
	}})
	said := false
	for _, f := range report.Findings {
		switch {
		case f.Status != reports.Fail && f.Status != reports.Warn:
		case f.Case == "jsonrpc/error-code-integer":
			said = true
		default:
			t.Errorf("%s: %s", f.Case, f.Problem)
		}
	}
	if !said {
		t.Error("nothing is said about the codes")
	}
}
