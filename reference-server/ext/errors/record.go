package errors

import (
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
)

// documentation explains each category under a heading of its own.
const documentation = "https://harbour.example/docs/errors#"

// Record returns the record of a refusal; said is the text of the plain answer.
// Extensions whose own answers hold a record, such as a failed step of a transaction,
// use Record too.
//
// A record reveals nothing about the inside of the server: no stack trace, no query, no
// path, no address. And since a model reads the suggestion and acts on it, the
// suggestion never asks for other credentials or for less security.
func Record(why core.Refusal, said string) map[string]any {
	record := map[string]any{
		"code":              why.Code,
		"message":           said,
		"category":          string(why.Category),
		"user_actionable":   why.ForUsers,
		"documentation_url": documentation + strings.ReplaceAll(string(why.Category), "_", "-"),
	}
	if why.Message != "" {
		record["message"] = why.Message
	}
	if why.Explanation != "" {
		record["documentation_url"] = documentation + why.Explanation
	}
	// Only clients whose waiting helps are told a time to wait.
	if why.Category == core.Transient || why.Category == core.RateLimited {
		record["retry_after_seconds"] = seconds(why.RetryAfter)
	}
	if why.Suggestion != "" {
		record["suggestion"] = why.Suggestion
	}
	if len(why.Details) > 0 {
		record["details"] = why.Details
	}
	return record
}

// seconds rounds up: a client that comes back too early is refused again.
func seconds(d time.Duration) int { return int((max(0, d) + time.Second - 1) / time.Second) }

// defaultRefusal is the refusal for an error code when the request has no Refusal.
func defaultRefusal(code int) core.Refusal {
	switch code {
	case envelope.ParseError, envelope.InvalidRequest, envelope.InvalidParams, core.HeaderMismatch:
		return core.Refusal{Code: "INVALID_INPUT", Category: core.InvalidInput}
	case core.ResourceNotFound:
		return core.Refusal{Code: "RESOURCE_NOT_FOUND", Category: core.Permanent}
	case core.MethodNotFound, core.MissingCapability, core.UnsupportedVersion:
		return core.Refusal{Code: "UNSUPPORTED_OPERATION", Category: core.Permanent}
	default:
		return core.Refusal{Code: "SERVER_ERROR", Category: core.Permanent}
	}
}
