// Package mrtr holds the ways to break basic/patterns/mrtr.
package mrtr

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(results(), retries(), states(), hostile(), malformed())
}

// results are faults in what a result that asks consists of.
func results() []fault.Fault {
	extra := func(question any) fault.Change {
		return asking(func(result fault.Message) {
			asked := maps.Clone(map[string]any(result.Object("inputRequests")))
			asked["extra"] = question
			result["inputRequests"] = asked
		})
	}
	return []fault.Fault{
		{
			Name: "mrtr-asks-by-request", Title: "a client is asked by a request of the server", Breaks: "mrtr-only-mechanism",
			In: fault.OverStdio(requirements.R20260728), Skip: []fault.Check{fault.CheckInputRequest},
			May: []string{"stdio/no-requests-on-stdout"}, Silent: []string{"mrtr/retry-completes"},
		},
		{
			Name: "mrtr-completion-asks", Title: "completion/complete asks for input", Breaks: "mrtr-supported-methods-only",
			Kills: []string{"mrtr/supported-methods"}, Silent: []string{"completion/context-accepted"},
			Reply: fault.OnResult("completion/complete", func(result fault.Message) {
				result["resultType"], result["inputRequests"] = "input_required", map[string]any{"roots": map[string]any{"method": "roots/list"}}
			}),
		},
		{
			Name: "mrtr-list-asks", Title: "a client that declares roots is asked for them in place of the list of tools",
			Breaks: "mrtr-supported-methods-only",
			Inbound: fault.When(func(x fault.Exchange) bool {
				able, _ := fault.Meta(x.Params, "clientCapabilities").(map[string]any)
				return x.Method == "tools/list" && able["roots"] != nil
			}).Answer(map[string]any{
				"resultType": "input_required", "inputRequests": map[string]any{"roots": map[string]any{"method": "roots/list"}},
			}),
		},
		{
			Name: "mrtr-asks-as-complete", Title: "a result that asks for input says that it is complete", Breaks: "mrtr-result-type",
			Reply: asking(func(result fault.Message) { result["resultType"] = "complete" }),
		},
		{
			Name: "mrtr-asks-for-nothing", Title: "a result that asks for input holds no question and no state",
			Breaks: "mrtr-at-least-one-member",
			Reply: asking(func(result fault.Message) {
				delete(result, "inputRequests")
				delete(result, "requestState")
			}),
		},
		{
			Name: "mrtr-asks-for-ping", Title: "a client is asked for a ping", Breaks: "mrtr-input-request-kinds",
			Reply: extra(map[string]any{"method": "ping"}),
		},
		{
			Breaks: "mrtr-input-request-envelope",
			Each: []fault.Fault{
				{
					Name: "mrtr-array-of-questions", Title: "inputRequests is an array",
					Reply: asking(func(result fault.Message) {
						result["inputRequests"] = slices.Collect(maps.Values(map[string]any(result.Object("inputRequests"))))
					}),
				},
				{Name: "mrtr-question-in-words", Title: "an input request is a string", Reply: extra("What is your name?")},
			},
		},
		{
			Name: "mrtr-key-twice", Title: "two input requests have the same key", Breaks: "mrtr-keys-unique",
			May: []string{"jsonrpc/property-names-unique"},
			Bytes: func(_ fault.Exchange, text []byte) []byte {
				const member = `"inputRequests":{`
				return bytes.Replace(text, []byte(member), []byte(member+`"question-1":{"method":"roots/list"},`), 1)
			},
		},
		{
			Name: "mrtr-state-object", Title: "requestState is an object", Breaks: "mrtr-request-state-string",
			Reply: asking(func(result fault.Message) {
				if state, given := result["requestState"]; given {
					result["requestState"] = map[string]any{"sealed": state}
				}
			}),
		},
	}
}

// asking changes the results that ask.
func asking(change func(result fault.Message)) fault.Change {
	return func(_ fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok && result["resultType"] == "input_required" {
			change(result)
		}
	}
}

const tool = "hire_crane"

// retried selects retries of the tool.
func retried(fits func(x fault.Exchange) bool) fault.When {
	return fault.Tool(tool).And(func(x fault.Exchange) bool { return x.Param("inputResponses") != nil && fits(x) })
}

// responding selects retries of the tool by their answers.
func responding(fits func(responses map[string]any) bool) fault.When {
	return retried(func(x fault.Exchange) bool {
		responses, object := x.Param("inputResponses").(map[string]any)
		return object && fits(responses)
	})
}

// retries are faults in what becomes of good answers.
func retries() []fault.Fault {
	brings := func(x fault.Exchange) bool { return x.Param("inputResponses") != nil }
	refused := func(name, what string, kills string, on fault.When) fault.Fault {
		return fault.Fault{
			Name: "mrtr-retry-" + name, Title: what + " that is repeated with answers is refused as invalid params", Kills: []string{kills},
			Inbound: on.And(brings).Refuse(-32602, "inputResponses is no parameter"),
		}
	}
	return []fault.Fault{
		{Breaks: "mrtr-retry-completes", Each: []fault.Fault{
			refused("refused", "a call", "mrtr/retry-completes", fault.Tool("test_sampling")),
			refused("refused-crane", "a call with several questions", "mrtr/retry-completes-tool",
				responding(func(responses map[string]any) bool { return len(responses) > 1 })),
			refused("refused-prompt", "prompts/get", "mrtr/retry-completes-prompt", fault.On("prompts/get")),
			refused("refused-resource", "resources/read", "mrtr/retry-completes-resource", fault.On("resources/read")),
		}},
		{
			Name: "mrtr-retry-of-connection", Title: "a call is completed only over the connection that it began on",
			Breaks: "mrtr-retry-self-contained", In: fault.OverHTTP(requirements.R20260728), Skip: []fault.Check{fault.CheckStateAnywhere},
		},
	}
}

// states are faults in what the server looks at in a state.
func states() []fault.Fault {
	return []fault.Fault{
		{
			Breaks: "mrtr-tampered-state-rejected",
			Each: []fault.Fault{
				{
					Name: "mrtr-state-unsigned", Title: "a requestState is believed whatever the client has changed in it",
					May:  []string{"mrtr/state-of-another-request"},
					Skip: []fault.Check{fault.CheckStateSeal}, Kills: []string{"mrtr/state-flipped", "mrtr/state-forged"},
				},
				{
					Name: "mrtr-state-unread", Title: "a call is completed without the earlier answers when its requestState cannot be read",
					Kills: []string{"mrtr/state-flipped", "mrtr/state-cut"}, Inbound: retried(unread).Verdict(anyway),
				},
				{
					Name: "mrtr-state-not-missed", Title: "a call is completed without the earlier answers when it has no requestState",
					Kills:   []string{"mrtr/state-dropped"},
					Inbound: retried(func(x fault.Exchange) bool { return x.Param("requestState") == nil }).Verdict(anyway),
				},
			},
		},
		{
			Name: "mrtr-state-of-anybody", Title: "a requestState is taken from any caller", Breaks: "mrtr-state-principal",
			In: fault.OverHTTP(requirements.R20260728), Skip: []fault.Check{fault.CheckStatePrincipal},
		},
		{
			Name: "mrtr-state-for-ever", Title: "a requestState never expires", Breaks: "mrtr-state-expiry",
			Skip: []fault.Check{fault.CheckStateLife},
		},
		{
			Name: "mrtr-state-for-any-call", Title: "a requestState is taken in a call with other arguments", Breaks: "mrtr-state-request-binding",
			Skip: []fault.Check{fault.CheckStateRequest},
		},
		{
			Breaks: "mrtr-state-single-use",
			Each: []fault.Fault{
				{
					Name: "mrtr-state-again", Title: "a crane is hired again when the same retry comes again",
					Kills: []string{"mrtr/state-used-twice", "mrtr/state-used-at-once"}, Skip: []fault.Check{fault.CheckStateOnce},
				},
				{
					Name: "mrtr-state-at-once", Title: "two cranes are hired when two retries come at the same time",
					Kills: []string{"mrtr/state-used-at-once"}, Skip: []fault.Check{fault.CheckStateOnceAtOnce},
				},
			},
		},
	}
}

// unread reports whether the state of a retry is no signed JSON.
func unread(x fault.Exchange) bool {
	state, given := x.Param("requestState").(string)
	decoded, err := base64.RawURLEncoding.DecodeString(state)
	return given && (err != nil || len(decoded) <= sha256.Size || !json.Valid(decoded[sha256.Size:]))
}

// anyway completes a call from what its last answers say.
func anyway(x fault.Exchange) fault.Verdict {
	said, err := json.Marshal(x.Param("inputResponses"))
	if err != nil {
		return fault.Verdict{}
	}
	return fault.Answer(x, map[string]any{"resultType": "complete", "content": fault.Text("A crane is hired: " + string(said))})
}

// hostile are states that the server does not survive.
func hostile() []fault.Fault {
	state := func(fits func(state string) bool) fault.When {
		return fault.Tool(tool).And(func(x fault.Exchange) bool {
			given, ok := x.Param("requestState").(string)
			return ok && fits(given)
		})
	}
	row := func(slug, what string, fits func(state string) bool) fault.Fault {
		return fault.Fault{
			Name: "mrtr-state-" + slug + "-ends-process", Title: what + " as requestState ends the process", Kills: []string{"mrtr/state-" + slug},
			Inbound: state(fits).Exit(1),
		}
	}
	begins := func(with string) func(string) bool {
		return func(state string) bool { return strings.HasPrefix(state, with) }
	}
	return []fault.Fault{
		{
			Breaks: "mrtr-state-untrusted", In: fault.OverStdio(requirements.R20260728), Each: []fault.Fault{
				row("empty", "an empty string", func(state string) bool { return state == "" }),
				row("long", "a long text", func(state string) bool { return len(state) > 1<<15 }),
				row("binary", "a control character", begins("\x00")),
				row("json", "an object in JSON", begins("{")),
				row("serialized", "a serialized object", begins("rO0AB")),
			},
		},
		{
			Name: "mrtr-state-json-hangs", Title: "a call with JSON as requestState is never answered", Breaks: "mrtr-state-untrusted", Hangs: true,
			Kills: []string{"mrtr/state-json"}, Inbound: state(begins("{")).Hang(),
		},
	}
}

// malformed are faults in what the server makes of answers that are malformed or missing.
func malformed() []fault.Fault {
	done := map[string]any{"resultType": "complete", "content": fault.Text("No crane is hired.")}
	whole := func(slug, what string, fits func(responses any) bool) fault.Fault {
		return fault.Fault{
			Name: "mrtr-responses-" + slug + "-taken", Title: "a call with " + what + " as inputResponses is completed",
			Kills:   []string{"mrtr/responses-" + slug},
			Inbound: fault.Tool(tool).And(func(x fault.Exchange) bool { return fits(x.Param("inputResponses")) }).Answer(done),
		}
	}
	one := func(slug, what string, fits func(answer any) bool) fault.Fault {
		return fault.Fault{
			Name: "mrtr-answer-" + slug + "-taken", Title: "a call with " + what + " for an answer is completed",
			Kills: []string{"mrtr/answer-" + slug},
			Inbound: responding(func(responses map[string]any) bool {
				return slices.ContainsFunc(slices.Collect(maps.Values(responses)), fits)
			}).Answer(done),
		}
	}
	return []fault.Fault{
		{
			Breaks: "mrtr-malformed-responses-error", Each: []fault.Fault{
				whole("array", "an array", func(v any) bool { _, ok := v.([]any); return ok }),
				whole("string", "a string", func(v any) bool { _, ok := v.(string); return ok }),
				whole("number", "a number", func(v any) bool { _, ok := v.(float64); return ok }),
			},
		},
		{
			Breaks: "mrtr-responses-validated", Each: []fault.Fault{
				one("null", "null", func(v any) bool { return v == nil }),
				one("number", "a number", func(v any) bool { _, ok := v.(float64); return ok }),
				{
					Name: "mrtr-any-action", Title: "an answer with any action but decline and cancel counts as accepted",
					Kills: []string{"mrtr/answer-action"}, Skip: []fault.Check{fault.CheckAction},
				},
			},
		},
		{
			Name: "mrtr-unasked-refused", Title: "a call with an answer that was not asked for is refused", Breaks: "mrtr-extra-responses-ignored",
			Inbound: responding(func(responses map[string]any) bool { return responses["kit-unasked"] != nil }).
				Refuse(-32602, "there is no such question"),
		},
		{
			Breaks: "mrtr-missing-responses-reprompt", Each: []fault.Fault{
				{
					Name: "mrtr-no-answers-refused", Title: "a call that is repeated without answers is refused", Kills: []string{"mrtr/answers-missing"},
					Inbound: responding(func(responses map[string]any) bool { return len(responses) == 0 }).Refuse(-32602, "no question is answered"),
				},
				{
					Name: "mrtr-one-answer-refused", Title: "a call that is repeated with one of two answers is refused",
					Kills: []string{"mrtr/one-answer-missing"},
					Inbound: responding(func(responses map[string]any) bool {
						return len(responses) == 1 && responses["question-2"] != nil
					}).Refuse(-32602, "a question is not answered"),
				},
			},
		},
		{
			Name: "mrtr-waits-for-answers", Title: "a call is held as long as many others wait for answers", Breaks: "mrtr-no-assumed-retry",
			Hangs: true,
			In:    fault.OverStdio(requirements.R20260728), Inbound: fault.Tool(tool).And(crowded).Hang(),
		},
	}
}

// crowded reports whether ten calls in a row were asked and brought no answers.
func crowded(x fault.Exchange) bool {
	waiting := 0
	for _, asked := range x.Past {
		before := fault.Exchange{Method: asked.Method, Params: asked.Params}
		switch {
		case before.Tool() != tool:
		case before.Param("inputResponses") != nil:
			waiting = 0
		default:
			waiting++
		}
	}
	return x.Param("inputResponses") == nil && waiting > 10
}
