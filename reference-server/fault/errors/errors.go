// Package errors holds the ways to break error codes and the answers to absent
// methods.
package errors

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(codes(), meanings(), messages(), absent(), removed())
}

// noSuchTool changes the error for an unknown tool.
func noSuchTool(change func(x fault.Exchange, failure fault.Message)) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if _, failed := m["error"]; failed && x.Tool() != "" && m.Object("error")["message"] == "there is no such tool" {
			change(x, m.Object("error"))
		}
	}
}

// unknownToolCases lists the cases that call an unknown tool. The structured-errors
// extension judges errors with a record too.
func unknownToolCases() []string {
	return []string{
		"tools/unknown-name", "ext-structured-errors/error-code-range", "ext-structured-errors/unknown-tool-fails",
		"ext-structured-errors/record-of-unknown-tool", "ext-structured-errors/plain-client-reads-error",
	}
}

func codes() []fault.Fault {
	coded := func(name, title, rule, kills string, code int) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: requirements.ID(rule), Kills: []string{kills}, May: unknownToolCases(),
			Reply: noSuchTool(func(_ fault.Exchange, failure fault.Message) { failure["code"] = code }),
		}
	}
	return []fault.Fault{
		{
			Name: "errors-former-resource-not-found", Title: "a resource that does not exist gets error -32002, as it did before",
			Breaks: "errors-no-32002", Kills: []string{"errors/missing-resource-code"}, May: append(unknownToolCases(), "resources/not-found-code"),
			Reply: fault.On("resources/read").And(func(x fault.Exchange) bool { return x.Param("uri") != nil }).Error(func(failure fault.Message) {
				if failure["code"] == -32602 {
					failure["code"] = -32002
				}
			}),
		},
		coded("errors-code-of-the-protocol", "an unknown tool gets error -32050, which the protocol keeps for itself",
			"errors-reserved-band-defined-only", "errors/reserved-codes", -32050),
		coded("errors-code-at-the-end", "an unknown tool gets error -32099, the last that the protocol keeps for itself",
			"errors-reserved-band-defined-only", "errors/reserved-codes", -32099),
		coded("errors-former-not-found", "an unknown tool gets error -32002, once that of resources",
			"errors-no-32002", "errors/no-former-not-found", -32002),
		coded("errors-former-url-elicitation", "an unknown tool gets error -32042, once that of elicitation by URL",
			"errors-no-32042", "errors/no-former-url-elicitation", -32042),
		coded("errors-code-of-json-rpc", "an unknown tool gets error -32500, which JSON-RPC keeps for itself",
			"errors-custom-codes-outside-range", "errors/own-codes", -32500),
	}
}

func meanings() []fault.Fault {
	const rule, kills = "errors-defined-codes-meaning", "errors/defined-codes"
	undeclared := func(code int) fault.Change {
		return func(x fault.Exchange, m fault.Message) {
			if x.Method == "ping" {
				m.Object("error")["code"] = code
			}
		}
	}
	return []fault.Fault{
		{Breaks: rule, Each: []fault.Fault{{
			Name: "errors-header-over-stdio", Title: "a method that is gone gets error -32020 over stdio",
			Kills: []string{kills, "errors/removed-ping"}, In: fault.OverStdio(requirements.R20260728),
			Reply: undeclared(-32020),
		}, {
			Name: "errors-header-for-nothing", Title: "a method that is gone gets error -32020, though its headers are right",
			Kills: []string{kills, "errors/removed-ping"}, In: fault.OverHTTP(requirements.R20260728),
			Reply: undeclared(-32020),
		}, {
			Name:  "errors-version-for-method",
			Title: "a method that is gone gets error -32022, as if its revision were not served",
			Kills: []string{kills, "errors/removed-ping"}, Reply: undeclared(-32022),
		}, {
			Name:  "errors-capability-declared",
			Title: "an unknown tool gets error -32021 for capabilities that the client declares", May: unknownToolCases(),
			Reply: noSuchTool(func(x fault.Exchange, failure fault.Message) {
				failure["code"] = -32021
				failure["data"] = map[string]any{"requiredCapabilities": fault.Meta(x.Params, "clientCapabilities")}
			}),
		}}},
	}
}

func messages() []fault.Fault {
	said := func(name, title, text string) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: "errors-message-concise", Kills: []string{"errors/message"},
			May:   unknownToolCases(),
			Reply: noSuchTool(func(_ fault.Exchange, failure fault.Message) { failure["message"] = text }),
		}
	}
	return []fault.Fault{
		said("errors-message-trace", "an error says where in the code it arose, line by line",
			"there is no such tool\n  at call (harbour.js:12)\n  at serve (harbour.js:80)"),
		said("errors-message-endless", "an error says a great deal", strings.Repeat("There is no such tool in this harbour. ", 40)),
		said("errors-message-empty", "an error says nothing", ""),
		{
			Name: "errors-former-notification", Title: "a call is announced as a task, as 2025-11-25 had it",
			Breaks: "errors-no-legacy-notifications",
			Send: fault.When(func(x fault.Exchange) bool { return x.Tool() != "" }).Before(fault.Message{
				"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": map[string]any{
					"taskId": "T-1", "status": "completed", "createdAt": "2026-07-28T12:00:00Z", "lastUpdatedAt": "2026-07-28T12:00:00Z", "ttl": nil,
				}}),
		},
	}
}

// absent are faults of lists that the server does not declare.
func absent() []fault.Fault {
	var all []fault.Fault
	for _, name := range []string{"tools", "resources", "prompts"} {
		undeclared := func(answer func(x fault.Exchange) fault.Message) fault.Change {
			return func(x fault.Exchange, m fault.Message) {
				result, ok := m.Result()
				switch {
				case ok && (x.Method == "initialize" || x.Method == "server/discover"):
					delete(result.Object("capabilities"), name)
				case x.Method == name+"/list":
					m.Become(answer(x))
				}
			}
		}
		all = append(all, fault.Fault{
			Name:   "errors-undeclared-params-" + name,
			Title:  name + " are not declared, and a request for their list gets error -32602",
			Breaks: "errors-unadvertised-capability", Kills: []string{"errors/undeclared-" + name},
			May: []string{"tools/embedded-resource-declared"}, In: fault.OverStdio(requirements.R20251125),
			Reply: undeclared(func(x fault.Exchange) fault.Message { return x.Refusal(-32602, "not here") }),
		}, fault.Fault{
			Name: "errors-undeclared-empty-" + name, Title: name + " are not declared, and their list is empty",
			Breaks: "errors-unadvertised-capability", Kills: []string{"errors/undeclared-" + name},
			May: []string{"tools/embedded-resource-declared", "ext-intent/suggestion-exists"}, In: fault.OverStdio(requirements.R20260728),
			Reply: undeclared(func(x fault.Exchange) fault.Message {
				return x.Answer(map[string]any{
					name: []any{}, "resultType": "complete", "ttlMs": 0, "cacheScope": "public",
				})
			}),
		})
	}
	return all
}

func removed() []fault.Fault {
	all := []fault.Fault{{
		Name: "errors-removed-known", Title: "logging/setLevel is rejected for its params instead of as an unknown method",
		Breaks: "errors-removed-methods", Kills: []string{"errors/removed-set-level"},
		May:  []string{"errors/removed-ping", "errors/removed-subscribe", "errors/removed-unsubscribe"},
		Skip: []fault.Check{fault.CheckRemoved},
	}}
	for method, slug := range map[string]string{
		"ping": "ping", "logging/setLevel": "set-level", "resources/subscribe": "subscribe", "resources/unsubscribe": "unsubscribe",
	} {
		all = append(all, fault.Fault{
			Name: "errors-removed-served-" + slug, Title: method + " gets an empty result without a handshake as well",
			Breaks: "errors-removed-methods", Kills: []string{"errors/removed-" + slug},
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Method == method && fault.Current(x.Params) }).Answer(map[string]any{
				"resultType": "complete",
			}),
		})
	}
	slices.SortFunc(all, func(a, b fault.Fault) int { return strings.Compare(a.Name, b.Name) })
	return all
}
