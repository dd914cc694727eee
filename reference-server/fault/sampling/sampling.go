// Package sampling holds the ways to break client/sampling.
package sampling

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const create = "sampling/createMessage"

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault { return slices.Concat(declared(), messages(), tools(), answers()) }

func declared() []fault.Fault {
	return []fault.Fault{
		{
			Name: "sampling-undeclared", Title: "any client is asked for sampling", Breaks: "sampling-only-if-declared",
			May: []string{
				"lifecycle/negotiated-capabilities", "meta/undeclared-capability", "sampling/tools-only-if-declared", "sampling/include-context",
				"elicitation/only-if-declared", "elicitation/no-url-undeclared", "elicitation/no-form-undeclared", "roots/only-if-declared",
			},
			Skip: []fault.Check{fault.CheckClientCapability},
			In: []requirements.Column{
				{Revision: requirements.R20251125, Transport: requirements.Stdio}, {Revision: requirements.R20251125, Transport: requirements.HTTP},
				{Revision: requirements.R20260728, Transport: requirements.HTTP},
			},
		}, {
			Name: "sampling-undeclared-early", Title: "any client is asked for sampling, at the oldest revisions",
			Breaks: "sampling-only-if-declared-early", May: []string{"lifecycle/negotiated-capabilities", "roots/only-if-declared"},
			Skip: []fault.Check{fault.CheckClientCapability},
		},
		{
			Name: "sampling-tools-for-all", Title: "a client is lent tools that it does not take", Breaks: "sampling-tools-only-if-declared",
			Skip: []fault.Check{fault.CheckClientMode},
			May:  []string{"elicitation/no-url-undeclared", "elicitation/no-form-undeclared"},
		},
		fault.Fault{
			Name: "sampling-tools-to-greet", Title: "a greeting is asked for with tools that the client does not take",
			Breaks: "sampling-tools-only-if-declared",
		}.Asking(create, func(x fault.Exchange, params fault.Message) {
			if x.Tool() == "test_sampling" {
				params["tools"] = []any{map[string]any{"name": "tides", "inputSchema": map[string]any{"type": "object"}}}
			}
		}),
	}
}

// each changes the messages of a sampling request.
func each(change func(message fault.Message)) func(fault.Exchange, fault.Message) {
	return func(_ fault.Exchange, params fault.Message) {
		list, _ := params["messages"].([]any)
		list = slices.Clone(list)
		for i, one := range list {
			message, _ := one.(map[string]any)
			own := fault.Message(message).With("", nil).Without("")
			change(own)
			list[i] = map[string]any(own)
		}
		params["messages"] = list
	}
}

func messages() []fault.Fault {
	return []fault.Fault{
		fault.Fault{
			Name: "sampling-without-limit", Title: "a sampling request has no number of tokens at most", Breaks: "sampling-request-schema",
		}.Asking(create, func(_ fault.Exchange, params fault.Message) { delete(params, "maxTokens") }),
		fault.Fault{
			Name: "sampling-system-role", Title: "a sampling message has the role system", Breaks: "sampling-message-shape",
		}.Asking(create, each(func(message fault.Message) { message["role"] = "system" })),
		fault.Fault{
			Name: "sampling-video", Title: "the content of a sampling message is a video", Breaks: "sampling-content-types",
		}.Asking(create, each(func(message fault.Message) { message["content"] = map[string]any{"type": "video", "data": "AAAA"} })),
		fault.Fault{
			Name: "sampling-priority-of-two", Title: "a priority of a model is 2", Breaks: "sampling-priority-range",
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			params["modelPreferences"] = map[string]any{"speedPriority": 2}
		}),
		fault.Fault{
			Name: "sampling-with-context", Title: "a sampling request asks for the context of all servers",
			Breaks: "sampling-include-context-avoided",
		}.Asking(create, context("allServers")),
		fault.Fault{
			Name: "sampling-undeclared-context", Title: "a sampling request asks for the context of the server",
			Breaks: "sampling-include-context-gated",
		}.Asking(create, context("thisServer")),
	}
}

func context(of string) func(fault.Exchange, fault.Message) {
	return func(_ fault.Exchange, params fault.Message) { params["includeContext"] = of }
}

func tools() []fault.Fault {
	return []fault.Fault{
		fault.Fault{
			Name: "sampling-tool-choice-any", Title: "the choice of tools is any", Breaks: "sampling-tool-choice-mode",
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			if params["toolChoice"] != nil {
				params["toolChoice"] = map[string]any{"mode": "any"}
			}
		}),
		fault.Fault{
			Name: "sampling-results-with-text", Title: "a message with results of tools holds text too", Breaks: "sampling-tool-results-alone",
		}.Asking(create, results(func(content []any) []any {
			return append(slices.Clone(content), map[string]any{"type": "text", "text": "Here they are."})
		})),
		fault.Fault{
			Name: "sampling-result-missing", Title: "one of two uses of a tool gets no result", Breaks: "sampling-tool-use-balanced",
		}.Asking(create, results(func(content []any) []any { return content[:1] })),
		fault.Fault{
			Name: "sampling-result-orphaned", Title: "the use of tools is left out before its results", Breaks: "sampling-tool-use-balanced",
			May: []string{"sampling/tool-results-alone"},
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			messages, _ := params["messages"].([]any)
			params["messages"] = slices.DeleteFunc(messages, func(one any) bool {
				message, _ := one.(map[string]any)
				_, uses := message["content"].([]any)
				return message["role"] == "assistant" && uses
			})
		}),
		{
			Name: "sampling-tool-loop", Title: "a model is lent tools as long as it uses them", Breaks: "sampling-tool-loop-limited",
			Skip: []fault.Check{fault.CheckToolLoop},
		},
	}
}

// results changes the messages that hold results of tools.
func results(change func(content []any) []any) func(fault.Exchange, fault.Message) {
	return each(func(message fault.Message) {
		content, _ := message["content"].([]any)
		if len(content) > 0 && message["role"] == "user" {
			message["content"] = change(content)
		}
	})
}

func answers() []fault.Fault {
	return []fault.Fault{
		{
			Name: "sampling-rejection-hangs", Title: "a call is never answered once the client rejects the sampling request",
			Breaks: "sampling-rejection-handled", Hangs: true,
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				written, _ := json.Marshal(m)
				if _, asks := m["method"]; x.Tool() == "test_sampling" && !asks && strings.Contains(string(written), "refused sampling") {
					return nil
				}
				return []fault.Message{m}
			},
			In: []requirements.Column{
				{Revision: requirements.R20251125, Transport: requirements.Stdio}, {Revision: requirements.R20241105, Transport: requirements.SSE},
			},
		}, {
			Breaks: "jsonrpc-response-id-echo", Kills: []string{"sampling/answers-by-id"}, May: []string{"elicitation/answers-by-id"},
			In: fault.OverStdio("2025-11-25"),
			Each: []fault.Fault{{
				Name: "sampling-answers-oldest", Title: "a response is the sample that was asked for first, whatever its id",
				Skip: []fault.Check{fault.CheckAnswerOldest},
			}, {
				Name: "sampling-answers-newest", Title: "a response is the sample that was asked for last, whatever its id",
				Skip: []fault.Check{fault.CheckAnswerNewest},
			}},
		}, {
			Name: "sampling-unvalidated", Title: "a sample is used whatever it consists of", Breaks: "sampling-response-validated",
			May:  []string{"elicitation/answer-validated"},
			Skip: []fault.Check{fault.CheckForm},
		},
		fault.Fault{
			Name: "sampling-retained", Title: "a sampling request holds the answers to earlier ones", Breaks: "sampling-messages-not-retained",
			In: fault.OverStdio("2026-07-28"),
		}.Asking(create, func(x fault.Exchange, params fault.Message) {
			list, _ := params["messages"].([]any)
			for _, asked := range x.Past {
				before := fault.Exchange{Method: asked.Method, Params: asked.Params}
				if before.Param("inputResponses") != nil {
					list = append(slices.Clone(list), map[string]any{
						"role": "assistant", "content": map[string]any{"type": "text", "text": string(asked.Params)},
					})
				}
			}
			params["messages"] = list
		}),
	}
}
