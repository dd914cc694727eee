package errors

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func required() []suite.Case {
	checks := []requirements.ID{"ext-error-required"}
	return []suite.Case{
		{
			ID:     "ext-structured-errors/code-present",
			Title:  "a record has a code, which is a string",
			Checks: checks,
			Fix:    "put a string such as RESOURCE_NOT_FOUND into code of the record; the number of JSON-RPC stays in error.code",
			Watch:  onRecord(isString("code")),
		},
		{
			ID:     "ext-structured-errors/message-present",
			Title:  "a record has a message, which is a string",
			Checks: checks,
			Fix:    "put one sentence for people into message, and everything else into details",
			Watch:  onRecord(isString("message")),
		},
		{
			ID:     "ext-structured-errors/category-present",
			Title:  "a record has a category",
			Checks: checks,
			Fix:    "say in category whether a repeat can help: clients decide by it",
			Watch: onRecord(func(r record) probe.Opinion {
				if _, there := r.Record["category"]; !there {
					return r.breaks("category", "a category")
				}
				return probe.Kept()
			}),
		},
		{
			ID:     "ext-structured-errors/category-known",
			Title:  "the category is one of the five that the proposal has",
			Checks: []requirements.ID{"ext-error-category-enum"},
			Fix:    "use transient, permanent, auth_required, invalid_input or rate_limited, in small letters",
			Watch: onRecord(func(r record) probe.Opinion {
				return r.fits("category", "Category", "transient, permanent, auth_required, invalid_input or rate_limited")
			}),
		},
		{
			ID:     "ext-structured-errors/message-specific",
			Title:  "the message says what went wrong",
			Checks: []requirements.ID{"ext-error-message-specific"},
			Fix:    "write one sentence that names what failed and why, in the words of the tool",
			Watch:  onRecord(specific),
		},
	}
}

func isString(property string) func(record) probe.Opinion {
	return func(r record) probe.Opinion {
		if _, ok := r.get(property).(string); !ok {
			return r.breaks(property, "a string")
		}
		return probe.Kept()
	}
}

func specific(r record) probe.Opinion {
	message, ok := r.get("message").(string)
	if !ok {
		return probe.Nothing() // message-present judges that
	}
	said := strings.ToLower(strings.Trim(message, " .!:"))
	empty := []string{"", "error", "internal error", "unknown error", strings.ToLower(r.text("code"))}
	number, numbered := strings.CutPrefix(said, "error ")
	if slices.Contains(empty, said) || numbered && number != "" && strings.Trim(number, "0123456789") == "" {
		return r.breaks("message", "a sentence that says what went wrong")
	}
	return probe.Kept()
}

func codes() []suite.Case {
	checks := []requirements.ID{"ext-error-code-style"}
	return []suite.Case{
		{
			ID:     "ext-structured-errors/code-style",
			Title:  "the code is written in capitals, with underscores between its words",
			Checks: checks,
			Fix:    "use codes such as RESOURCE_NOT_FOUND, and put numbers of tickets and the like into details",
			Watch: onRecord(func(r record) probe.Opinion {
				if _, ok := r.get("code").(string); !ok {
					return probe.Nothing() // code-present judges that
				}
				return r.fits("code", "Code", "words in capitals, joined by underscores")
			}),
		},
		{
			ID:     "ext-structured-errors/code-fits-category",
			Title:  "a code that the proposal lists comes with the category of its cause",
			Checks: checks,
			Fix:    "look the code up in the list of the proposal, and use the category that belongs to its cause",
			Watch:  onRecord(codeFitsCategory),
		},
	}
}

// Where a cause may be seen in two ways, both are right.
func codeFitsCategory(r record) probe.Opinion {
	allowed, listed := causes()[r.text("code")]
	category := r.text("category")
	if !listed || !slices.Contains(proposal.Categories(), category) {
		return probe.Nothing()
	}
	if !slices.Contains(allowed, category) {
		return r.breaks("category", strings.Join(allowed, " or ")+" beside the code "+r.text("code"))
	}
	return probe.Kept()
}

// causes are the codes that the proposal lists, and the categories that go with
// them.
//
//nolint:gochecknoglobals // asked for with every record, and the same each time
var causes = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	add := func(categories string, codes ...string) {
		for _, code := range codes {
			all[code] = strings.Fields(categories)
		}
	}
	add("rate_limited transient", "RATE_LIMIT_EXCEEDED", "RATE_LIMITED", "QUOTA_EXHAUSTED")
	add("auth_required permanent", "PERMISSION_DENIED", "SCOPE_INSUFFICIENT")
	add("auth_required", "AUTHENTICATION_REQUIRED", "AUTH_FAILED")
	add("auth_required invalid_input", "TOKEN_EXPIRED") // of a login, or of state that a client carries
	add("permanent", "CONFIRMATION_REQUIRED")
	add("permanent invalid_input", "RESOURCE_NOT_FOUND", "NOT_FOUND", "UNSUPPORTED_OPERATION")
	add("permanent transient", "TRANSACTION_CONFLICT", "CONFLICT") // what is in the way may go away
	add("invalid_input permanent", "IDEMPOTENCY_CONFLICT")
	add("invalid_input", "INVALID_INPUT", "INVALID_PARAMETERS", "PAYLOAD_TOO_LARGE")
	add("transient permanent rate_limited", "SERVER_UNAVAILABLE", "SERVER_ERROR", "UPSTREAM_ERROR", "OPERATION_TIMEOUT", "TIMEOUT")
	return all
})

func optional() []suite.Case {
	checks := []requirements.ID{"ext-error-optional-types"}
	typed := func(slug, property, definition, want, fix string) suite.Case {
		return suite.Case{
			ID:     "ext-structured-errors/" + slug,
			Title:  property + " is " + want,
			Checks: checks,
			Fix:    fix,
			Watch:  onRecord(func(r record) probe.Opinion { return r.fits(property, definition, want) }),
		}
	}
	return []suite.Case{
		typed("user-actionable-type", "user_actionable", "Flag", "a boolean", "use true or false, or leave it out for false"),
		typed("suggestion-type", "suggestion", "Text", "a string", "write one sentence, or leave the property out"),
		typed("details-type", "details", "Details", "an object", "put what programs read into named properties of an object"),
		{
			ID:     "ext-structured-errors/documentation-url",
			Title:  "documentation_url is an absolute https URL",
			Checks: []requirements.ID{"ext-error-doc-url-https"},
			Fix:    "link to a page of your documentation by its full https address, or leave the property out",
			Watch: onRecord(func(r record) probe.Opinion {
				return r.fits("documentation_url", "DocumentationUrl", "an absolute URL that begins with https://")
			}),
		},
	}
}
