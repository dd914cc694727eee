package errors

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func required() []suite.Case {
	typed := func(slug, property, definition, want, fix string) suite.Case {
		return watched(slug, "with "+property, property+" is "+want, "ext-error-optional-types", fix,
			func(r record) probe.Opinion { return r.fits(property, definition, want) })
	}
	return []suite.Case{
		watched("code-present", "", "a record has a code, which is a string", "ext-error-required",
			"put a string such as RESOURCE_NOT_FOUND into code of the record; the number of JSON-RPC stays in error.code", isString("code")),
		watched("message-present", "", "a record has a message, which is a string", "ext-error-required",
			"put one sentence for people into message, and everything else into details", isString("message")),
		watched("category-present", "", "a record has a category", "ext-error-required",
			"say in category whether a repeat can help: clients decide by it", func(r record) probe.Opinion {
				if _, there := r.Record["category"]; !there {
					return r.breaks("category", "a category")
				}
				return probe.Kept()
			}),
		watched("category-known", "with category", "the category is one of the five that the proposal has", "ext-error-category-enum",
			"use transient, permanent, auth_required, invalid_input or rate_limited, in small letters", func(r record) probe.Opinion {
				return r.fits("category", "Category", "transient, permanent, auth_required, invalid_input or rate_limited")
			}),
		watched("message-specific", "whose message is a string", "the message says what went wrong", "ext-error-message-specific",
			"write one sentence that names what failed and why, in the words of the tool", specific),
		watched("code-style", "whose code is a string",
			"the code is written in capitals, with underscores between its words", "ext-error-code-style",
			"use codes such as RESOURCE_NOT_FOUND, and put numbers of tickets and the like into details", func(r record) probe.Opinion {
				if _, ok := r.get("code").(string); !ok {
					return probe.Nothing() // code-present judges that
				}
				return r.fits("code", "Code", "words in capitals, joined by underscores")
			}),
		watched("code-fits-category", "whose code is one that the proposal lists",
			"a code that the proposal lists comes with the category of its cause", "ext-error-code-style",
			"look the code up in the list of the proposal, and use the category that belongs to its cause", codeFitsCategory),
		typed("user-actionable-type", "user_actionable", "Flag", "a boolean", "use true or false, or leave it out for false"),
		typed("suggestion-type", "suggestion", "Text", "a string", "write one sentence, or leave the property out"),
		typed("details-type", "details", "Details", "an object", "put what programs read into named properties of an object"),
		watched("documentation-url", "with documentation_url", "documentation_url is an absolute https URL", "ext-error-doc-url-https",
			"link to a page of your documentation by its full https address, or leave the property out", func(r record) probe.Opinion {
				return r.fits("documentation_url", "DocumentationUrl", "an absolute URL that begins with https://")
			}),
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
