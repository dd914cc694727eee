package fault

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const metaPrefix = "io.modelcontextprotocol/"

// meta is a member of the protocol's own metadata in some params.
func meta(params json.RawMessage, name string) any {
	var read struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(params, &read) != nil {
		return nil
	}
	return read.Meta[metaPrefix+name]
}

func current(params json.RawMessage) bool {
	return meta(params, "protocolVersion") == string(requirements.R20260728)
}

// foreign says that the request names a revision which is not served.
func foreign(x Exchange) bool {
	version, named := meta(x.Params, "protocolVersion").(string)
	return named && version != string(requirements.R20260728)
}

// noTools is a list of tools as the revision wants it.
func noTools(x Exchange) Verdict {
	return Verdict{Instead: true, Answer: []Message{x.Answer(map[string]any{
		"tools": []any{}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
	})}}
}

func lifecycleUnsupported() []Fault {
	return []Fault{
		{
			Name:   "lifecycle-unsupported-version-other-code",
			Title:  "a list at an unknown revision is refused as bad parameters",
			Breaks: "lifecycle-unsupported-version-error",
			Kills:  []string{"lifecycle/unsupported-version"},
			Reply:  onUnsupported(func(failure Message) { failure["code"] = -32602 }),
		},
		{
			Name:   "lifecycle-unsupported-version-served",
			Title:  "a list at an unknown revision is served",
			Breaks: "lifecycle-unsupported-version-error",
			Kills:  []string{"lifecycle/unsupported-version"},
			In:     overStdio(requirements.R20260728),
			Inbound: func(x Exchange) Verdict {
				if x.Method == "tools/list" && foreign(x) {
					return noTools(x)
				}
				return Verdict{}
			},
		},
		{
			Name:   "lifecycle-unsupported-future-served",
			Title:  "a list at a revision that is yet to come is served",
			Breaks: "lifecycle-unsupported-version-error",
			Kills:  []string{"lifecycle/unsupported-version"},
			In:     overStdio(requirements.R20260728),
			Inbound: func(x Exchange) Verdict {
				version, _ := meta(x.Params, "protocolVersion").(string)
				if x.Method == "tools/list" && version > string(requirements.R20260728) {
					return noTools(x)
				}
				return Verdict{}
			},
		},
		{
			Name:   "lifecycle-unsupported-version-lists-legacy",
			Title:  "the refusal of a revision lists only one that takes a handshake",
			Breaks: "lifecycle-unsupported-version-data",
			Kills:  []string{"lifecycle/unsupported-version-data"},
			Reply: onUnsupported(func(failure Message) {
				failure.Object("data")["supported"] = []any{string(requirements.R20251125)}
			}),
		},
		{
			Name:   "lifecycle-unsupported-version-no-list",
			Title:  "the refusal of a revision does not say which are served",
			Breaks: "lifecycle-unsupported-version-data",
			Kills:  []string{"lifecycle/unsupported-version-data"},
			Reply:  onUnsupported(func(failure Message) { delete(failure.Object("data"), "supported") }),
		},
		{
			Name:   "lifecycle-unsupported-version-lists-refused",
			Title:  "the refusal of a revision lists that very revision",
			Breaks: "lifecycle-unsupported-version-data",
			Kills:  []string{"lifecycle/unsupported-version-data"},
			Reply: onUnsupported(func(failure Message) {
				data := failure.Object("data")
				data["supported"] = []any{string(requirements.R20260728), data["requested"]}
			}),
		},
		{
			Name:   "lifecycle-unsupported-version-not-repeated",
			Title:  "the refusal of a revision does not repeat it",
			Breaks: "lifecycle-unsupported-version-data",
			Kills:  []string{"lifecycle/unsupported-version-data"},
			Reply:  onUnsupported(func(failure Message) { delete(failure.Object("data"), "requested") }),
		},
		{
			Name:   "lifecycle-unsupported-version-promises",
			Title:  "the refusal of a revision lists one that is refused as well",
			Breaks: "lifecycle-unsupported-version-list-accurate",
			Kills:  []string{"lifecycle/offered-versions-served"},
			Reply: onUnsupported(func(failure Message) {
				failure.Object("data")["supported"] = []any{string(requirements.R20260728), "2027-03-01"}
			}),
		},
	}
}

func lifecyclePerRequest() []Fault {
	modern := overStdio(requirements.R20260728)
	return []Fault{
		{
			Name:   "lifecycle-version-accepted-for-good",
			Title:  "after one request at a served revision any revision passes on the connection",
			Breaks: "lifecycle-version-checked-per-request",
			Kills:  []string{"lifecycle/version-per-request"},
			In:     modern,
			Inbound: func(x Exchange) Verdict {
				served := slices.ContainsFunc(x.Past, func(a Asked) bool { return a.Method == x.Method && current(a.Params) })
				if x.Method == "tools/list" && foreign(x) && served {
					return noTools(x)
				}
				return Verdict{}
			},
		},
		{
			Name:   "lifecycle-version-refused-for-good",
			Title:  "after one request at an unknown revision everything is refused on the connection",
			Breaks: "lifecycle-version-checked-per-request",
			Kills:  []string{"lifecycle/version-per-request"},
			In:     modern,
			Inbound: func(x Exchange) Verdict {
				// Discovery and other revisions are tried on refused connections too.
				refused := slices.ContainsFunc(x.Past, func(a Asked) bool { return foreign(Exchange{Params: a.Params}) })
				if x.Method != "tools/list" || !current(x.Params) || !refused {
					return Verdict{}
				}
				m := x.Refusal(-32022, "the protocol version is not served")
				m.Object("error")["data"] = map[string]any{"supported": []any{string(requirements.R20260728)}, "requested": "1900-01-01"}
				return Verdict{Instead: true, Answer: []Message{m}}
			},
		},
	}
}

// onUnsupported changes the errors that refuse a revision, except those that
// answer discovery.
func onUnsupported(change func(failure Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if failure, _ := m["error"].(map[string]any); failure["code"] == -32022 && x.Method != "server/discover" {
			change(failure)
		}
		return []Message{m}
	}
}

func lifecycleStateless() []Fault {
	modern := overStdio(requirements.R20260728)
	return []Fault{
		{
			Name:               "lifecycle-state-per-connection",
			Title:              "a logbook can be read only on the connection on which it was opened",
			Breaks:             "lifecycle-explicit-state-handle",
			Kills:              []string{"lifecycle/state-handle"},
			In:                 []Column{{requirements.R20260728, requirements.HTTP}},
			StatePerConnection: true,
		},
		{
			Name:   "lifecycle-first-list-refused",
			Title:  "a list is refused when nothing else was asked on the connection before",
			Breaks: "lifecycle-no-handshake-needed",
			Kills:  []string{"lifecycle/no-handshake"},
			In:     modern,
			Inbound: func(x Exchange) Verdict {
				if x.Method != "prompts/list" || x.Param("cursor") != nil || !current(x.Params) || len(x.Past) > 0 {
					return Verdict{}
				}
				return Verdict{Instead: true, Answer: []Message{x.Refusal(-32600, "ask for server/discover first")}}
			},
		},
		{
			Name:    "lifecycle-capabilities-remembered",
			Title:   "a client that once declared elicitation is asked by it for good",
			Breaks:  "lifecycle-no-connection-context",
			Kills:   []string{"lifecycle/capabilities-not-remembered"},
			In:      modern,
			Inbound: rememberElicitation,
		},
		{
			Name:   "lifecycle-one-client-per-connection",
			Title:  "requests of a second client on the connection are refused",
			Breaks: "lifecycle-interleaved-conversations",
			Kills:  []string{"lifecycle/interleaved"},
			In:     modern,
			Inbound: func(x Exchange) Verdict {
				first := slices.IndexFunc(x.Past, func(a Asked) bool { return current(a.Params) })
				if first < 0 || !current(x.Params) || client(x.Params) == client(x.Past[first].Params) {
					return Verdict{}
				}
				return Verdict{Instead: true, Answer: []Message{x.Refusal(-32600, "the connection belongs to another client")}}
			},
		},
		{
			Name:   "lifecycle-cursor-of-connection",
			Title:  "a cursor is good on the connection only that it was issued on",
			Breaks: "lifecycle-no-connection-affinity",
			Kills:  []string{"lifecycle/pages-across-connections"},
			In:     modern,
			Inbound: func(x Exchange) Verdict {
				if x.Param("cursor") == nil || x.After(x.Method) {
					return Verdict{}
				}
				return Verdict{Instead: true, Answer: []Message{x.Refusal(-32602, "the cursor was not issued here")}}
			},
		},
	}
}

func client(params json.RawMessage) any {
	info, _ := meta(params, "clientInfo").(map[string]any)
	return info["name"]
}

const elicitingTool = "test_input_required_result_elicitation"

// rememberElicitation makes the tool that asks take a request for one that
// declares elicitation, when a request before it on the connection did.
func rememberElicitation(x Exchange) Verdict {
	declares := func(params json.RawMessage) bool {
		capabilities, _ := meta(params, "clientCapabilities").(map[string]any)
		return capabilities["elicitation"] != nil
	}
	declared := slices.ContainsFunc(x.Past, func(a Asked) bool { return declares(a.Params) })
	if x.Tool() != elicitingTool || !declared || declares(x.Params) || x.Param("inputResponses") != nil {
		return Verdict{}
	}
	return Verdict{Instead: true, Answer: []Message{x.Answer(map[string]any{
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
	})}}
}
