package push_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	settings "github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// The end of a subscription that is told with another id is not called silence.
func TestEndToldAstray(t *testing.T) {
	t.Parallel()
	const id, says = "ext-push/terminated", `came with subscription_id "other", want its id`
	slip := &fault.Fault{Name: "astray", Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
		if params, ok := m["params"].(map[string]any); ok && m["method"] == "notifications/subscription_terminated" {
			params["subscription_id"] = "other"
		}
		return []fault.Message{m}
	}}
	cfg, local := proof.Config(t), inprocess.Server(slip)
	local.Handler = nil
	cfg.Revisions = settings.Revisions{Dates: []string{"2026-07-28"}}
	f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
	if f.Status != reports.Fail && f.Status != reports.Warn || !strings.Contains(f.Problem, says) {
		t.Errorf("%s %q %v, want in it %q", f.Status, f.Problem, f.Reason, says)
	}
}

// Of two slips in the answer to events/unsubscribe each run names the same one.
func TestUnsubscribedTwiceAstray(t *testing.T) {
	t.Parallel()
	const id, says = "ext-push/unsubscribe", `$.result.subscription_id is "other"`
	slip := &fault.Fault{Name: "astray", Send: func(x fault.Exchange, m fault.Message) []fault.Message {
		if result, ok := m["result"].(map[string]any); ok && x.Method == "events/unsubscribe" {
			result["subscription_id"], result["status"] = "other", "active"
		}
		return []fault.Message{m}
	}}
	cfg, local := proof.Config(t), inprocess.Server(slip)
	local.Handler = nil
	cfg.Revisions = settings.Revisions{Dates: []string{"2026-07-28"}}
	for range 5 {
		if f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id); !strings.Contains(f.Problem, says) {
			t.Fatalf("%s %q %v, want in it %q", f.Status, f.Problem, f.Reason, says)
		}
	}
}
