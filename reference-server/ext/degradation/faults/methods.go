package faults

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// on decides on requests of one method.
func on(method string, verdict func(fault.Exchange) fault.Verdict) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		if x.Method == method && x.ID != nil {
			return verdict(x)
		}
		return fault.Verdict{}
	}
}

func empty(x fault.Exchange) fault.Verdict {
	if x.Revision == requirements.R20260728 {
		return fault.Answer(x, map[string]any{"resultType": "complete"})
	}
	return fault.Answer(x, map[string]any{})
}

func internal(x fault.Exchange) fault.Verdict {
	return fault.Refuse(x, -32603, "internal error in "+x.Method)
}

// lackingMethods lists the methods of the extensions that the server lacks.
func lackingMethods() []string {
	return []string{"transaction/begin", "permissions/check", "resume", "recommend_servers", "ai_help", "events/subscribe"}
}

// lackingExtensions lists the extensions that the server lacks.
func lackingExtensions() []string {
	return []string{
		"transactions", "permissions", "streaming", "server-discovery", "push",
		"dashdash", "dashdash-init", "dashdash-tools", "dashdash-ai-help", "dashdash-resources",
	}
}

// methods breaks the rejection of unknown methods.
func methods() []fault.Fault {
	const rule = "ext-degrade-unclaimed-method"
	return []fault.Fault{
		{Breaks: rule, Without: lackingExtensions(), Each: []fault.Fault{{
			Name: "degradation-begin-empty", Title: "transaction/begin of a server without transactions gets an empty result",
			Kills: []string{suite + "unclaimed-method-transaction-begin"}, Inbound: on("transaction/begin", empty),
		}, {
			Name:  "degradation-check-internal",
			Title: "permissions/check of a server without permissions is answered with -32603",
			Kills: []string{suite + "unclaimed-method-permissions-check"}, Inbound: on("permissions/check", internal),
		}, {
			Name: "degradation-resume-silent", Title: "resume of a server without streaming gets no answer",
			Kills: []string{suite + "unclaimed-method-resume"}, Hangs: true,
			Inbound: on("resume", func(fault.Exchange) fault.Verdict { return fault.Verdict{Hang: true} }),
		}, {
			Name: "degradation-recommend-exits", Title: "recommend_servers of a server that has none ends the connection",
			Kills:   []string{suite + "unclaimed-method-recommend-servers"},
			Inbound: on("recommend_servers", func(fault.Exchange) fault.Verdict { return fault.Verdict{Exits: true, Exit: 1} }),
		}, {
			Name: "degradation-ai-help-empty", Title: "ai_help of a server without it gets an empty result",
			Kills: []string{suite + "unclaimed-method-ai-help"}, Inbound: on("ai_help", empty),
		}, {
			Name:  "degradation-subscribe-internal",
			Title: "events/subscribe of a server without events is answered with -32603",
			Kills: []string{suite + "unclaimed-method-events-subscribe"}, Inbound: on("events/subscribe", internal),
		}}},
	}
}

// refusals breaks the form of the rejections.
func refusals() []fault.Fault {
	const status, lucid = "ext-degrade-modern-envelope", "ext-degrade-rejection-clear"
	saying := func(text string) fault.Change {
		return func(x fault.Exchange, m fault.Message) {
			if failure, failed := m["error"].(map[string]any); failed && slices.Contains(lackingMethods(), x.Method) && failure["code"] == -32601 {
				failure["message"] = text
			}
		}
	}
	plain := append(lackingExtensions(), "structured-errors") // its records name unsupported methods
	return []fault.Fault{
		{
			Name: "degradation-method-status", Title: "unknown methods of extensions are rejected with status 200",
			Breaks: status, Kills: []string{suite + "unclaimed-method-status"}, Without: lackingExtensions(),
			In: fault.OverHTTP(requirements.R20260728), May: []string{"tools/access-control"},
			HTTP: fault.Status(http.StatusNotFound, http.StatusOK, fault.On(lackingMethods()...)),
		}, {
			Name: "degradation-result-untyped", Title: "the result of get_manifest has no resultType", Breaks: status,
			Kills: []string{"jsonrpc/result-type-present"}, Reply: fault.Drop("get_manifest", "/result/resultType"),
		},
		{Breaks: lucid, Kills: []string{suite + "method-refusal-clear"}, Without: plain, Each: []fault.Fault{{
			Name: "degradation-refusal-empty", Title: "the error for a method of an extension has an empty message",
			May: []string{"errors/message"}, Reply: saying(""),
		}, {
			Name: "degradation-refusal-vague", Title: `the message of the error for a method of an extension is "Error 500"`,
			Reply: saying("Error 500"),
		}}},
	}
}

// notifications breaks the treatment of methods that come without an id.
func notifications() []fault.Fault {
	const rule = "ext-degrade-notification-silent"
	var all []fault.Fault
	for _, era := range []struct {
		slug, ending string
		revision     requirements.Revision
	}{{"handshake", "", requirements.R20251125}, {"stateless", "-on-stdio", requirements.R20260728}} {
		all = append(all, fault.Fault{
			Name:  "degradation-notification-answered-" + era.slug,
			Title: "transaction/begin without an id is answered with an error without an id", Breaks: rule,
			Kills: []string{suite + "notification-transaction-begin" + era.ending}, In: fault.OverStdio(era.revision),
			Inbound: func(x fault.Exchange) fault.Verdict {
				if x.Method != "transaction/begin" || x.ID != nil {
					return fault.Verdict{}
				}
				answer := x.Refusal(-32600, "the id is missing")
				return fault.Verdict{Instead: true, Answer: []fault.Message{answer.With("id", nil)}}
			},
		}, fault.Fault{
			Name:  "degradation-notification-ends-" + era.slug,
			Title: "after events/unsubscribe without an id nothing is answered", Breaks: rule,
			Kills: []string{suite + "notification-events-unsubscribe" + era.ending}, In: fault.OverStdio(era.revision),
			Hangs: true, Inbound: fault.When(func(x fault.Exchange) bool { return x.After("events/unsubscribe") }).Hang(),
		})
	}
	return all
}
