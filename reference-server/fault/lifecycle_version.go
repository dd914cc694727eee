package fault

import "github.com/mcp-conform/mcp-conform/suites/requirements"

func lifecycleVersion() []Fault {
	var all []Fault
	for _, r := range requirements.Revisions() {
		if !r.Modern() {
			all = append(all, notEchoed(r))
		}
	}
	offers := []string{"lifecycle/counter-offer-past", "lifecycle/counter-offer-future", "lifecycle/counter-offer-no-date"}
	return append(all,
		Fault{
			Name:   "lifecycle-counter-offer-echoes",
			Title:  "initialize agrees to a revision the server does not have",
			Breaks: "lifecycle-version-counter-offer",
			Kills:  offers,
			Negotiate: func(asked string, _ requirements.Revision) string {
				return asked
			},
		},
		Fault{
			Name:      "lifecycle-counter-offer-empty",
			Title:     "the answer to an unknown revision names none",
			Breaks:    "lifecycle-version-counter-offer",
			Kills:     offers,
			Negotiate: insteadOfUnknown(""),
		},
		Fault{
			Name:   "lifecycle-counter-offer-refused",
			Title:  "an initialize that names an unknown revision is refused with a code of the server's own",
			Breaks: "lifecycle-version-counter-offer",
			Kills:  offers[:2],
			Inbound: func(x Exchange) Verdict {
				asked, _ := x.Param("protocolVersion").(string)
				if x.Method != "initialize" || asked == "" || requirements.Revision(asked).Known() {
					return Verdict{}
				}
				return Verdict{Instead: true, Answer: []Message{x.Refusal(-32000, "the revision is unknown")}}
			},
		},
		Fault{
			Name:      "lifecycle-counter-offer-oldest",
			Title:     "the oldest revision is offered in place of an unknown one",
			Breaks:    "lifecycle-version-counter-offer-latest",
			Kills:     []string{"lifecycle/counter-offer-latest"},
			Negotiate: insteadOfUnknown("2024-11-05"),
		},
		Fault{
			Name:   "lifecycle-counter-offer-unusable",
			Title:  "a revision is offered that a second initialize does not get",
			Breaks: "lifecycle-version-counter-offer-usable",
			Kills:  []string{"lifecycle/counter-offer-usable"},
			Negotiate: func(asked string, agreed requirements.Revision) string {
				const promised = "2025-04-01"
				if asked == promised {
					return string(agreed)
				}
				return insteadOfUnknown(promised)(asked, agreed)
			},
		},
	)
}

// notEchoed answers an initialize that names the revision with the next older
// or newer one, although discovery lists it.
func notEchoed(r requirements.Revision) Fault {
	instead := requirements.R20250618
	if r == instead {
		instead = requirements.R20251125
	}
	return Fault{
		Name:   "lifecycle-version-not-echoed-" + string(r),
		Title:  "an initialize that names " + string(r) + " is answered with another revision, although that one is listed",
		Breaks: "lifecycle-version-echo-supported",
		Kills:  []string{"lifecycle/version-echo-" + string(r)},
		In:     overStdio(instead),
		Negotiate: func(_ string, agreed requirements.Revision) string {
			if agreed == r {
				return string(instead)
			}
			return string(agreed)
		},
	}
}

func insteadOfUnknown(offer string) func(string, requirements.Revision) string {
	return func(asked string, agreed requirements.Revision) string {
		if r := requirements.Revision(asked); r.Known() && !r.Modern() {
			return string(agreed)
		}
		return offer
	}
}

func lifecycleContent() []Fault {
	inHandshake := func(change func(result Message)) func(Exchange, Message) []Message {
		return onResult("initialize", change)
	}
	return []Fault{
		{
			Name:   "lifecycle-capability-flag-text",
			Title:  "the listChanged flag of a capability is a text",
			Breaks: "lifecycle-capability-shapes",
			Kills:  []string{"lifecycle/capability-shapes"},
			Also:   []string{schemaToo},
			Reply: inHandshake(func(result Message) {
				result.Object("capabilities").Object("prompts")["listChanged"] = "yes"
			}),
		},
		{
			Name:   "lifecycle-capability-true",
			Title:  "a capability is declared as true instead of an object",
			Breaks: "lifecycle-capability-shapes",
			Kills:  []string{"lifecycle/capability-shapes"},
			Also:   []string{schemaToo},
			Reply: inHandshake(func(result Message) {
				result.Object("capabilities")["logging"] = true
			}),
		},
		{
			Name:   "lifecycle-server-title-list",
			Title:  "the title of the server is a list",
			Breaks: "lifecycle-serverinfo-fields",
			Kills:  []string{"lifecycle/server-info-fields"},
			Also:   []string{schemaToo},
			Reply: inHandshake(func(result Message) {
				result.Object("serverInfo")["title"] = []any{"Harbour"}
			}),
		},
		{
			Name:   "lifecycle-server-icons-text",
			Title:  "the icons of the server are a text",
			Breaks: "lifecycle-serverinfo-fields",
			Kills:  []string{"lifecycle/server-info-fields"},
			Also:   []string{schemaToo},
			In:     overStdio(requirements.R20251125), // unknown before, and then nobody's business
			Reply: inHandshake(func(result Message) {
				result.Object("serverInfo")["icons"] = "https://harbour.invalid/icon.png"
			}),
		},
		{
			Name:   "lifecycle-instructions-list",
			Title:  "the instructions of the handshake are a list",
			Breaks: "lifecycle-instructions-string",
			Kills:  []string{"lifecycle/instructions"},
			Also:   []string{schemaToo},
			Reply: inHandshake(func(result Message) {
				result["instructions"] = []any{"Ask for a berth first."}
			}),
		},
	}
}

func lifecycleOperation() []Fault {
	return []Fault{
		{
			Name:   "lifecycle-other-revision",
			Title:  "the server uses what the agreed revision does not have yet, or no more",
			Breaks: "lifecycle-respect-negotiated-version",
			Kills:  []string{"lifecycle/negotiated-version"},
			Also:   []string{"jsonrpc/batch-never-sent", "stdio/stdout-messages-only"}, // an array is no message of 2025-11-25
			In: []Column{
				{requirements.R20250326, requirements.Stdio},
				{requirements.R20250618, requirements.Stdio},
				{requirements.R20251125, requirements.Stdio},
			},
			Reply: tooEarly,
			Bytes: func(x Exchange, text []byte) []byte {
				if x.Revision != requirements.R20251125 || x.Method != "prompts/list" || text[0] == '[' {
					return text
				}
				return append(append([]byte("["), text...), ']')
			},
		},
		{
			Name:   "lifecycle-roots-undeclared",
			Title:  "the roots are asked of a client that declared none",
			Breaks: "lifecycle-only-negotiated-capabilities",
			Kills:  []string{"lifecycle/negotiated-capabilities"},
			In:     overStdio(requirements.R20250326),
			Reply: func(x Exchange, m Message) []Message {
				if x.Method != "tools/list" || x.Revision == "" {
					return []Message{m}
				}
				return []Message{ask(x, "roots/list", map[string]any{}), m}
			},
		},
		{
			Name:   "lifecycle-prompts-changed-undeclared",
			Title:  "a change of the prompts is told, which the server did not declare to do",
			Breaks: "lifecycle-only-negotiated-capabilities",
			Kills:  []string{"lifecycle/negotiated-capabilities"},
			In:     overStdio(requirements.R20251125),
			Reply: func(x Exchange, m Message) []Message {
				result, ok := m.Result()
				switch {
				case ok && x.Method == "initialize":
					delete(result.Object("capabilities").Object("prompts"), "listChanged")
				case ok && x.Method == "prompts/list":
					return []Message{tell("notifications/prompts/list_changed", map[string]any{}), m}
				}
				return []Message{m}
			},
		},
	}
}

// tooEarly sends ahead of a list what came with the next revision.
func tooEarly(x Exchange, m Message) []Message {
	switch {
	case x.Method != "tools/list" || x.Revision == "":
		return []Message{m}
	case x.Revision.Before(requirements.R20250618):
		return []Message{ask(x, "elicitation/create", map[string]any{
			"message": "Which pier?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}},
		}), m}
	case x.Revision.Before(requirements.R20251125):
		return []Message{tell("notifications/tasks/status", map[string]any{
			"taskId": "1", "status": "working", "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": nil,
		}), m}
	}
	return []Message{m}
}
