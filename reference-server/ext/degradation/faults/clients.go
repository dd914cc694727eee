package faults

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// claims breaks the declaration of extensions.
func claims() []fault.Fault {
	const rule = "ext-degrade-capability-form"
	on := func(method string, change func(capabilities fault.Message)) fault.Change {
		return fault.OnResult(method, func(result fault.Message) { change(result.Object("capabilities")) })
	}
	inMap := func(key string, value any) func(fault.Message) {
		return func(capabilities fault.Message) { capabilities.Object("extensions")[key] = value }
	}
	asList := func(capabilities fault.Message) {
		var names []any
		for _, key := range slices.Sorted(maps.Keys(capabilities.Object("extensions"))) {
			names = append(names, strings.TrimPrefix(key, prefix))
		}
		capabilities["extensions"] = names
	}
	const discover = "server/discover"
	return []fault.Fault{
		{Breaks: rule, Each: []fault.Fault{
			{In: fault.OverStdio(requirements.R20260728), Each: []fault.Fault{{
				Name: "degradation-claims-listed", Title: "capabilities.extensions is an array of names",
				Kills: []string{suite + "claims-as-map"}, Reply: on(discover, asList),
			}, {
				Name: "degradation-claims-unprefixed", Title: "an extension is declared by its name without a prefix",
				Kills: []string{"lifecycle/extension-identifiers"},
				Reply: on(discover, inMap("intent_hints", map[string]any{})),
			}, {
				Name: "degradation-claims-true", Title: "an extension is declared as true",
				Kills: []string{"lifecycle/extension-settings"}, Reply: on(discover, inMap(prefix+"idempotency", true)),
			}, {
				Name: "degradation-claims-reserved", Title: "an extension is declared under a prefix of the protocol",
				Kills: []string{suite + "claims-own-prefix"},
				Reply: on(discover, inMap("io.modelcontextprotocol/provenance", map[string]any{})),
			}}},
			{
				Name:  "degradation-claims-listed-early",
				Title: "a server of 2025-11-25 declares extensions as an array of names",
				Kills: []string{suite + "claims-as-map-early"}, In: fault.OverStdio(requirements.R20251125),
				Reply: on("initialize", asList),
			}, {
				Name:  "degradation-claims-unprefixed-early",
				Title: "a server of 2025-11-25 declares an extension without a prefix",
				Kills: []string{suite + "claims-as-map-early"}, In: fault.OverStdio(requirements.R20251125),
				Silent: []string{"ext-manifest/claims-agree"},
				Reply:  on("initialize", inMap("intent_hints", map[string]any{})),
			}, {
				Name: "degradation-claims-true-early", Title: "a server of 2025-11-25 declares an extension as true",
				Kills: []string{suite + "claims-as-map-early"}, In: fault.OverStdio(requirements.R20251125),
				Reply: on("initialize", inMap(prefix+"idempotency", true)),
			},
		}},
	}
}

// plain breaks the answers to clients that declare no extension.
func plain() []fault.Fault {
	const rule = "ext-degrade-plain-client"
	toPlain := func(change func(result fault.Message)) fault.Change {
		return fault.When(func(x fault.Exchange) bool { return x.Tool() == readingTool && len(declared(x)) == 0 }).Result(change)
	}
	return []fault.Fault{
		{Breaks: rule, Each: []fault.Fault{{
			Name: "degradation-plain-moved", Title: "clients that declare no extension get a result without content",
			May: []string{"tools/call-result"},
			Reply: toPlain(func(result fault.Message) {
				result["result"] = result["content"]
				delete(result, "content")
			}),
		}, {
			Name: "degradation-plain-type", Title: "clients that declare no extension get results with the type of one",
			May: []string{"jsonrpc/result-type-known"}, In: fault.OverStdio(requirements.R20260728),
			Reply: toPlain(func(result fault.Message) { result["resultType"] = "stream" }),
		}, {
			Name: "degradation-plain-events", Title: "clients that declare no extension get events",
			In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Send: fault.Tool(readingTool, "test_simple_text").And(func(x fault.Exchange) bool { return len(declared(x)) == 0 }).Before(fault.Message{
				"jsonrpc": "2.0", "method": "notifications/event", "params": map[string]any{
					"type": "event", "subscription_id": "all", "event": "vessel_arrived", "timestamp": "2026-01-01T00:00:00Z", "payload": map[string]any{},
				}}),
		}}},
	}
}

// valid breaks results whose form the protocol alone defines.
func valid() []fault.Fault {
	const rule = "ext-degrade-results-core-valid"
	return []fault.Fault{{
		Name: "degradation-result-wrapped", Title: "a call with an intent gets {result, suggestion} and no content",
		Breaks: rule, Kills: []string{suite + "results-valid"}, Without: []string{"intent"},
		Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && x.Tool() == readingTool && metaValue(x, "intent") != nil {
				wrapped := map[string]any{"result": result["content"], "suggestion": nil}
				for _, name := range []string{"resultType", "_meta"} {
					if value, given := result[name]; given {
						wrapped[name] = value
					}
				}
				m["result"] = wrapped
			}
		},
	}, {
		Name:  "degradation-manifest-in-list",
		Title: "a tools/list with an unknown _meta property gets the entries of the manifest", Breaks: rule,
		Kills: []string{suite + "tools-named-by-core"}, May: []string{"tools/input-schema-object"},
		Reply: func(x fault.Exchange, m fault.Message) {
			result, ok := m.Result()
			if !ok || x.Method != "tools/list" || metaValue(x, unknownKey) == nil {
				return
			}
			result["tools"] = []any{map[string]any{
				"name": "tide_table", "description": "Gives the tides of a day.", "input_schema": map[string]any{},
			}}
		},
	}}
}

// handles ties the ids that a client gets to its connection.
func handles() []fault.Fault {
	const rule = "ext-degrade-no-session-need"
	in := fault.OverHTTP(requirements.R20260728)
	return []fault.Fault{
		{Breaks: rule, In: in, Each: []fault.Fault{{
			Name:  "degradation-transaction-per-connection",
			Title: "a transaction is known only on the connection of its transaction/begin",
			Kills: []string{suite + "transaction-on-any-connection"},
			Ext:   transactions.Switches{PerConnection: "kit-elsewhere-"},
		}, {
			Name:  "degradation-token-per-connection",
			Title: "a session token is known only on the connection that it was given out on",
			Kills: []string{suite + "session-token-on-any-connection"}, Ext: permissions.Switches{PerConnection: true},
		}}},
	}
}
