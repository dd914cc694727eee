package tools

import (
	"maps"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// headers are parameters that are marked for headers otherwise than they may be.
func headers() []fault.Fault {
	modern := fault.OverStdio(requirements.R20260728)
	listed := func(name, title, rule, slug string, properties fault.Message) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: requirements.ID(rule), Kills: []string{"tools/header-" + slug}, In: modern,
			List: withTool(crane("inputSchema", fault.Message{"type": "object", "properties": properties})),
		}
	}
	one := func(mark any, more fault.Message) fault.Message {
		property := fault.Message{"type": "string", "x-mcp-header": mark}
		maps.Copy(property, more)
		return fault.Message{"load": property}
	}
	under := func(keyword string, inner any) fault.Message {
		return fault.Message{"loads": fault.Message{"type": "array", keyword: inner}}
	}
	return []fault.Fault{
		listed("tools-header-empty", "an x-mcp-header is empty", "tools-x-mcp-header-not-empty", "not-empty", one("", nil)),
		listed("tools-header-true", "an x-mcp-header is true", "tools-x-mcp-header-not-empty", "not-empty", one(true, nil)),
		listed("tools-header-space", "an x-mcp-header has a space", "tools-x-mcp-header-token-syntax", "token", one("Crane Load", nil)),
		listed("tools-header-line-break", "an x-mcp-header has a line break", "tools-x-mcp-header-no-control-characters", "control-characters",
			one("Load\r\nX-Other: 1", nil)),
		listed("tools-header-twice", "two parameters have one x-mcp-header, in small and capital letters", "tools-x-mcp-header-unique", "unique",
			fault.Message{
				"load": fault.Message{"type": "string", "x-mcp-header": "Load"}, "most": fault.Message{"type": "string", "x-mcp-header": "LOAD"},
			}),
		listed("tools-header-number", "a parameter with an x-mcp-header is a number", "tools-x-mcp-header-primitive-types", "primitive",
			one("Load", fault.Message{"type": "number"})),
		listed("tools-header-huge", "a parameter with an x-mcp-header begins beyond what a double holds", "tools-x-mcp-header-integer-safe-range",
			"integer-range", one("Load", fault.Message{"type": "integer", "minimum": int64(1) << 60})),
		listed("tools-header-in-items", "the items of an array have an x-mcp-header", "tools-x-mcp-header-statically-reachable", "reachable",
			under("items", fault.Message{"type": "string", "x-mcp-header": "Load"})),
		listed("tools-header-in-alternative", "an alternative has an x-mcp-header", "tools-x-mcp-header-statically-reachable", "reachable",
			fault.Message{"load": fault.Message{"anyOf": []any{fault.Message{"type": "string", "x-mcp-header": "Load"}}}}),
		listed("tools-header-password", "a password has an x-mcp-header", "tools-x-mcp-header-not-sensitive", "not-sensitive",
			one("Key", fault.Message{"format": "password"})),
	}
}

// guarded are calls that anybody may make, as often as they like.
func guarded() []fault.Fault {
	served := func(tool, text string) func(fault.Exchange) fault.Verdict {
		return func(x fault.Exchange) fault.Verdict {
			if x.Tool() != tool {
				return fault.Verdict{}
			}
			return fault.Verdict{Instead: true, Answer: []fault.Message{toolAnswer(x, text)}}
		}
	}
	return []fault.Fault{{
		Name: "tools-open-to-all", Title: "a call that is not everybody's is served to everybody",
		Breaks: "tools-access-control",
		May: []string{
			"ext-permissions/deny-holds", "ext-permissions/deny-holds-record", "ext-permissions/held-not-trusted",
			"ext-permissions/session-token-bounds",
		},
		In: fault.OverHTTP(requirements.R20251125), Inbound: served("hoist_signal", "The signal was hoisted."),
	}, {
		Name: "tools-without-limit", Title: "a tool with a limit is served without one", Breaks: "tools-rate-limited",
		In: fault.OverStdio(requirements.R20250618), Inbound: served("weather_report", "Calm."),
	}}
}
