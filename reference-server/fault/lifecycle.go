package fault

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func lifecycle() []Fault {
	return slices.Concat(
		lifecycleOpening(), lifecycleClients(), lifecycleMalformed(), lifecycleVersion(), lifecycleContent(), lifecycleOperation(),
		lifecycleUnsupported(), lifecyclePerRequest(), lifecycleStateless(), lifecycleEra(), lifecycleExtension(),
	)
}

// overStdio is where faults run that need a conversation, or an answer with
// more than one message.
func overStdio(r requirements.Revision) []Column { return []Column{{r, requirements.Stdio}} }

func lifecycleOpening() []Fault {
	return []Fault{
		{
			Name:   "lifecycle-no-server-name",
			Title:  "the implementation record of the handshake has no name",
			Breaks: "lifecycle-init-response-schema",
			Kills:  []string{"lifecycle/init-response"},
			Also:   []string{schemaToo},
			Reply: onResult("initialize", func(result Message) {
				delete(result.Object("serverInfo"), "name")
			}),
		},
		{
			Name:   "lifecycle-server-version-number",
			Title:  "the version of the server is a number",
			Breaks: "lifecycle-init-response-schema",
			Kills:  []string{"lifecycle/init-response"},
			Also:   []string{schemaToo},
			Reply: onResult("initialize", func(result Message) {
				result.Object("serverInfo")["version"] = 1
			}),
		},
		{
			Name:   "lifecycle-early-list-opens",
			Title:  "a list that is asked for too early counts as the opening, and initialize is refused after it",
			Breaks: "lifecycle-init-phase-first",
			Kills:  []string{"lifecycle/early-request"},
			In:     overStdio(requirements.R20251125),
			Inbound: func(x Exchange) Verdict {
				if x.Method != "initialize" || !x.After("tools/list") {
					return Verdict{}
				}
				return Verdict{Instead: true, Answer: []Message{x.Refusal(-32600, "the conversation has begun")}}
			},
		},
	}
}

func lifecycleClients() []Fault {
	return []Fault{
		{
			Name:   "lifecycle-bare-client-ends",
			Title:  "an initialize with empty capabilities ends the process",
			Breaks: "lifecycle-bare-client-handled",
			Kills:  []string{"lifecycle/bare-client"},
			Inbound: func(x Exchange) Verdict {
				return Verdict{Exits: bareInitialize(x), Exit: 1}
			},
		},
		{
			Name:   "lifecycle-bare-client-hangs",
			Title:  "an initialize with empty capabilities is never answered",
			Breaks: "lifecycle-bare-client-handled",
			Kills:  []string{"lifecycle/bare-client"},
			Inbound: func(x Exchange) Verdict {
				return Verdict{Hang: bareInitialize(x)}
			},
		},
		{
			Name:   "lifecycle-roots-before-initialized",
			Title:  "the roots are asked for together with the answer to initialize",
			Breaks: "lifecycle-no-requests-before-initialized",
			Kills:  []string{"lifecycle/before-initialized"},
			In:     overStdio(requirements.R20251125),
			Reply: func(x Exchange, m Message) []Message {
				capabilities, _ := x.Param("capabilities").(map[string]any)
				if _, declared := capabilities["roots"]; x.Method != "initialize" || !declared {
					return []Message{m}
				}
				return []Message{m, ask(x, "roots/list", map[string]any{})}
			},
		},
	}
}

func bareInitialize(x Exchange) bool {
	capabilities, ok := x.Param("capabilities").(map[string]any)
	return x.Method == "initialize" && ok && len(capabilities) == 0
}

// ask makes a request of the server's own that goes with this one.
func ask(x Exchange, method string, params map[string]any) Message {
	return Message{"jsonrpc": "2.0", "id": fmt.Sprintf("%s-%d", x.Method, x.Nth), "method": method, "params": params}
}

// tell makes a notification.
func tell(method string, params map[string]any) Message {
	return Message{"jsonrpc": "2.0", "method": method, "params": params}
}

func lifecycleMalformed() []Fault {
	lacks := func(name string) func(Exchange) bool {
		return func(x Exchange) bool { return x.Method == "initialize" && x.Param(name) == nil }
	}
	return []Fault{
		{
			Name:   "lifecycle-missing-version-hangs",
			Title:  "an initialize without protocolVersion is never answered",
			Breaks: "lifecycle-init-malformed-params",
			Kills:  []string{"lifecycle/init-without-version"},
			Inbound: func(x Exchange) Verdict {
				return Verdict{Hang: lacks("protocolVersion")(x)}
			},
		},
		{
			Name:   "lifecycle-missing-client-ends",
			Title:  "an initialize without clientInfo ends the process",
			Breaks: "lifecycle-init-malformed-params",
			Kills:  []string{"lifecycle/init-without-client"},
			Inbound: func(x Exchange) Verdict {
				return Verdict{Exits: lacks("clientInfo")(x), Exit: 1}
			},
		},
		{
			Name:   "lifecycle-capabilities-text-ends",
			Title:  "an initialize whose capabilities are a text ends the process",
			Breaks: "lifecycle-init-malformed-params",
			Kills:  []string{"lifecycle/init-capabilities-text"},
			Inbound: func(x Exchange) Verdict {
				_, text := x.Param("capabilities").(string)
				return Verdict{Exits: x.Method == "initialize" && text, Exit: 1}
			},
		},
	}
}
