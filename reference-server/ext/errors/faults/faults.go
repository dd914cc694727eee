// Package faults holds the faults of the structured-errors extension.
package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/errors"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists the faults of the extension in the order of its rules.
func Faults() []fault.Fault {
	return slices.Concat(carriers(), shapes(), optional(), retries(), leaks(), failures(), intact())
}

// The tools whose failures the faults change; changing all records would also break
// rules that the faults are not about.
const (
	failing   = "test_error_handling"
	missing   = "release_berth"
	transient = "pilot_boat"
	limited   = "weather_report"
	fitting   = "find_berth"
	unknown   = "no_such_tool_" // prefix of the names of unknown tools
)

const suite = "ext-structured-errors/"

// on changes the records of the failures of one tool.
func on(tool string, change func(record map[string]any)) errors.Switches {
	return errors.Switches{Edit: func(turn *core.Turn, record map[string]any) map[string]any {
		var call struct{ Name string }
		_ = json.Unmarshal(turn.Params(), &call) // unreadable params name no tool
		if call.Name == tool || tool == unknown && strings.HasPrefix(call.Name, unknown) {
			change(record)
		}
		return record
	}}
}

// with puts one property into the records of the failures of one tool.
func with(tool, property string, value any) errors.Switches {
	return on(tool, func(record map[string]any) { record[property] = value })
}

// instead puts another value into a property that the records of a tool's failures have.
func instead(tool, property string, value any) errors.Switches {
	return on(tool, func(record map[string]any) {
		if _, has := record[property]; has {
			record[property] = value
		}
	})
}

// onUnknown changes the answers to calls of unknown tools.
func onUnknown(change func(x fault.Exchange, m fault.Message) fault.Message) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if strings.HasPrefix(x.Tool(), unknown) {
			m.Become(change(x, m))
		}
	}
}

// bare takes the record out of a result.
func bare(result fault.Message) {
	delete(result.Object("_meta"), "error")
	delete(result.Object("_meta"), errors.Prefix+"error")
}

// unrecorded takes the record out of an error, and leaves what the protocol has in data.
func unrecorded(failure fault.Message) {
	data, _ := failure["data"].(map[string]any)
	failure["data"] = map[string]any{"uri": data["uri"]}
}

func carriers() []fault.Fault {
	return []fault.Fault{
		{Breaks: "ext-error-where", Each: []fault.Fault{{
			Name: "errors-prose-only", Title: "the extension is declared, and no error has a record",
			Kills: []string{suite + "record-of-failure"},
			May:   []string{"ext-manifest/claims-truthful-errors"}, // the manifest names the extension too
			Ext:   errors.Switches{Edit: func(*core.Turn, map[string]any) map[string]any { return nil }},
		}, {
			Name: "errors-record-on-success", Title: "a failure has a record, and its result is not marked as an error",
			Kills: []string{suite + "record-of-failure"}, May: []string{"tools/failure-flagged"},
			Reply: fault.Tool(failing).Set("/result/isError", false),
		}, {
			Name: "errors-protocol-errors-only", Title: "records stand in JSON-RPC errors only, and tool errors have none",
			Kills: []string{suite + "record-of-failure"}, Since: requirements.R20251125,
			Reply: fault.OnResult("tools/call", bare),
		}, {
			Name: "errors-own-failures-only", Title: "failures of tools have records, and rejected arguments have none",
			Kills: []string{suite + "record-of-invalid-arguments"}, Since: requirements.R20251125,
			May:   []string{"ext-manifest/claims-truthful-errors"},
			Reply: fault.On("tools/call").And(func(x fault.Exchange) bool { return x.Tool() != failing }).Result(bare),
		}, {
			Name: "errors-tool-errors-only", Title: "records stand in tool errors only, and JSON-RPC errors have none",
			Kills: []string{suite + "record-of-unknown-tool"},
			Reply: onUnknown(func(_ fault.Exchange, m fault.Message) fault.Message {
				delete(m.Object("error"), "data")
				return m
			}),
		}, {
			Name: "errors-resource-unrecorded", Title: "the error for an unknown resource has no record",
			Kills: []string{suite + "record-of-unknown-resource"}, Reply: fault.OnError("resources/read", unrecorded),
		}, {
			Name: "errors-prompt-unrecorded", Title: "the error for an unknown prompt has no record",
			Kills: []string{suite + "record-of-unknown-prompt"}, Reply: fault.OnError("prompts/get", unrecorded),
		}, {
			Name: "errors-extension-methods-unrecorded", Title: "the errors of the methods of extensions have no record",
			Kills: []string{suite + "record-of-unknown-tool"},
			Reply: fault.On("transaction/commit", "transaction/rollback", "permissions/check", "scopes/negotiate", "resume").Drop("/error/data"),
		}, {
			Name: "errors-negotiation-prose", Title: "the error of scopes/negotiate has a string as data",
			Kills: []string{suite + "record-of-unknown-tool"},
			Reply: fault.OnError("scopes/negotiate", func(failure fault.Message) { failure["data"] = "invalid params" }),
		}}},
	}
}
