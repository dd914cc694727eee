package elicitation_test

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

// Results that name what differs from call to call are compared all the same.
func TestArgumentsInResults(t *testing.T) {
	t.Parallel()
	const text = `roles: {client-request: {elicitation: {tool: test_elicitation, arguments: {message: "Who are you, kit-${nonce}?"}}}}`
	cfg, err := config.Parse(config.FileName, []byte(text), func(string) (string, bool) { return "", false }, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	local := inprocess.Server(&fault.Fault{Name: "answers-unchecked", Skip: []fault.Check{fault.CheckForm}, Reply: repeatsMessage})
	local.Handler = nil
	cfg.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, "elicitation/answer-validated")
	if f.Status != reports.Warn || !strings.Contains(f.Problem, "which does not fit the form, is used like") {
		t.Errorf("%s %q %v, want a warning that an answer is used that does not fit", f.Status, f.Problem, f.Reason)
	}
}

// repeatsMessage adds the argument of a call to its result.
func repeatsMessage(x fault.Exchange, m fault.Message) {
	arguments, _ := x.Param("arguments").(map[string]any)
	result, _ := m.Result()
	content, _ := result["content"].([]any)
	if message, given := arguments["message"].(string); given && x.Tool() == "test_elicitation" {
		result["content"] = append(content, fault.Text("Asked: "+message)...)
	}
}
