// Package lifecycle holds the ways to break the beginning and the agreements of a
// conversation.
package lifecycle

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(
		opening(), clients(), malformed(), version(), content(), operation(),
		unsupported(), perRequest(), stateless(), era(), extension(),
	)
}

func opening() []fault.Fault {
	return []fault.Fault{{
		Name: "lifecycle-no-server-name", Title: "serverInfo in the initialize result has no name",
		Breaks: "lifecycle-init-response-schema", Reply: fault.Drop("initialize", "/result/serverInfo/name"),
	}, {
		Name: "lifecycle-server-version-number", Title: "the version in serverInfo is a number",
		Breaks: "lifecycle-init-response-schema", Reply: fault.Set("initialize", "/result/serverInfo/version", 1),
	}, {
		Name:   "lifecycle-early-list-opens",
		Title:  "a tools/list sent too early counts as the opening, and initialize is rejected after it",
		Breaks: "lifecycle-init-phase-first", In: fault.OverStdio(requirements.R20251125),
		Inbound: fault.When(func(x fault.Exchange) bool {
			return x.Method == "initialize" && x.After("tools/list")
		}).Refuse(-32600, "the conversation has started"),
	}}
}

func clients() []fault.Fault {
	return []fault.Fault{{
		Name: "lifecycle-bare-client-ends", Title: "an initialize with empty capabilities ends the process",
		Breaks: "lifecycle-bare-client-handled", Inbound: fault.When(bareInitialize).Exit(1),
	}, {
		Name: "lifecycle-bare-client-hangs", Title: "an initialize with empty capabilities is never answered",
		Breaks: "lifecycle-bare-client-handled", Hangs: true, Inbound: fault.When(bareInitialize).Hang(),
	}, {
		Name: "lifecycle-roots-before-initialized", Title: "the server sends roots/list together with the initialize result",
		Breaks: "lifecycle-no-requests-before-initialized", In: fault.OverStdio(requirements.R20251125),
		Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			capabilities, _ := x.Param("capabilities").(map[string]any)
			if _, declared := capabilities["roots"]; x.Method != "initialize" || !declared || m["method"] != nil {
				return []fault.Message{m}
			}
			return []fault.Message{m, serverRequest(x, "roots/list", map[string]any{})}
		},
	}}
}

func bareInitialize(x fault.Exchange) bool {
	capabilities, ok := x.Param("capabilities").(map[string]any)
	return x.Method == "initialize" && ok && len(capabilities) == 0
}

// serverRequest makes a request of the server that accompanies an answer.
func serverRequest(x fault.Exchange, method string, params map[string]any) fault.Message {
	return fault.Message{"jsonrpc": "2.0", "id": fmt.Sprintf("%s-%d", x.Method, x.Nth), "method": method, "params": params}
}

func notification(method string, params map[string]any) fault.Message {
	return fault.Message{"jsonrpc": "2.0", "method": method, "params": params}
}

func malformed() []fault.Fault {
	lacks := func(name string) func(fault.Exchange) bool {
		return func(x fault.Exchange) bool { return x.Method == "initialize" && x.Param(name) == nil }
	}
	return []fault.Fault{
		{Breaks: "lifecycle-init-malformed-params", Each: []fault.Fault{{
			Name: "lifecycle-missing-version-hangs", Title: "an initialize without protocolVersion is never answered",
			Kills: []string{"lifecycle/init-without-version"}, Hangs: true,
			Inbound: fault.When(lacks("protocolVersion")).Hang(),
		}, {
			Name: "lifecycle-missing-client-ends", Title: "an initialize without clientInfo ends the process",
			Kills: []string{"lifecycle/init-without-client"}, Inbound: fault.When(lacks("clientInfo")).Exit(1),
		}, {
			Name: "lifecycle-capabilities-text-ends", Title: "an initialize whose capabilities are a string ends the process",
			Kills: []string{"lifecycle/init-capabilities-text"},
			Inbound: func(x fault.Exchange) fault.Verdict {
				_, text := x.Param("capabilities").(string)
				return fault.Verdict{Exits: x.Method == "initialize" && text, Exit: 1}
			},
		}, {
			Name: "lifecycle-capability-text-ends", Title: "an initialize with a capability that is a string ends the process",
			Kills: []string{"lifecycle/init-capabilities-members"},
			Inbound: fault.When(func(x fault.Exchange) bool {
				declared, _ := x.Param("capabilities").(map[string]any)
				_, text := declared["roots"].(string)
				return x.Method == "initialize" && text
			}).Exit(1),
		}}},
	}
}
