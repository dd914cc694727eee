package jsonrpc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// onAnyError changes every sent error.
func onAnyError(change func(x fault.Exchange, failure fault.Message)) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if _, failed := m["error"]; failed {
			change(x, m.Object("error"))
		}
	}
}

// inLatin1 puts a Latin-1 character, one byte long, into an error if the requested
// name has a character outside ASCII.
func inLatin1(x fault.Exchange, text []byte) []byte {
	name, _ := x.Param("name").(string)
	plain := strings.IndexFunc(name, func(r rune) bool { return r > '~' }) < 0
	if plain {
		return text
	}
	return bytes.Replace(text, []byte(`"message":"`), []byte("\"message\":\"\xe9 "), 1)
}

// relabelResults gives the results for some ids another id.
func relabelResults(other func(id string) (string, bool)) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if _, ok := m.Result(); !ok {
			return
		}
		if id, changed := other(string(x.ID)); changed {
			m["id"] = json.RawMessage(id)
		}
	}
}

// relabelOne replaces a single id.
func relabelOne(id, as string) fault.Change {
	return relabelResults(func(was string) (string, bool) { return as, was == id })
}

// cutAfter keeps the first characters of a longer id in ASCII.
func cutAfter(most int) func(id string) (string, bool) {
	return func(id string) (string, bool) {
		if len(id) <= most+len(`""`) {
			return id, false
		}
		return id[:1+most] + `"`, true
	}
}

// digitsAsNumber makes a number of a string of digits. JSON allows no zeros before a number.
func digitsAsNumber(id string) (string, bool) {
	inner := strings.Trim(id, `"`)
	return cmp.Or(strings.TrimLeft(inner, "0"), "0"), inner != id && allDigits(inner)
}

func allDigits(id string) bool { return id != "" && strings.Trim(id, "-0123456789") == "" }

// ids are faults that change the id of an answer. Over HTTP the answer still finds its
// request.
func ids() []fault.Fault {
	http := fault.OverHTTP(requirements.R20260728)
	return []fault.Fault{
		{Breaks: "jsonrpc-response-id-echo", Each: []fault.Fault{
			{
				Name: "jsonrpc-id-as-text", Title: "the id of a result is always a string",
				Kills: []string{
					"jsonrpc/id-zero", "jsonrpc/id-negative", "jsonrpc/id-beyond-32-bits", "jsonrpc/id-one",
					"jsonrpc/result-for-request",
				},
				May:   []string{"jsonrpc/batch-received"},
				Reply: relabelResults(func(id string) (string, bool) { return `"` + id + `"`, allDigits(id) }),
			}, {
				Name: "jsonrpc-id-as-number", Title: "a string id made of digits comes back as a number",
				Kills: []string{"jsonrpc/id-one-as-text", "jsonrpc/id-digits", "jsonrpc/result-for-request"},
				Reply: relabelResults(digitsAsNumber),
			},
			{In: http, Each: []fault.Fault{{
				Name: "jsonrpc-id-as-number-later", Title: "a string id made of digits comes back as a number, except where a conversation starts",
				Kills: []string{"jsonrpc/id-digits", "jsonrpc/result-for-request"},
				Reply: relabelResults(func(id string) (string, bool) {
					number, changed := digitsAsNumber(id)
					return number, changed && number != "1"
				}),
			}}},
			{In: http, Each: []fault.Fault{{
				Name: "jsonrpc-id-text-lost", Title: "a string id comes back as a number of the server's own",
				Kills: []string{"jsonrpc/id-text", "jsonrpc/id-long-text", "jsonrpc/id-empty-text", "jsonrpc/id-uuid", "jsonrpc/id-beyond-ascii",
					"jsonrpc/id-digits", "jsonrpc/id-one-as-text", "jsonrpc/result-for-request"},
				Reply: relabelResults(func(id string) (string, bool) { return "424242", strings.HasPrefix(id, `"`) }),
			}, {
				Name: "jsonrpc-id-cut-short", Title: "no more than 32 characters of an id come back",
				Kills: []string{"jsonrpc/id-uuid", "jsonrpc/id-long-text", "jsonrpc/result-for-request"},
				Reply: relabelResults(cutAfter(32)),
			}, {
				Name: "jsonrpc-id-cut-to-field", Title: "no more than 255 characters of an id come back",
				Kills: []string{"jsonrpc/id-long-text", "jsonrpc/result-for-request"}, Reply: relabelResults(cutAfter(255)),
			}, {
				Name: "jsonrpc-id-lowercased", Title: "the letters of an id come back in lower case",
				Kills: []string{"jsonrpc/id-text", "jsonrpc/result-for-request"},
				Reply: relabelResults(func(id string) (string, bool) { return strings.ToLower(id), strings.ToLower(id) != id }),
			}, {
				Name: "jsonrpc-id-trimmed", Title: "blanks at both ends of an id do not come back",
				Kills: []string{"jsonrpc/id-text", "jsonrpc/result-for-request"},
				Reply: relabelResults(func(id string) (string, bool) {
					inner, _ := strings.CutPrefix(strings.TrimSuffix(id, `"`), `"`)
					return `"` + strings.TrimSpace(inner) + `"`, strings.TrimSpace(inner) != inner
				}),
			}, {
				Name: "jsonrpc-id-garbled", Title: "an id is read as Latin-1, and its letters beyond ASCII come back garbled",
				Kills: []string{"jsonrpc/id-beyond-ascii", "jsonrpc/result-for-request"},
				Reply: relabelResults(func(id string) (string, bool) {
					return strings.ReplaceAll(id, "ü", "Ã¼"), strings.Contains(id, "ü")
				}),
			}, {
				Name: "jsonrpc-id-empty-lost", Title: "the empty string as id comes back as null",
				Kills: []string{"jsonrpc/id-empty-text", "jsonrpc/result-for-request"}, Reply: relabelOne(`""`, "null"),
			}, {
				Name: "jsonrpc-id-zero-lost", Title: "the id 0 comes back as null",
				Kills: []string{"jsonrpc/id-zero", "jsonrpc/result-for-request"}, Reply: relabelOne("0", "null"),
			}}},
		}},
	}
}

// numbers are faults of ids at the limits of numbers, and faults of errors.
func numbers() []fault.Fault {
	http := fault.OverHTTP(requirements.R20260728)
	return []fault.Fault{
		{Breaks: "jsonrpc-response-id-echo", In: http, Each: []fault.Fault{{
			Name: "jsonrpc-id-unsigned", Title: "a negative id comes back as an unsigned number",
			Kills: []string{"jsonrpc/id-negative", "jsonrpc/result-for-request"}, Reply: relabelOne("-7", "4294967289"),
		}, {
			Name: "jsonrpc-id-wraps", Title: "an id beyond 32 bits wraps around",
			Kills: []string{"jsonrpc/id-beyond-32-bits", "jsonrpc/result-for-request"},
			Reply: relabelOne("2147483648", "-2147483648"),
		}, {
			Name: "jsonrpc-id-rounded", Title: "an id is kept in a number of 32 bits with a fraction, and comes back rounded",
			Kills: []string{"jsonrpc/id-beyond-32-bits", "jsonrpc/result-for-request"},
			Reply: relabelOne("9007199254740991", "9007199254740992"),
		}}},
		{
			Name: "jsonrpc-error-id-own", Title: "errors carry an id of the server's own",
			Breaks: "jsonrpc-error-response-id-echo", May: []string{"jsonrpc/batch-coverage"}, In: http,
			Reply: relabelErrors("424242", func(id string) bool { return id != "" }),
		}, {
			Name: "jsonrpc-error-id-null", Title: "errors for requests with a string id have the id null",
			Breaks: "jsonrpc-error-response-id-echo",
			Kills:  []string{"jsonrpc/error-id-unknown-method-text", "jsonrpc/error-id-bad-params-text"},
			In:     fault.OverStdio(requirements.R20260728),
			Reply:  relabelErrors("null", func(id string) bool { return strings.HasPrefix(id, `"`) }),
		},
	}
}

// idUses are faults that refuse, serve or mix up ids.
func idUses() []fault.Fault {
	return []fault.Fault{{
		Name: "jsonrpc-text-id-refused", Title: "tools/list with a string id is rejected",
		Breaks: "jsonrpc-string-and-integer-ids", Kills: []string{"jsonrpc/string-and-integer-ids"},
		Inbound: fault.When(func(x fault.Exchange) bool {
			return bytes.HasPrefix(x.ID, []byte(`"`)) && x.Method == "tools/list"
		}).Refuse(-32600, "the id is no number"),
	}, {
		Name: "jsonrpc-id-zero-refused", Title: "a request with the id 0 is rejected", Breaks: "jsonrpc-string-and-integer-ids",
		Kills:   []string{"jsonrpc/id-zero"},
		Inbound: fault.When(func(x fault.Exchange) bool { return string(x.ID) == "0" }).Refuse(-32600, "the id is missing"),
	}, {
		Name: "jsonrpc-id-letters-refused", Title: "a request whose id has other characters than letters, digits and hyphens is rejected",
		Breaks: "jsonrpc-string-and-integer-ids", Kills: []string{"jsonrpc/id-text", "jsonrpc/id-empty-text", "jsonrpc/id-beyond-ascii"},
		Inbound: fault.When(func(x fault.Exchange) bool {
			letters := bytes.Trim(x.ID, `"`)
			odd := bytes.ContainsFunc(letters, func(r rune) bool {
				return r != '-' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
			})
			return len(x.ID) > 0 && (odd || len(letters) == 0)
		}).Refuse(-32600, "no such id"),
	}, {
		Name: "jsonrpc-odd-ids-nulled", Title: "requests with invalid ids are served, and answered with the id null",
		Breaks: "jsonrpc-invalid-id-rejected", Skip: []fault.Check{fault.CheckIDType},
		Reply: relabelResults(func(id string) (string, bool) { return "null", id != "" && id[0] != '"' && !allDigits(id) }),
	}, {
		Name: "jsonrpc-odd-ids-as-text", Title: "requests with invalid ids are served, and answered with the id as a string",
		Breaks: "jsonrpc-invalid-id-rejected", In: fault.OverHTTP(requirements.R20260728),
		Skip:  []fault.Check{fault.CheckIDType},
		Reply: relabelResults(func(id string) (string, bool) { return `"` + id + `"`, id == "true" || id == "{}" || id == "[]" }),
	}, {
		Name: "jsonrpc-id-used-up", Title: "an id that was used before is rejected", Breaks: "jsonrpc-id-reuse-after-response",
		In: fault.OverStdio(requirements.R20260728),
		Inbound: fault.When(func(x fault.Exchange) bool {
			again := slices.ContainsFunc(x.Past, func(a fault.Asked) bool { return string(a.ID) == string(x.ID) })
			return string(x.ID) == "900601" && again
		}).Refuse(-32600, "the id was used before"),
	}, {
		Name: "jsonrpc-ids-shared", Title: "two clients that use the same id get each other's results",
		Breaks: "jsonrpc-ids-scoped-to-sender", Kills: []string{"jsonrpc/ids-scoped-to-sender"},
		Reply: func(x fault.Exchange, m fault.Message) {
			result, ok := m.Result()
			if ok && string(x.ID) == "900702" && x.Method != "tools/list" {
				result["tools"] = []any{}
			}
		},
	}, {
		Name: "jsonrpc-ids-shared-by-calls", Title: "a call gets the list that another client asks for under the same id meanwhile",
		Breaks: "jsonrpc-ids-scoped-to-sender", Kills: []string{"jsonrpc/ids-scoped-to-sender"}, In: fault.OverHTTP(requirements.R20251125),
		Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && string(x.ID) == "900711" && x.Method == "tools/call" {
				result["tools"] = []any{}
			}
		},
	}}
}

// relabelErrors gives the errors for some ids another id.
func relabelErrors(as string, which func(id string) bool) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if _, failed := m["error"]; failed && which(string(x.ID)) {
			m["id"] = json.RawMessage(as)
		}
	}
}
