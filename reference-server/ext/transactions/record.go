package transactions

import (
	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
)

// failing is the error code of the extension's own failures. JSON-RPC reserves the
// codes from -32768 to -32000.
const failing = 1000

// record describes a failure in the form of the structured-errors extension.
func record(code, category, message string) map[string]any {
	return map[string]any{"code": code, "message": message, "category": category}
}

// refuse is an error with a record.
func refuse(code int, recordCode, category, message string) *core.Error {
	return &core.Error{Code: code, Message: message, Data: record(recordCode, category, message)}
}

func invalid(message string) *core.Error {
	return refuse(envelope.InvalidParams, "INVALID_INPUT", "invalid_input", message)
}

func unknown(id string) *core.Error {
	return refuse(envelope.InvalidParams, "RESOURCE_NOT_FOUND", "permanent", "There is no open transaction "+id+".")
}

func conflict(message string) *core.Error {
	return refuse(failing, "TRANSACTION_CONFLICT", "permanent", message)
}

// tooMany is the error at a limit; transactions end after a while.
func tooMany(message string) *core.Error {
	failure := refuse(failing, "RATE_LIMIT_EXCEEDED", "rate_limited", message)
	failure.Data = withRetry(failure.Data, 60)
	return failure
}

func withRetry(data any, seconds int) any {
	if record, ok := data.(map[string]any); ok {
		record["retry_after_seconds"] = seconds
	}
	return data
}

// upstream is the record of a failed call of the server.
func upstream(message string) map[string]any { return record("UPSTREAM_ERROR", "permanent", message) }
