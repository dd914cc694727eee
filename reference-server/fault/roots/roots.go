// Package roots holds the ways to break client/roots.
package roots

import (
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const list = "roots/list"

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	undeclared := []fault.Check{fault.CheckClientCapability}
	return []fault.Fault{
		{
			Name: "roots-undeclared", Title: "any client is asked for its roots", Breaks: "roots-only-if-declared", Skip: undeclared,
			May: []string{
				"lifecycle/negotiated-capabilities", "meta/undeclared-capability", "sampling/only-if-declared", "sampling/tools-only-if-declared",
				"elicitation/only-if-declared", "elicitation/no-url-undeclared", "elicitation/no-form-undeclared",
			},
		}, {
			Name: "roots-undeclared-early", Title: "any client is asked for its roots, at the oldest revisions",
			Breaks: "roots-check-capability", Skip: undeclared,
			May: []string{"lifecycle/negotiated-capabilities", "sampling/only-if-declared"},
		}, {
			Name: "roots-params-array", Title: "the params of roots/list are an array", Breaks: "roots-request-schema",
			Notify: arrayed, Reply: arrayed,
		}, {
			Name: "roots-change-hangs", Title: "calls are never answered once the roots have changed", Breaks: "roots-change-handled", Hangs: true,
			Since: requirements.R20250326,
			Inbound: fault.Tool("test_list_roots").And(func(x fault.Exchange) bool {
				return x.After("notifications/roots/list_changed")
			}).Hang(),
		}, {
			Name: "roots-kept-for-ever", Title: "the roots of the first call are shown for ever", Breaks: "roots-change-handled",
			Reply: fault.Tool("test_list_roots").Result(func(result fault.Message) {
				said, _ := json.Marshal(result["content"])
				var content []any
				if json.Unmarshal([]byte(strings.ReplaceAll(string(said), "kit-after-", "kit-before-")), &content) == nil {
					result["content"] = content
				}
			}),
		}, {
			Name: "roots-unavailable-hangs", Title: "a call is never answered when a root does not exist", Breaks: "roots-unavailable-handled",
			Hangs: true, Send: unanswered("kit-nowhere"),
		},
		{
			Breaks: "roots-client-error-handled", Hangs: true,
			Each: []fault.Fault{
				{
					Name: "roots-unknown-hangs", Title: "a call is never answered where the client does not know roots/list",
					Send: unanswered("no roots-32601"), Kills: []string{"roots/client-error-32601"},
				},
				{
					Name: "roots-error-hangs", Title: "a call is never answered where the client cannot list its roots",
					Send: unanswered("no roots-32603"), Kills: []string{"roots/client-error-32603"},
				},
			},
		},
		{
			Name: "roots-ignored", Title: "any path is opened", Breaks: "roots-boundaries-respected", Skip: []fault.Check{fault.CheckRoot},
			May: []string{"roots/path-with-dots", "roots/path-by-link"},
		},
		{
			Breaks: "roots-paths-validated",
			Each: []fault.Fault{
				{
					Name: "roots-steps", Title: "a path is compared with the roots before its steps are taken",
					Skip: []fault.Check{fault.CheckRootSteps}, Kills: []string{"roots/path-with-dots", "roots/path-by-link"},
				},
				{
					Name: "roots-links", Title: "links in a root are followed", Skip: []fault.Check{fault.CheckRootLinks},
					Kills: []string{"roots/path-by-link"},
				},
			},
		},
	}
}

// arrayed writes the params of roots/list as an array.
func arrayed(_ fault.Exchange, m fault.Message) {
	if m["method"] == list {
		m["params"] = []any{}
		return
	}
	result, _ := m.Result()
	asked, _ := result["inputRequests"].(map[string]any)
	for key, one := range asked {
		if question, _ := one.(map[string]any); question["method"] == list {
			asked[key] = map[string]any{"method": list, "params": []any{}}
		}
	}
}

// unanswered swallows the answers to calls that hold a text.
func unanswered(text string) func(fault.Exchange, fault.Message) []fault.Message {
	return func(x fault.Exchange, m fault.Message) []fault.Message {
		written, err := json.Marshal(m)
		if _, asks := m["method"]; x.Method == "tools/call" && !asks && err == nil && strings.Contains(string(written), text) {
			return nil
		}
		return []fault.Message{m}
	}
}
