// Package elicitation holds the ways to break client/elicitation.
package elicitation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const create = "elicitation/create"

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	return slices.Concat(declared(), forms(), urls(), completion(), answers())
}

func declared() []fault.Fault {
	return []fault.Fault{
		{
			Name: "elicitation-undeclared", Title: "any client is asked by elicitation", Breaks: "elicitation-only-if-declared",
			Skip: []fault.Check{fault.CheckClientCapability},
			May: []string{
				"elicitation/no-url-undeclared", "elicitation/no-form-undeclared", "lifecycle/negotiated-capabilities", "meta/undeclared-capability",
				"sampling/only-if-declared", "sampling/tools-only-if-declared", "roots/only-if-declared",
			},
		}, {
			Name: "elicitation-any-mode", Title: "a client is asked by a mode that it does not declare", Breaks: "elicitation-mode-supported",
			Skip: []fault.Check{fault.CheckClientMode}, May: []string{"sampling/tools-only-if-declared"},
		},
	}
}

// form changes the forms that the server asks to be filled in.
func form(change func(form fault.Message)) func(fault.Exchange, fault.Message) {
	return func(_ fault.Exchange, params fault.Message) {
		if params["requestedSchema"] != nil {
			change(params.Object("requestedSchema"))
		}
	}
}

// asksFor adds a field to the forms.
func asksFor(name string, schema map[string]any) func(fault.Exchange, fault.Message) {
	return form(func(form fault.Message) { form.Object("properties")[name] = schema })
}

func forms() []fault.Fault {
	titled := map[string]any{"type": "string", "oneOf": []any{map[string]any{"const": "a"}, map[string]any{"const": "b"}}}
	return []fault.Fault{
		fault.Fault{
			Name: "elicitation-without-message", Title: "a form has no message", Breaks: "elicitation-request-schema",
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			if params["requestedSchema"] != nil {
				delete(params, "message")
			}
		}),
		fault.Fault{
			Name: "elicitation-mode-dialog", Title: "a form has the mode dialog", Breaks: "elicitation-form-mode",
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			if params["requestedSchema"] != nil {
				params["mode"] = "dialog"
			}
		}),
		fault.Fault{
			Name: "elicitation-nested-form", Title: "a field of a form is an object", Breaks: "elicitation-schema-flat",
		}.Asking(create, asksFor("address", map[string]any{"type": "object", "properties": map[string]any{}})),
		fault.Fault{
			Name: "elicitation-string-formats-phone", Title: "a form asks for a string with the format phone",
			Breaks: "elicitation-string-formats",
		}.Asking(create, asksFor("phone", map[string]any{"type": "string", "format": "phone"})),
		fault.Fault{
			Name: "elicitation-untitled-constants", Title: "the choices of a field are constants without titles",
			Breaks: "elicitation-enum-forms",
		}.Asking(create, asksFor("berth", titled)),
		fault.Fault{
			Name: "elicitation-numbers-to-choose", Title: "the choices of a string are numbers", Breaks: "elicitation-enum-legacy",
		}.Asking(create, asksFor("berth", map[string]any{"type": "string", "enum": []any{1, 2}})),
		fault.Fault{
			Name: "elicitation-default-text", Title: "the default of a boolean is a string", Breaks: "elicitation-default-types",
		}.Asking(create, asksFor("insured", map[string]any{"type": "boolean", "default": "yes"})),
		fault.Fault{
			Name: "elicitation-default-outside", Title: "the default of a field is none of its choices", Breaks: "elicitation-default-types",
			May: []string{"elicitation/answer-validated"},
		}.Asking(create, asksFor("berth", map[string]any{"type": "string", "enum": []any{"A1", "A2"}, "default": "B1"})),
		fault.Fault{
			Name: "elicitation-form-link", Title: "the message of a form shows an address", Breaks: "elicitation-form-no-links",
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			if params["requestedSchema"] != nil {
				params["message"] = "Copy your number from https://harbour.test/papers into the form."
			}
		}),
		fault.Fault{
			Name: "elicitation-password", Title: "a form asks for a password", Breaks: "elicitation-form-no-secrets",
		}.Asking(create, asksFor("password", map[string]any{"type": "string"})),
		fault.Fault{
			Name: "elicitation-service-token", Title: "a form asks for the access token of a service", Breaks: "elicitation-form-no-secrets",
		}.Asking(create, asksFor("token", map[string]any{"type": "string", "title": "HarbourHub personal access token"})),
		fault.Fault{
			Name: "elicitation-account-password", Title: "a form asks for the password of an account elsewhere",
			Breaks: "elicitation-form-no-secrets",
		}.Asking(create, asksFor("github_password", map[string]any{"type": "string"})),
		fault.Fault{
			Name: "elicitation-card-by-form", Title: "a form asks for a card number", Breaks: "elicitation-secrets-by-url",
		}.Asking(create, asksFor("number", map[string]any{"type": "string", "title": "Card number"})),
	}
}

// visits changes the questions that want a URL visited.
func visits(name string, value any) func(fault.Exchange, fault.Message) {
	return func(_ fault.Exchange, params fault.Message) {
		if params["mode"] == "url" {
			params[name] = value
		}
	}
}

func urls() []fault.Fault {
	return []fault.Fault{
		fault.Fault{
			Name: "elicitation-url-without-message", Title: "an elicitation by URL has no message", Breaks: "elicitation-url-fields",
			Kills: []string{"elicitation/url-fields"},
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			if params["mode"] == "url" {
				delete(params, "message")
			}
		}),
		fault.Fault{
			Name: "elicitation-url-without-id", Title: "an elicitation by URL has no id", Breaks: "elicitation-url-fields",
			Kills: []string{"elicitation/url-fields"}, Silent: []string{"elicitation/completion-id"}, In: fault.OverStdio("2025-11-25"),
		}.Asking(create, func(_ fault.Exchange, params fault.Message) {
			if params["mode"] == "url" {
				delete(params, "elicitationId")
			}
		}),
		fault.Fault{
			Name: "elicitation-url-relative", Title: "the URL of an elicitation is a path", Breaks: "elicitation-url-valid",
		}.Asking(create, visits("url", "/permits/7")),
		fault.Fault{
			Name: "elicitation-url-plain", Title: "the URL of an elicitation begins with http", Breaks: "elicitation-url-https",
		}.Asking(create, visits("url", "http://harbour.example/permits/7")),
		fault.Fault{
			Name: "elicitation-url-script", Title: "the URL of an elicitation is a script", Breaks: "elicitation-url-https",
		}.Asking(create, visits("url", "javascript:location.assign('//harbour.example/permits/7')")),
		fault.Fault{
			Name: "elicitation-url-names-user", Title: "the URL of an elicitation holds the user's address of mail",
			Breaks: "elicitation-url-no-personal-data",
		}.Asking(create, visits("url", "https://harbour.example/permits?user=captain%40harbour.example")),
		fault.Fault{
			Name: "elicitation-url-token", Title: "the URL of an elicitation carries an access token",
			Breaks: "elicitation-url-not-preauthenticated",
		}.Asking(create, visits("url", "https://harbour.example/permits?access_token=6f1c2b")),
		fault.Fault{
			Name: "elicitation-url-client-secret", Title: "the URL of an elicitation carries the secret of a client",
			Breaks: "elicitation-url-not-preauthenticated",
		}.Asking(create, visits("url", "https://harbour.example/permits?client_id=office&client_secret=6f1c2b")),
	}
}

const complete = "notifications/elicitation/complete"

func completion() []fault.Fault {
	listed := func(pointer string, value any) fault.Change {
		return fault.Tool("sign_permit").Set("/error/data/elicitations"+pointer, value)
	}
	return []fault.Fault{
		{
			Name: "elicitation-same-id", Title: "all elicitations by URL have one id", Breaks: "elicitation-id-unique",
			Notify: fault.Changes(fault.Asks(create, visits("elicitationId", "permit")), fault.Set(complete, "/params/elicitationId", "permit")),
			Reply:  listed("/*/elicitationId", "permit"),
		}, {
			Name: "elicitation-completes-unknown", Title: "the notice of completion has an id of its own",
			Breaks: "elicitation-complete-notification-id", Notify: fault.Set(complete, "/params/elicitationId", "done"),
		}, {
			Name: "elicitation-completion-for-all", Title: "every client is told the end of an elicitation",
			Breaks: "elicitation-complete-notification-target", Skip: []fault.Check{fault.CheckAsked},
			May: []string{"ext-push/only-subscribed"}, Silent: []string{"elicitation/completion-id"},
			In: fault.OverHTTP("2025-11-25"),
		}, {
			Name: "elicitation-required-for-ever", Title: "error -32042 comes although the page was visited",
			Breaks: "elicitation-required-error-only-when-needed",
			Reply: fault.Tool("sign_permit").Change(func(x fault.Exchange, m fault.Message) {
				if says(m, "is signed.") {
					m.Become(x.Refusal(-32042, "the permit has to be signed first"))
					m.Object("error")["data"] = map[string]any{"elicitations": []any{map[string]any{
						"mode": "url", "elicitationId": "7", "url": "https://harbour.example/permits/7", "message": "The harbour needs a signature.",
					}}}
				}
			}),
		},
		{
			Name: "elicitation-required-empty", Title: "error -32042 lists no elicitation", Breaks: "elicitation-required-error-list",
			Reply: listed("", []any{}),
		}, {
			Name: "elicitation-required-form", Title: "error -32042 lists an elicitation by form", Breaks: "elicitation-required-error-url-mode",
			Reply: listed("/*/mode", "form"),
		}, {
			Name: "elicitation-required-without-url", Title: "error -32042 lists an elicitation without its URL", Breaks: "elicitation-url-fields",
			Kills: []string{"elicitation/required-error-mode"}, Reply: fault.Drop("tools/call", "/error/data/elicitations/*/url"),
			In: fault.OverStdio("2025-11-25"),
		},
	}
}

// says reports whether a message holds a text.
func says(m fault.Message, text string) bool {
	written, err := json.Marshal(m)
	return err == nil && strings.Contains(string(written), text)
}

// unanswered swallows the answers to calls that hold a text.
func unanswered(text string) func(fault.Exchange, fault.Message) []fault.Message {
	return func(x fault.Exchange, m fault.Message) []fault.Message {
		if _, asks := m["method"]; x.Method == "tools/call" && !asks && says(m, text) {
			return nil
		}
		return []fault.Message{m}
	}
}

// taken are results that show an answer with an action as if it were accept.
func taken(action string) fault.Change {
	return fault.OnTool("test_elicitation", func(result fault.Message) {
		content, _ := result["content"].([]any)
		for _, each := range content {
			block, _ := each.(map[string]any)
			text, _ := block["text"].(string)
			block["text"] = strings.ReplaceAll(text, "action="+action+", content={", "action=accept, content={")
		}
	})
}

func answers() []fault.Fault {
	hangs := func(name, title, kills, text string, in ...fault.Column) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Kills: []string{kills}, May: []string{"elicitation/read-only-tools-answer"}, Send: unanswered(text), In: in,
		}
	}
	return []fault.Fault{
		{
			Breaks: "elicitation-decline-cancel-handled", Hangs: true,
			Each: []fault.Fault{
				hangs("elicitation-decline-hangs", "a call is never answered once the user declines", "elicitation/decline", "action=decline"),
				hangs("elicitation-cancel-hangs", "a call is never answered once the user cancels", "elicitation/cancel", "action=cancel"),
				hangs("elicitation-url-decline-hangs", "a call is never answered once the user declines to visit a URL",
					"elicitation/url-declined", "is not signed."),
			},
		}, {
			Breaks: "elicitation-actions-handled", Hangs: true,
			Each: []fault.Fault{
				hangs("elicitation-accept-hangs", "a call is never answered once the form is filled in", "elicitation/accepted", "action=accept"),
				hangs("elicitation-decline-hangs-early", "a request of the server that the user declines leaves the call without an answer",
					"elicitation/decline", "action=decline"),
				hangs("elicitation-cancel-hangs-early", "a request of the server that the user cancels leaves the call without an answer",
					"elicitation/cancel", "action=cancel"),
				hangs("elicitation-error-hangs", "a call is never answered once the client refuses the elicitation",
					"elicitation/error-handled", "refused elicitation/create"),
				hangs("elicitation-url-decline-hangs-early", "a request to visit a URL that the user declines leaves the call without an answer",
					"elicitation/url-declined", "is not signed.", fault.OverStdio("2025-11-25")...),
				hangs("elicitation-visit-hangs", "a call is never answered once the user agrees to visit a URL",
					"elicitation/url-accepted", "the permit has to be signed first", fault.OverStdio("2025-11-25")...),
			},
		}, {
			Breaks: "elicitation-decline-cancel-handled", Kills: []string{"elicitation/declined-content"},
			Each: []fault.Fault{
				{Name: "elicitation-decline-used", Title: "the content of an answer that declines is used", Reply: taken("decline")},
				{Name: "elicitation-cancel-used", Title: "the content of an answer that cancels is used", Reply: taken("cancel")},
			},
		}, {
			Name: "elicitation-decline-used-early", Title: "the content of an answer that declines is used, after a handshake",
			Breaks: "elicitation-actions-handled", Kills: []string{"elicitation/declined-content"}, Reply: taken("decline"),
			In: fault.OverStdio("2025-11-25"),
		}, {
			Name: "elicitation-locks", Title: "a tool that has asked serves no other call until the form is filled in",
			Breaks: "elicitation-no-assumed-success", Hangs: true, In: fault.OverStdio("2026-07-28"),
			Inbound: fault.Tool("test_elicitation").And(func(x fault.Exchange) bool { return x.Param("inputResponses") == nil && open(x) }).Hang(),
		}, {
			Name: "elicitation-defaults-hang", Title: "a tool whose form has defaults never answers once they are accepted",
			Breaks: "jsonrpc-single-response", Kills: []string{"elicitation/read-only-tools-answer"}, Hangs: true,
			Send: unanswered("Elicitation completed: action=accept"), In: fault.OverStdio("2025-11-25", "2026-07-28"),
		}, {
			Name: "elicitation-answered-by-anybody", Title: "a form is filled in by whoever knows the session and the id of the request",
			Breaks: "elicitation-state-bound-to-user", In: fault.OverHTTP("2025-11-25"), May: []string{"http/session-of-another-principal"},
			Kills: []string{"elicitation/answer-of-another-user"},
			Skip:  []fault.Check{fault.CheckSessionOwner, fault.CheckAnswerer},
		}, {
			Name: "elicitation-answered-anywhere", Title: "a form of one session is filled in by an answer that comes in another",
			Breaks: "elicitation-state-bound-to-user", In: fault.OverHTTP("2025-11-25"),
			Kills: []string{"elicitation/answer-of-another-client"}, Skip: []fault.Check{fault.CheckAnswererSession},
		}, {
			Breaks: "jsonrpc-response-id-echo", Kills: []string{"elicitation/answers-by-id"}, May: []string{"sampling/answers-by-id"},
			In: fault.OverStdio("2025-11-25"),
			Each: []fault.Fault{{
				Name: "elicitation-answers-oldest", Title: "a response fills in the form that was asked for first, whatever its id",
				Skip: []fault.Check{fault.CheckAnswerOldest},
			}, {
				Name: "elicitation-answers-newest", Title: "a response fills in the form that was asked for last, whatever its id",
				Skip: []fault.Check{fault.CheckAnswerNewest},
			}},
		}, {
			Name: "elicitation-signed-for-session", Title: "a permit that one user signed is signed for all who use the session",
			Breaks: "elicitation-state-not-session-only", In: fault.OverHTTP("2025-11-25"),
			May:  []string{"http/session-of-another-principal"},
			Skip: []fault.Check{fault.CheckSessionOwner, fault.CheckErrandOwner},
		}, {
			Name: "elicitation-unvalidated", Title: "an answer is used although it does not fit the form", Breaks: "elicitation-answer-validated",
			May:  []string{"sampling/response-validated"},
			Skip: []fault.Check{fault.CheckForm},
		},
	}
}

// open reports whether the last call of the tool before was no answer.
func open(x fault.Exchange) bool {
	waits := false
	for _, asked := range x.Past {
		before := fault.Exchange{Method: asked.Method, Params: asked.Params}
		if before.Tool() == "test_elicitation" {
			waits = before.Param("inputResponses") == nil
		}
	}
	return waits
}
