package mrtr_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A server that asks again and sets isError as well is told of that flag, not that it should
// ask.
func TestAsksWithErrorFlag(t *testing.T) {
	t.Parallel()
	const id, says = "mrtr/answers-missing", "asks again and has isError true as well, want the question alone"
	slip := &fault.Fault{Name: "flagged", Reply: func(x fault.Exchange, m fault.Message) {
		empty := strings.Contains(string(x.Params), `"inputResponses":{}`)
		if result, ok := m.Result(); ok && empty && result["resultType"] == "input_required" {
			result["isError"] = true
		}
	}}
	cfg, local := proof.Config(t), inprocess.Server(slip)
	local.Handler = nil
	cfg.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
	if f.Status != reports.Fail && f.Status != reports.Warn || !strings.Contains(f.Problem, says) {
		t.Errorf("%s %q %v, want in it %q", f.Status, f.Problem, f.Reason, says)
	}
}

// Answers of the configuration are bent like those that the kit makes up.
func TestConfiguredAnswersAreBent(t *testing.T) {
	t.Parallel()
	const id = "mrtr/answer-action"
	const text = `roles: {input-required: {tool: hire_crane, arguments: {vessel: "kit-${nonce}", hours: 2}, answers: {
  question-1: {action: accept, content: {load: sand}}, question-2: {action: accept, content: {payer: Example}}}}}`
	local := inprocess.Server(&fault.Fault{Name: "any-action", Skip: []fault.Check{fault.CheckAction}})
	cfg, err := config.Parse("mcp-conform.yaml", []byte(text), func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	local.Handler = nil
	cfg.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
	if f.Status != reports.Warn || !strings.Contains(f.Problem, "the action shrug is taken like accept") {
		t.Errorf("%s %q %v, want a warning that shrug is taken like accept", f.Status, f.Problem, f.Reason)
	}
}
