package faults

import (
	"maps"
	"net/http"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/errors"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func intact() []fault.Fault {
	return append(spoiled(), []fault.Fault{
		{
			Name:   "errors-plain-clients-unheard",
			Title:  "clients that do not declare the extension get empty results in place of errors",
			Breaks: "ext-error-readable-without", In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Reply: func(x fault.Exchange, m fault.Message) {
				result, _ := m.Result()
				if x.Method == "tools/call" && undeclared(x) && (result == nil || result["isError"] == true) {
					empty := map[string]any{"content": []any{}}
					if x.Revision.Modern() {
						empty["resultType"] = "complete"
					}
					m.Become(x.Answer(empty))
				}
			},
		},
		{Breaks: "ext-error-places-agree", Each: []fault.Fault{{
			Name: "errors-header-disagrees", Title: "the header Retry-After states another time than the record",
			In: fault.OverHTTP(requirements.R20251125, requirements.R20260728),
			HTTP: fault.HTTP{Head: func(x fault.Exchange, status int, header http.Header) int {
				if x.Tool() == transient {
					header.Set("Retry-After", "5")
				}
				return status
			}},
		}, {
			Name: "errors-text-disagrees", Title: "the text says RESOURCE_NOT_FOUND, and the record has another code",
			Reply: fault.Tool(failing).Set("/result/content", fault.Text("RESOURCE_NOT_FOUND: there is no such log.")),
		}, {
			Name:  "errors-structured-disagrees",
			Title: "the record in structuredContent has another code than the one in _meta",
			Since: requirements.R20260728,
			Reply: fault.OnTool(failing, func(result fault.Message) {
				if record, told := result.Object("_meta")[errors.Prefix+"error"].(map[string]any); told {
					other := maps.Clone(record)
					other["code"] = "RESOURCE_NOT_FOUND"
					result["structuredContent"] = map[string]any{"error": other}
				}
			}),
		}}},
	}...)
}

// spoiled breaks the JSON-RPC error that carries a record.
func spoiled() []fault.Fault {
	failure := func(change func(failure fault.Message)) fault.Change {
		return onUnknown(func(_ fault.Exchange, m fault.Message) fault.Message {
			change(m.Object("error"))
			return m
		})
	}
	const breaks = "ext-error-numeric-code-kept"
	return []fault.Fault{
		{Breaks: breaks, Each: []fault.Fault{{
			Name: "errors-code-word", Title: "error.code is a string", Kills: []string{suite + "error-code-integer"},
			May:   []string{"jsonrpc/error-code-integer"},
			Reply: failure(func(failure fault.Message) { failure["code"] = "RATE_LIMITED" }),
		}, {
			Name: "errors-record-spread", Title: "the record is spread over the error object",
			Kills: []string{suite + "record-in-data"}, May: []string{suite + "record-of-unknown-tool"},
			Reply: failure(func(failure fault.Message) {
				code, message := failure["code"], failure["message"]
				maps.Copy(failure, failure.Object("data"))
				failure["code"], failure["message"] = code, message
				delete(failure, "data")
			}),
		}, {
			Name: "errors-code-reserved", Title: "error.code is one that the protocol keeps for itself",
			Kills: []string{suite + "error-code-range"}, May: []string{suite + "unknown-tool-fails", "errors/reserved-codes"},
			In:    fault.OverStdio(requirements.R20260728),
			Reply: failure(func(failure fault.Message) { failure["code"] = -32050 }),
		}}},
	}
}
