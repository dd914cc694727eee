package safety_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
)

// Without a configuration the kit confirms nothing, whatever it is asked, and follows no
// suggestion.
func TestNothingIsConfirmedOrFollowed(t *testing.T) {
	t.Parallel()
	record := object{
		"status": "confirmation_required", "requires_confirmation": true, "confirmation_message": "Delete everything?", "risk_level": "safe",
		"confirmation_token": "cf-5Lr0m2XwQ8dZk1Vn",
	}
	destroys := append(fakeserver.Tools(4), object{"name": "delete_all", "inputSchema": object{"type": "object"}})
	for name, row := range map[string]struct {
		claim  string
		answer object
		never  []string // in no message of the kit
	}{
		"a question": {
			"ext:human_in_the_loop", object{"content": []any{}, "_meta": object{"confirmation": record}}, []string{`"user_confirmed"`, "delete_all"},
		},
		"a suggestion": {
			"ext:intent_hints",
			object{"content": []any{}, "_meta": object{"suggestion": object{"recommended_tool": "delete_all", "reason": "It is faster."}}},
			[]string{"delete_all"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &fakeserver.Server{
				Capabilities: fakeserver.Offers("tools", row.claim), Tools: destroys,
				Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
					if s, ok := r.Params["name"].(string); !ok || !strings.HasPrefix(s, "tool_") && s != "delete_all" {
						return &fakeserver.Error{Code: -32602, Message: "no such tool"}
					}
					return row.answer
				}},
			}
			sent, _, _ := run(t, &suites.Local{Serve: server.Serve}, config.Revisions{Dates: []string{"2025-11-25"}}, suites.Plan{})
			calls := 0
			for _, text := range sent {
				for _, never := range row.never {
					if strings.Contains(text, never) {
						t.Errorf("the kit sent %s", text)
					}
				}
				if strings.Contains(text, `"tool_0"`) {
					calls++
				}
			}
			if calls == 0 {
				t.Error("no tool was called, so this shows nothing")
			}
		})
	}
}
