package idempotency_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// recorded is a tool result that fails with a record.
func recorded(code, category string, retry any) any {
	record := map[string]any{"code": code, "category": category, "message": "The harbour says no."}
	if retry != nil {
		record["retry_after_seconds"] = retry
	}
	return map[string]any{
		"content": []any{map[string]any{"type": "text", "text": code}}, "isError": true, "_meta": map[string]any{"error": record},
	}
}

// judgedYard judges a yard that answers some calls in another way. The role has an
// idempotent tool, "lamp", beside "book".
func judgedYard(t *testing.T, instead func(tool string) any) map[string]reports.Finding {
	t.Helper()
	cfg, err := config.Parse("a.yaml", []byte(`claims: [idempotency]
roles:
  state-change:
    tool: book
    arguments: {vessel: "kit-${nonce}"}
    observe: {tool: list, arguments: {vessel: "kit-${nonce}"}, pointer: /structuredContent/total}
    idempotent:
      tool: lamp
      arguments: {vessel: "lamp-${nonce}"}
      observe: {tool: list, arguments: {vessel: "lamp-${nonce}"}, pointer: /structuredContent/total}
`), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{booked: map[string]int{}, kept: map[string]any{}}
	tool := func(name string) map[string]any {
		return map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": name == "list"}}
	}
	server := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{tool("book"), tool("lamp"), tool("list")},
		Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			name, _ := r.Params["name"].(string)
			if answer := instead(name); answer != nil {
				return answer
			}
			return y.call(r)
		}},
	}
	report := proof.Judged(t, plan.Plan{Config: cfg, Local: &plan.Local{Serve: server.Serve}, Suites: []suite.Suite{idempotency.Suite()}})
	all := map[string]reports.Finding{}
	for _, f := range report.Findings {
		all[strings.TrimPrefix(f.Case, "ext-idempotency/")] = f
	}
	return all
}

// A caller without the rights for the call is a mistake of the configuration: no case fails,
// and each says what is lacking.
func TestCallerWithoutRights(t *testing.T) {
	t.Parallel()
	all := judgedYard(t, func(tool string) any {
		if tool == "book" {
			return recorded("SCOPE_INSUFFICIENT", "auth_required", nil)
		}
		return nil
	})
	for id, f := range all {
		if f.Status != reports.Pass && f.Status != reports.Skip {
			t.Errorf("%s is %s: %s", id, f.Status, f.Problem)
		}
	}
	for _, id := range []string{"first-runs", "optional", "no-second-effect"} {
		if f := all[id]; f.Reason == nil || !strings.Contains(f.Reason.String(), "the caller of this run may not call book") {
			t.Errorf("%s is %s: %v", id, f.Status, f.Reason)
		}
	}
}

// That a key of one tool does not run another is not shown by a tool that the caller may not
// call in any way.
func TestOtherToolWithoutRights(t *testing.T) {
	t.Parallel()
	const id = "conflict-other-tool"
	all := judgedYard(t, func(tool string) any {
		if tool == "lamp" {
			return recorded("SCOPE_INSUFFICIENT", "auth_required", nil)
		}
		return nil
	})
	if f := all[id]; f.Reason == nil || !strings.Contains(f.Reason.String(), "the caller of this run may not call lamp") {
		t.Errorf("%s is %s: %v", id, f.Status, f.Reason)
	}
	usual := judgedYard(t, func(string) any { return nil })
	if f := usual[id]; f.Status == reports.Skip {
		t.Errorf("%s is skipped where lamp may be called: %v", id, f.Reason)
	}
}

// A server that limits how often it is called is waited for as long as its record says; a
// limit of the observer is told in the server's words.
func TestLimitedCalls(t *testing.T) {
	t.Parallel()
	for name, limited := range map[string]func(tool string) bool{
		"the tool":     func(tool string) bool { return tool == "book" },
		"the observer": func(tool string) bool { return tool == "list" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var began time.Time
			calls := 0
			usual := judgedYard(t, func(string) any { return nil })
			all := judgedYard(t, func(tool string) any {
				mu.Lock()
				defer mu.Unlock()
				if !limited(tool) {
					return nil
				}
				if time.Since(began) >= time.Second {
					began, calls = time.Now(), 0
				}
				if calls++; calls > 2 {
					return recorded("RATE_LIMIT_EXCEEDED", "rate_limited", 1)
				}
				return nil
			})
			for id, f := range all {
				switch {
				case f.Status != reports.Pass && f.Status != reports.Skip && f.Status != usual[id].Status:
					t.Errorf("%s is %s: %s", id, f.Status, f.Problem)
				case f.Reason != nil && strings.Contains(f.Reason.Text, "has nothing at"):
					t.Errorf("%s: %s", id, f.Reason.Text)
				}
			}
			if f := all["first-runs"]; name == "the tool" && f.Status != reports.Pass {
				t.Errorf("first-runs is %s: %s %v", f.Status, f.Problem, f.Reason)
			}
		})
	}
}
