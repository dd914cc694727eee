package lifecycle

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func version() []fault.Fault {
	var all []fault.Fault
	for _, r := range requirements.Revisions() {
		if !r.Modern() {
			all = append(all, notEchoed(r))
		}
	}
	offers := []string{"lifecycle/counter-offer-past", "lifecycle/counter-offer-future", "lifecycle/counter-offer-no-date"}
	return append(all,
		fault.Fault{
			Name: "lifecycle-counter-offer-echoes", Title: "initialize agrees to a revision the server does not have",
			Breaks:    "lifecycle-version-counter-offer",
			Negotiate: func(asked string, _ requirements.Revision) string { return asked },
		},
		fault.Fault{
			Name: "lifecycle-counter-offer-echoes-past", Title: "initialize agrees to any date from 2020 on that is past",
			Breaks: "lifecycle-version-counter-offer", Kills: offers[:1],
			In: fault.OverHTTP(requirements.R20251125), // over stdio the reference server answers one initialize alone
			Negotiate: func(asked string, agreed requirements.Revision) string {
				if asked >= "2020-01-01" && asked < string(requirements.R20251125) {
					return asked
				}
				return string(agreed)
			},
		},
		fault.Fault{
			Name: "lifecycle-counter-offer-empty", Title: "the answer to an unknown revision names none",
			Breaks: "lifecycle-version-counter-offer", Negotiate: insteadOfUnknown(""),
		},
		fault.Fault{
			Name:   "lifecycle-counter-offer-refused",
			Title:  "an initialize that names an unknown revision is rejected with a code of the server's own",
			Breaks: "lifecycle-version-counter-offer", Kills: offers[:2],
			Inbound: fault.When(func(x fault.Exchange) bool {
				asked, _ := x.Param("protocolVersion").(string)
				return x.Method == "initialize" && asked != "" && !(requirements.Revision(asked).Known())
			}).Refuse(-32000, "the revision is unknown"),
		},
		fault.Fault{
			Name: "lifecycle-counter-offer-oldest", Title: "the oldest revision is offered in place of an unknown one",
			Breaks: "lifecycle-version-counter-offer-latest", Negotiate: insteadOfUnknown("2024-11-05"),
		},
		fault.Fault{
			Name:   "lifecycle-counter-offer-unusable",
			Title:  "initialize offers a revision that a second initialize does not agree to",
			Breaks: "lifecycle-version-counter-offer-usable",
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

// notEchoed answers an initialize for the revision with the next older or newer one,
// although discovery lists the revision.
func notEchoed(r requirements.Revision) fault.Fault {
	instead := requirements.R20250618
	if r == instead {
		instead = requirements.R20251125
	}
	return fault.Fault{
		Name:   "lifecycle-version-not-echoed-" + string(r),
		Title:  "an initialize that names " + string(r) + " is answered with another revision, although that one is listed",
		Breaks: "lifecycle-version-echo-supported", Kills: []string{"lifecycle/version-echo-" + string(r)},
		In: fault.OverStdio(instead),
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

func content() []fault.Fault {
	inHandshake := func(change func(result fault.Message)) fault.Change { return fault.OnResult("initialize", change) }
	return []fault.Fault{{
		Name: "lifecycle-capability-flag-text", Title: "the listChanged property of a capability is a string",
		Breaks: "lifecycle-capability-shapes",
		Reply:  inHandshake(func(result fault.Message) { result.Object("capabilities").Object("prompts")["listChanged"] = "yes" }),
	}, {
		Name: "lifecycle-capability-true", Title: "a capability is declared as true instead of an object",
		Breaks: "lifecycle-capability-shapes",
		Reply:  inHandshake(func(result fault.Message) { result.Object("capabilities")["logging"] = true }),
	}, {
		Name: "lifecycle-server-title-list", Title: "the title of the server is an array",
		Breaks: "lifecycle-serverinfo-fields",
		Reply:  inHandshake(func(result fault.Message) { result.Object("serverInfo")["title"] = []any{"Harbour"} }),
	}, {
		Name: "lifecycle-server-icons-text", Title: "the icons of the server are a string",
		Breaks: "lifecycle-serverinfo-fields",
		In:     fault.OverStdio(requirements.R20251125), // older revisions have no icons, and no case judges them there
		Reply: inHandshake(func(result fault.Message) {
			result.Object("serverInfo")["icons"] = "https://harbour.invalid/icon.png"
		}),
	}, {
		Name: "lifecycle-instructions-list", Title: "the instructions in the initialize result are an array",
		Breaks: "lifecycle-instructions-string",
		Reply:  inHandshake(func(result fault.Message) { result["instructions"] = []any{"Ask for a berth first."} }),
	}}
}

func operation() []fault.Fault {
	return []fault.Fault{{
		Name:   "lifecycle-other-revision",
		Title:  "the server uses features that the agreed revision does not have yet",
		Breaks: "lifecycle-respect-negotiated-version",
		In:     fault.OverStdio(requirements.R20250326, requirements.R20250618, requirements.R20251125), Send: sendEarly,
	}, {
		Name: "lifecycle-roots-undeclared", Title: "the server sends roots/list to a client that did not declare roots",
		Breaks: "lifecycle-only-negotiated-capabilities", In: fault.OverStdio(requirements.R20250326),
		Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if x.Method != "tools/list" || x.Revision == "" || m["method"] != nil {
				return []fault.Message{m}
			}
			return []fault.Message{serverRequest(x, "roots/list", map[string]any{}), m}
		},
	}, {
		Name:   "lifecycle-prompts-changed-undeclared",
		Title:  "the server sends notifications/prompts/list_changed without declaring it",
		Breaks: "lifecycle-only-negotiated-capabilities", In: fault.OverStdio(requirements.R20251125),
		Reply: fault.Drop("initialize", "/result/capabilities/prompts/listChanged"),
		Send:  fault.On("prompts/list").Before(notification("notifications/prompts/list_changed", map[string]any{})),
	}}
}

// sendEarly sends a message of the next revision before a list.
func sendEarly(x fault.Exchange, m fault.Message) []fault.Message {
	switch {
	case x.Method != "tools/list" || x.Revision == "" || m["method"] != nil:
		return []fault.Message{m}
	case x.Revision.Before(requirements.R20250618):
		return []fault.Message{serverRequest(x, "elicitation/create", map[string]any{
			"message": "Which pier?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}},
		}), m}
	case x.Revision.Before(requirements.R20251125):
		return []fault.Message{notification("notifications/tasks/status", map[string]any{
			"taskId": "1", "status": "working", "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": nil,
		}), m}
	case x.Revision == requirements.R20251125:
		return []fault.Message{notification("notifications/subscriptions/acknowledged", map[string]any{"notifications": map[string]any{}}), m}
	}
	return []fault.Message{m}
}
