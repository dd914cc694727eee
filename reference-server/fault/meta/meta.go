// Package meta holds the ways to break metadata.
package meta

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(
		places(), keys(), reserved(), traces(), tolerance(), required(), clients(), servers(), undeclared(), questions(), listens(),
	)
}

const prefix = "io.modelcontextprotocol/"

// onTool adds a value to the _meta of the results of a tool.
func onTool(key string, value any) fault.Change {
	return fault.OnTool("tide_table", func(result fault.Message) { result.Object("_meta")[key] = value })
}

// places are metadata that is not an object.
func places() []fault.Fault {
	const rule, kills = "meta-is-object", "meta/object"
	onBlock := func(block map[string]any) fault.Change {
		return fault.Tool("tide_table").Set("/result/content", []any{block})
	}
	june, november := fault.OverStdio(requirements.R20250618), fault.OverStdio(requirements.R20251125)
	return []fault.Fault{
		{Breaks: rule, Each: []fault.Fault{{
			Name: "meta-result-array", Title: "_meta of a tool result is an array", In: june,
			Reply: fault.Tool("tide_table").Set("/result/_meta", []any{}),
		}, {
			Name: "meta-result-null", Title: "_meta of a list is null", In: fault.OverStdio(requirements.R20241105),
			Reply: fault.Set("tools/list", "/result/_meta", nil),
		}, {
			Name: "meta-prompt-text", Title: "_meta of a listed prompt is a string", In: november,
			List: func(x fault.Exchange, items []fault.Message) []fault.Message {
				if x.Method == "prompts/list" && len(items) > 0 {
					items[0] = items[0].With("_meta", "none")
				}
				return items
			},
		}, {
			Name: "meta-block-array", Title: "_meta of a content block is an array", In: november,
			May:   []string{"tools/structured-content-text"},
			Reply: onBlock(map[string]any{"type": "text", "text": "High water is at noon.", "_meta": []any{}}),
		}, {
			Name: "meta-embedded-number", Title: "_meta of an embedded resource's contents is a number", In: june,
			May: []string{"tools/structured-content-text"},
			Reply: onBlock(map[string]any{"type": "resource", "resource": map[string]any{
				"uri": "harbour://tides", "text": "High water is at noon.", "_meta": 7,
			}}),
		}, {
			Name: "meta-progress-array", Title: "_meta of a progress notification is an array", In: november,
			May: []string{"ext-progress/type", "tasks/progress-related"},
			Notify: func(_ fault.Exchange, m fault.Message) {
				if m["method"] == "notifications/progress" {
					m.Object("params")["_meta"] = []any{}
				}
			},
		}}},
	}
}

// keys are keys of metadata in a form that is not allowed.
func keys() []fault.Fault {
	row := func(name, title, rule, kills, key string, in []fault.Column) fault.Fault {
		return fault.Fault{Name: name, Title: title, Breaks: requirements.ID(rule), Kills: []string{kills}, In: in, Reply: onTool(key, true)}
	}
	june, newest := fault.OverStdio(requirements.R20250618), fault.OverStdio(requirements.R20260728)
	return []fault.Fault{
		row("meta-prefix-digit", "the prefix of a _meta key begins with a digit",
			"meta-key-prefix-grammar", "meta/key-prefix", "com.4harbours/depth", june),
		row("meta-prefix-hyphen", "a label in the prefix of a _meta key ends with a hyphen",
			"meta-key-prefix-grammar", "meta/key-prefix", "com.harbour-/depth", newest),
		row("meta-prefix-empty", "the prefix of a _meta key is empty", "meta-key-prefix-grammar", "meta/key-prefix", "/depth", newest),
		row("meta-prefix-underscore", "a label in the prefix of a _meta key has an underscore",
			"meta-key-prefix-grammar", "meta/key-prefix", "com.my_harbour/depth", newest),
		row("meta-name-underscore", "the name of a _meta key begins with an underscore",
			"meta-key-name-grammar", "meta/key-name", "_harbour", june),
		row("meta-name-dot", "the name of a _meta key ends with a dot", "meta-key-name-grammar", "meta/key-name", "com.example/depth.", newest),
		row("meta-prefix-forwards", "the prefix of a _meta key is a domain as it is written",
			"meta-key-reverse-dns", "meta/key-reverse-dns", "harbour.example.com/depth", newest),
	}
}

func reserved() []fault.Fault {
	row := func(name, title, key string, revision requirements.Revision) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "meta-reserved-prefix-unused", Kills: []string{"meta/key-reserved"},
			In: fault.OverStdio(revision), Reply: onTool(key, true),
		}
	}
	return []fault.Fault{
		row("meta-own-key-reserved", "a key of the server's own has the prefix of the protocol", prefix+"tide", requirements.R20260728),
		row("meta-own-key-second-label", "the second label of the prefix of an own key is mcp", "com.mcp.tides/depth", requirements.R20251125),
		row("meta-own-key-june", "an own key has a prefix that 2025-06-18 keeps for the protocol", "modelcontextprotocol.io/tide",
			requirements.R20250618),
	}
}

func traces() []fault.Fault {
	row := func(name, title, key string, value any) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "meta-trace-context-format", Kills: []string{"meta/trace-context"},
			Reply: onTool(key, value),
		}
	}
	return []fault.Fault{
		row("meta-traceparent-id", "traceparent is the id of a trace alone", "traceparent", "0af7651916cd43dd8448eb211c80319c"),
		row("meta-tracestate-object", "tracestate is an object", "tracestate", map[string]any{"harbour": "1"}),
		row("meta-baggage-words", "baggage is a list of words", "baggage", "vessel, berth"),
	}
}

// tolerance refuses metadata that has no meaning to the server.
func tolerance() []fault.Fault {
	strict := func(keys ...string) func(fault.Exchange) fault.Verdict {
		return fault.When(func(x fault.Exchange) bool {
			given, _ := x.Param("_meta").(map[string]any)
			return slices.ContainsFunc(keys, func(key string) bool { _, ok := given[key]; return ok })
		}).Refuse(-32602, "_meta has a key that is not known")
	}
	foreign, unknown := strict("com.example/x"), strict(prefix+"mcp-conform", "modelcontextprotocol.io/mcp-conform")
	return []fault.Fault{
		{
			Name: "meta-foreign-keys-refused", Title: "a request with a foreign key in _meta is rejected",
			Breaks: "meta-unknown-keys-tolerated", Inbound: foreign,
		}, {
			Name: "meta-foreign-keys-refused-early", Title: "a request of 2024-11-05 with a foreign key in _meta is rejected",
			Breaks: "meta-unknown-keys-tolerated-early", In: fault.OverStdio(requirements.R20241105), Inbound: foreign,
		},
		{Breaks: "meta-no-assumptions-on-reserved", Each: []fault.Fault{
			{Name: "meta-reserved-keys-refused", Title: "a request with an unknown key of the protocol in _meta is rejected", Inbound: unknown},
			{
				Name:  "meta-reserved-keys-refused-june",
				Title: "a request of 2025-06-18 with a key that it keeps for the protocol is rejected",
				In:    fault.OverStdio(requirements.R20250618), Inbound: unknown,
			},
		}},
	}
}
