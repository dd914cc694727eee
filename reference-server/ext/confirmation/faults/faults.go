// Package faults holds the ways to break the confirmation extension.
package faults

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	return slices.Concat(declarations(), gates(), approvals(), tokens(), others(), core())
}

// gated is the tool that the faults are about.
const gated = "scrap_vessel"

// entry changes what the server says of the tool, in tools/list or in the manifest.
func entry(method string, change func(tool fault.Message)) fault.Change {
	return fault.OnResult(method, func(result fault.Message) {
		switch tools := result["tools"].(type) {
		case []fault.Message:
			for i, tool := range tools {
				if tool["name"] == gated {
					tools[i] = tool.With("name", gated) // a copy: all requests share the list
					change(tools[i])
				}
			}
		case []any:
			for _, each := range tools {
				if tool, _ := each.(map[string]any); tool["name"] == gated {
					change(tool)
				}
			}
		}
	})
}

// everywhere changes both.
func everywhere(change func(tool fault.Message)) fault.Change {
	return fault.Changes(entry(inList, change), entry(inManifest, change))
}

const inList, inManifest = "tools/list", "get_manifest"

func without(property string) func(fault.Message) {
	return func(tool fault.Message) { delete(tool, property) }
}

func with(property string, value any) func(fault.Message) {
	return func(tool fault.Message) { tool[property] = value }
}

// hint changes an annotation of the tool.
func hint(name string, value bool) fault.Change {
	return entry(inList, func(tool fault.Message) {
		was, _ := tool["annotations"].(map[string]any)
		if was != nil {
			tool["annotations"] = map[string]any(fault.Message(was).With(name, value))
		}
	})
}

// declarations breaks what the server says of the tool.
func declarations() []fault.Fault {
	annotated := fault.OverStdio(requirements.R20250326, requirements.R20260728)
	return []fault.Fault{
		{Breaks: "ext-confirm-message-declared", Each: []fault.Fault{
			{
				Name: "confirmation-no-message", Title: "a tool requires confirmation and has no message",
				Reply: everywhere(without("confirmation_message")),
			},
			{
				Name: "confirmation-message-object", Title: "confirmation_message is an object",
				Reply: entry(inList, with("confirmation_message", map[string]any{"en": "Go ahead?"})),
			},
		}},
		{Breaks: "ext-confirm-risk-enum", Each: []fault.Fault{
			{Name: "confirmation-risk-high", Title: "risk_level in tools/list is high", Reply: entry(inList, with("risk_level", "high"))},
			{
				Name: "confirmation-risk-capital", Title: "risk_level in the manifest is Destructive",
				Reply: entry(inManifest, with("risk_level", "Destructive")),
			},
			{Name: "confirmation-risk-number", Title: "risk_level is 3", Reply: everywhere(with("risk_level", 3))},
		}},
		{Breaks: "ext-confirm-flag-consistent", Each: []fault.Fault{
			{
				Name: "confirmation-hint-harmless", Title: "a destructive tool has destructiveHint false", In: annotated,
				Reply: hint("destructiveHint", false),
			},
			{
				Name: "confirmation-hint-reading", Title: "a tool that requires confirmation has readOnlyHint true", In: annotated,
				Reply: hint("readOnlyHint", true),
			},
			{
				Name: "confirmation-risk-unlike", Title: "the risk of a tool is reversible in tools/list, and destructive in the manifest",
				Reply: entry(inList, with("risk_level", "reversible")),
			},
			{
				Name: "confirmation-flag-string", Title: `requires_confirmation is "true" in tools/list, and true in the manifest`,
				Reply: entry(inList, with("requires_confirmation", "true")),
			},
			{
				Name: "confirmation-hint-reading-list", In: annotated,
				Title: "a tool that requires confirmation has readOnlyHint true in tools/list, and false in the manifest",
				Reply: fault.Changes(hint("readOnlyHint", true), entry(inManifest, with("annotations", map[string]any{"readOnlyHint": false}))),
			},
			{
				Name: "confirmation-unflagged", Title: "a destructive tool does not require confirmation",
				Reply: fault.Changes(entry(inList, without("requires_confirmation")), entry(inManifest, with("requires_confirmation", false))),
			},
		}},
		{
			Name: "confirmation-placeholder", Title: "the message has a placeholder that is not a parameter", Breaks: "ext-confirm-placeholders",
			Reply: everywhere(with("confirmation_message", "{repo_id} would be scrapped for good. Go ahead?")),
		},
	}
}

// gate changes the question of the tool, in each place.
func gate(change func(record fault.Message)) fault.Change {
	return fault.OnTool(gated, func(result fault.Message) {
		meta := result.Object("_meta")
		for _, key := range []string{"confirmation", confirmation.Prefix + "confirmation"} {
			if _, asks := meta[key]; asks {
				record := meta.Object(key).With("status", "confirmation_required")
				change(record)
				meta[key] = map[string]any(record)
			}
		}
	})
}

// silent answers the question away.
func silent(text string) fault.Change {
	return fault.OnTool(gated, func(result fault.Message) {
		meta := result.Object("_meta")
		if _, asks := meta["confirmation"]; !asks {
			return
		}
		delete(meta, "confirmation")
		delete(meta, confirmation.Prefix+"confirmation")
		if text != "" {
			result["content"] = fault.Text(text)
		}
	})
}

// gates breaks that the tool asks, and how.
func gates() []fault.Fault {
	blocks, shape, issued := []string{"ext-confirmation/gate-blocks"}, []string{"ext-confirmation/gate-shape"},
		[]string{"ext-confirmation/token-issued"}
	return []fault.Fault{
		{Breaks: "ext-confirm-gate-blocks", Kills: blocks, Each: []fault.Fault{
			{
				Name: "confirmation-runs-at-once", Title: "a tool that requires confirmation runs without",
				Ext: confirmation.Switches{RunsAtOnce: gated},
			}, {
				Name: "confirmation-runs-then-asks", Title: "a tool that requires confirmation runs, and asks afterwards",
				May: []string{"ext-cost-latency/approval-gated"},
				Ext: confirmation.Switches{RunsThenAsks: true},
			}, {
				Name: "confirmation-keyed-runs", Title: "a tool that requires confirmation runs without where the call has an idempotency key",
				Ext: confirmation.Switches{KeyedRuns: true},
			},
			{Name: "confirmation-nothing-done", Title: "a call without confirmation gets a success, and does nothing", Reply: silent("Done.")},
		}},
		{Breaks: "ext-confirm-gate-shape", Kills: shape, Each: []fault.Fault{
			{Name: "confirmation-prose", Title: "only the text says that confirmation is needed", Reply: silent("")},
			{
				Name: "confirmation-risk-differs", Title: "the question has another risk than the tool declares",
				Reply: gate(func(record fault.Message) { record["risk_level"] = "reversible" }),
			},
			{
				Name: "confirmation-two-questions", Title: "the question differs between the two names of its record",
				In: fault.OverStdio(requirements.R20260728), Reply: fault.Tool(gated).Result(func(result fault.Message) {
					meta := result.Object("_meta")
					if record, asks := meta["confirmation"].(map[string]any); asks {
						meta["confirmation"] = map[string]any(fault.Message(record).With("risk_level", "reversible"))
					}
				}),
			},
			{Name: "confirmation-gate-wordless", Title: "the question has no message", Reply: gate(without("confirmation_message"))},
			{
				Name: "confirmation-gate-unfilled", Title: "the message of the question has a placeholder in place of the argument",
				Reply: gate(func(record fault.Message) { record["confirmation_message"] = "{vessel} would be scrapped. Go ahead?" }),
			},
		}},
		{Breaks: "ext-confirm-token-issued", Kills: issued, Each: []fault.Fault{
			{Name: "confirmation-token-fixed", Title: "each question has the same token", Ext: confirmation.Switches{FixedToken: true}},
			{Name: "confirmation-token-counted", Title: "the tokens of questions are counted", Ext: confirmation.Switches{CountedToken: true}},
			{Name: "confirmation-token-tool", Title: "the token of a question is the name of the tool", Ext: confirmation.Switches{ToolToken: true}},
			{
				Name: "confirmation-tokenless", Title: "the question has no token", Reply: gate(without("confirmation_token")),
				Ext: confirmation.Switches{NeedsNoToken: true},
			},
		}},
	}
}

// approvals breaks what a confirmation does.
func approvals() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-confirm-approved-runs", Kills: []string{"ext-confirmation/approved-runs"}, Each: []fault.Fault{
			{
				Name: "confirmation-asks-again", Title: "each confirmation is answered with another question",
				Ext: confirmation.Switches{AsksAgain: true},
			},
			{
				Name: "confirmation-token-withheld", Title: "the question has no token, and no call without a token is done",
				Reply: gate(without("confirmation_token")), Silent: []string{"ext-confirmation/token-issued"},
			},
			{Name: "confirmation-unread", Title: "confirmations are not read, wherever they stand", Ext: confirmation.Switches{Unread: true}},
			{
				Name: "confirmation-order-bound", Title: "a call that is confirmed with its arguments in another order is not done",
				Kills: []string{"ext-confirmation/approved-reordered"}, Ext: confirmation.Switches{TextOrder: true},
			},
			{Name: "confirmation-runs-twice", Title: "a call that is confirmed runs twice", Ext: confirmation.Switches{RunsTwice: true}},
		}},
		{Breaks: "ext-confirm-false-not-run", Each: []fault.Fault{
			{
				Name: "confirmation-any-value", Title: "user_confirmed confirms a call, whatever its value is",
				Ext: confirmation.Switches{AnyConsent: true},
				Kills: []string{
					"ext-confirmation/false-not-run-false", "ext-confirmation/false-not-run-number",
					"ext-confirmation/false-not-run-text-false", "ext-confirmation/false-not-run-text-true",
				},
			}, {
				Name: "confirmation-any-text", Title: "each string in user_confirmed confirms a call", Ext: confirmation.Switches{TextConsent: true},
				Kills: []string{"ext-confirmation/false-not-run-text-false", "ext-confirmation/false-not-run-text-true"},
			}, {
				Name: "confirmation-null", Title: "user_confirmed null confirms a call", Ext: confirmation.Switches{NullConsent: true},
				Kills: []string{"ext-confirmation/false-not-run-null"},
			},
		}},
	}
}

// tokens breaks what a token is good for.
func tokens() []fault.Fault {
	return []fault.Fault{
		{
			Name: "confirmation-token-reusable", Title: "a token runs its call until it expires", Breaks: "ext-confirm-token-single-use",
			Ext: confirmation.Switches{Reusable: true},
		}, {
			Name: "confirmation-any-arguments", Title: "a token runs the tool with any arguments", Breaks: "ext-confirm-token-bound-arguments",
			Ext: confirmation.Switches{AnyArguments: true},
		}, {
			Name: "confirmation-any-tool", Title: "a token runs any tool that requires confirmation", Breaks: "ext-confirm-token-bound-tool",
			Ext: confirmation.Switches{AnyTool: true},
		}, {
			Name: "confirmation-any-token", Title: "any text is a token", Breaks: "ext-confirm-token-forged",
			Ext: confirmation.Switches{AnyToken: true},
		}, {
			Name: "confirmation-never-expires", Title: "a token outlives its end", Breaks: "ext-confirm-token-expiry",
			Ext: confirmation.Switches{NeverExpires: true},
		}, {
			Name: "confirmation-needs-no-token", Title: "user_confirmed alone runs a call", Breaks: "ext-confirm-without-token",
			Ext: confirmation.Switches{NeedsNoToken: true},
		}, {
			Name: "confirmation-any-principal", Title: "a token runs the call of any caller", Breaks: "ext-confirm-token-bound-principal",
			Ext: confirmation.Switches{AnyPrincipal: true}, In: fault.OverHTTP(requirements.R20251125, requirements.R20260728),
		},
	}
}

// others breaks what confirmations do not change.
func others() []fault.Fault {
	plain := fault.Tool("book_berth").And(func(x fault.Exchange) bool {
		meta, _ := x.Param("_meta").(map[string]any)
		for _, key := range []string{"idempotency_key", "session_token", "transaction_id", "user_confirmed"} {
			if meta[key] != nil {
				return false
			}
		}
		return true
	})
	return []fault.Fault{
		{
			Name: "confirmation-opens-denied", Title: "a call that is confirmed needs no permission", Breaks: "ext-confirm-denied-stays-denied",
			Ext: permissions.Switches{OpenBy: "user_confirmed"}, In: fault.OverHTTP(requirements.R20250618, requirements.R20260728),
		},
		{Breaks: "ext-confirm-others-untouched", Each: []fault.Fault{{
			Name: "confirmation-all-tools", Title: "tools that do not require confirmation ask for it",
			Kills: []string{"ext-confirmation/others-untouched"},
			May:   []string{"ext-idempotency/optional"},
			Inbound: plain.Answer(map[string]any{
				"resultType": "complete", "content": fault.Text("Confirmation needed."), "_meta": map[string]any{"confirmation": map[string]any{
					"status": "confirmation_required", "confirmation_message": "Book a berth?", "risk_level": "reversible",
					"confirmation_token": "cf-5Lr0m2XwQ8dZk1Vn",
				}},
			}),
		}, {
			Name: "confirmation-stray-refused", Title: "user_confirmed is rejected where no confirmation is needed",
			Kills: []string{"ext-confirmation/others-untouched-stray"},
			Inbound: fault.Tool("book_berth").And(func(x fault.Exchange) bool {
				meta, _ := x.Param("_meta").(map[string]any)
				return meta["user_confirmed"] != nil
			}).Refuse(-32602, "user_confirmed is unknown"),
		}}},
		{Breaks: "ext-confirm-unaware-client", Each: []fault.Fault{
			{
				Name: "confirmation-unaware-asked", Title: "a client that does not declare the extension gets the question as a result",
				Ext: confirmation.Switches{AsksAnybody: true},
			}, {
				Name: "confirmation-unaware-transient", Title: "a client that does not declare the extension is refused for now only",
				Ext: confirmation.Switches{RefusesForNow: true}, In: fault.OverStdio(requirements.R20251125),
			}, {
				Name:  "confirmation-unaware-unnamed",
				Title: "a client that does not declare the extension is refused, and is not told what to declare",
				In:    fault.OverStdio(requirements.R20260728), Reply: fault.Tool(gated).Drop("/error/data/requiredCapabilities"),
			},
		}},
	}
}

// core breaks a tool that asks by elicitation.
func core() []fault.Fault {
	return []fault.Fault{{Breaks: "ext-confirm-core-mapping", In: fault.OverStdio(requirements.R20260728), Each: []fault.Fault{
		{
			Name: "confirmation-core-undeclared", Title: "a client without elicitation is asked for consent by an elicitation",
			Kills: []string{"ext-confirmation/core-undeclared"},
			May: []string{
				"meta/undeclared-capability", "sampling/only-if-declared", "sampling/tools-only-if-declared", "elicitation/only-if-declared",
				"elicitation/no-url-undeclared", "elicitation/no-form-undeclared", "roots/only-if-declared",
			},
			Skip: []fault.Check{fault.CheckClientCapability},
			Ext:  confirmation.Switches{AsksUser: true},
		}, {
			Name: "confirmation-core-declined", Title: "a call runs although the user declines it",
			Kills: []string{"ext-confirmation/core-declined"},
			Ext:   confirmation.Switches{AsksUser: true, DeclineRuns: true},
		}, {
			Name: "confirmation-core-cancelled", Title: "a call runs although the user gives no answer",
			Kills: []string{"ext-confirmation/core-cancelled"}, Ext: confirmation.Switches{AsksUser: true, CancelRuns: true},
		}, {
			Name: "confirmation-core-altered", Title: "an altered requestState is taken for consent",
			Kills: []string{"ext-confirmation/core-altered"},
			May:   []string{"mrtr/state-flipped", "mrtr/state-forged", "mrtr/state-of-another-request", "ext-confirmation/token-bound-arguments"},
			Skip:  []fault.Check{fault.CheckStateSeal},
			Ext:   confirmation.Switches{AsksUser: true},
		},
	}}}
}
