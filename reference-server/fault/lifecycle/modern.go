package lifecycle

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// noTools answers with an empty list of tools in the form of the revision.
func noTools(x fault.Exchange) fault.Verdict {
	return fault.Answer(x, map[string]any{
		"tools": []any{}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
	})
}

func unsupported() []fault.Fault {
	return []fault.Fault{
		{Breaks: "lifecycle-unsupported-version-error", Each: []fault.Fault{{
			Name:  "lifecycle-unsupported-version-other-code",
			Title: "tools/list at an unknown revision is rejected as invalid params",
			Reply: onUnsupported(func(failure fault.Message) { failure["code"] = -32602 }),
		}, {
			Name: "lifecycle-unsupported-version-served", Title: "tools/list at an unknown revision is served",
			In: fault.OverStdio(requirements.R20260728),
			Inbound: func(x fault.Exchange) fault.Verdict {
				if x.Method == "tools/list" && fault.Foreign(x) {
					return noTools(x)
				}
				return fault.Verdict{}
			},
		}, {
			Name: "lifecycle-unsupported-future-served", Title: "tools/list at a future revision is served",
			In: fault.OverStdio(requirements.R20260728),
			Inbound: func(x fault.Exchange) fault.Verdict {
				version, _ := fault.Meta(x.Params, "protocolVersion").(string)
				if x.Method == "tools/list" && version > string(requirements.R20260728) {
					return noTools(x)
				}
				return fault.Verdict{}
			},
		}}},
		{Breaks: "lifecycle-unsupported-version-data", Each: []fault.Fault{{
			Name:  "lifecycle-unsupported-version-lists-legacy",
			Title: "the error for an unsupported revision lists only one that needs a handshake",
			Reply: onUnsupported(func(failure fault.Message) {
				failure.Object("data")["supported"] = []any{string(requirements.R20251125)}
			}),
		}, {
			Name:  "lifecycle-unsupported-version-no-list",
			Title: "the error for an unsupported revision does not list the supported ones",
			Reply: onUnsupported(func(failure fault.Message) { delete(failure.Object("data"), "supported") }),
		}, {
			Name:  "lifecycle-unsupported-version-lists-refused",
			Title: "the error for an unsupported revision lists that very revision",
			Reply: onUnsupported(func(failure fault.Message) {
				data := failure.Object("data")
				data["supported"] = []any{string(requirements.R20260728), data["requested"]}
			}),
		}, {
			Name:  "lifecycle-unsupported-version-not-repeated",
			Title: "the error for an unsupported revision does not repeat the requested one",
			Reply: onUnsupported(func(failure fault.Message) { delete(failure.Object("data"), "requested") }),
		}}},
		{
			Name:   "lifecycle-unsupported-version-promises",
			Title:  "the error for an unsupported revision lists another unsupported one",
			Breaks: "lifecycle-unsupported-version-list-accurate",
			Reply: onUnsupported(func(failure fault.Message) {
				failure.Object("data")["supported"] = []any{string(requirements.R20260728), "2027-03-01"}
			}),
		},
	}
}

func perRequest() []fault.Fault {
	modern := fault.OverStdio(requirements.R20260728)
	return []fault.Fault{
		{Breaks: "lifecycle-version-checked-per-request", In: modern, Each: []fault.Fault{{
			Name:  "lifecycle-version-accepted-for-good",
			Title: "after one request at a supported revision, the connection accepts every revision",
			Inbound: func(x fault.Exchange) fault.Verdict {
				served := slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return fault.Current(a.Params) })
				if x.Method == "tools/list" && fault.Foreign(x) && served {
					return noTools(x)
				}
				return fault.Verdict{}
			},
		}, {
			Name:  "lifecycle-version-refused-for-good",
			Title: "after one request at an unknown revision, the connection rejects every request",
			May:   []string{"errors/defined-codes"},
			Inbound: func(x fault.Exchange) fault.Verdict {
				// The kit tries discovery and other revisions on refused connections
				// too.
				refused := slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return fault.Foreign(fault.Exchange{Params: a.Params}) })
				if x.Method != "tools/list" || !fault.Current(x.Params) || !refused {
					return fault.Verdict{}
				}
				m := x.Refusal(-32022, "the protocol version is not served")
				m.Object("error")["data"] = map[string]any{"supported": []any{string(requirements.R20260728)}, "requested": "1900-01-01"}
				return fault.Verdict{Instead: true, Answer: []fault.Message{m}}
			},
		}}},
	}
}

// onUnsupported changes the errors that refuse a revision, except in answers to
// discovery.
func onUnsupported(change func(failure fault.Message)) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if failure, _ := m["error"].(map[string]any); failure["code"] == -32022 && x.Method != "server/discover" {
			change(failure)
		}
	}
}

func stateless() []fault.Fault {
	modern := fault.OverStdio(requirements.R20260728)
	return []fault.Fault{
		{
			Name:   "lifecycle-state-per-connection",
			Title:  "a logbook can be read only on the connection on which it was opened",
			Breaks: "lifecycle-explicit-state-handle", In: fault.OverHTTP(requirements.R20260728), StatePerConnection: true,
		},
		{In: modern, Each: []fault.Fault{{
			Name: "lifecycle-first-list-refused", Title: "prompts/list is rejected as the first request of a connection",
			Breaks: "lifecycle-no-handshake-needed",
			Inbound: fault.When(func(x fault.Exchange) bool {
				return x.Method == "prompts/list" && x.Param("cursor") == nil && fault.Current(x.Params) && len(x.Past) == 0
			}).Refuse(-32600, "ask for server/discover first"),
		}, {
			Name:   "lifecycle-capabilities-remembered",
			Title:  "the server keeps sending elicitation to a client that declared it in an earlier request",
			Breaks: "lifecycle-no-connection-context", Kills: []string{"lifecycle/capabilities-not-remembered"},
			Inbound: rememberElicitation,
		}, {
			Name:   "lifecycle-one-client-per-connection",
			Title:  "requests of a second client on the same connection are rejected",
			Breaks: "lifecycle-interleaved-conversations",
			May:    []string{"discover/without-client-info", "meta/client-info-ignored"}, // discover/without-client-info names no client
			Inbound: fault.When(func(x fault.Exchange) bool {
				first := slices.IndexFunc(x.Past, func(a fault.Asked) bool { return fault.Current(a.Params) })
				return first >= 0 && fault.Current(x.Params) && fault.Client(x.Params) != fault.Client(x.Past[first].Params)
			}).Refuse(-32600, "the connection belongs to another client"),
		}, {
			Name: "lifecycle-cursor-of-connection", Title: "a cursor works only on the connection that it was issued on",
			Breaks: "lifecycle-no-connection-affinity",
			Inbound: fault.When(func(x fault.Exchange) bool {
				return x.Param("cursor") != nil && !(x.After(x.Method))
			}).Refuse(-32602, "the cursor was not issued here"),
		}}},
	}
}

const elicitingTool = "test_elicitation"

// rememberElicitation makes the asking tool treat a request as if it declared
// elicitation when an earlier request on the connection did.
func rememberElicitation(x fault.Exchange) fault.Verdict {
	declares := func(params json.RawMessage) bool {
		capabilities, _ := fault.Meta(params, "clientCapabilities").(map[string]any)
		return capabilities["elicitation"] != nil
	}
	declared := slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return declares(a.Params) })
	if x.Tool() != elicitingTool || !declared || declares(x.Params) || x.Param("inputResponses") != nil {
		return fault.Verdict{}
	}
	return fault.Answer(x, map[string]any{
		"resultType": "input_required",
		"inputRequests": map[string]any{"user_name": map[string]any{
			"method": "elicitation/create",
			"params": map[string]any{
				"mode": "form", "message": "What is your name?",
				"requestedSchema": map[string]any{
					"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []any{"name"},
				},
			},
		}},
	})
}
