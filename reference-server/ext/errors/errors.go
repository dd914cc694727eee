// Package errors serves the structured-errors extension: a request that fails
// says so in the plain form of the protocol, and beside it in a record that
// programs can read: what went wrong, whether it helps to try again, and when.
package errors

import (
	"maps"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix is what the keys of the extension begin with where they have to be
// told from those of others.
const Prefix = "io.github.mcp-extension-proposals/"

// Options are what the extension is made with.
type Options struct {
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension. It is to stand around all others, so that their
// refusals have a record too.
func New(o Options) core.Extension {
	t := teller{switches(o.Fault)}
	return core.Extension{Name: "structured-errors", Key: Prefix + "structured_errors", Serve: t.serve}
}

type teller struct{ faults Switches }

// serve lets the request be served, and puts a record beside its failure. There
// are two carriers: a JSON-RPC error has the record in data, a tool result with
// isError has it in _meta. Whoever knows nothing of records finds code, message,
// content and isError as they always were.
func (t teller) serve(turn *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	result, failure := next()
	switch {
	case failure != nil:
		return nil, t.dressError(turn, failure)
	case result["isError"] == true:
		t.dressResult(turn, result)
	}
	return result, nil
}

// dressError writes a copy: an error may be shared by many requests.
func (t teller) dressError(turn *core.Turn, failure *core.Error) *core.Error {
	why, said := turn.Refusal()
	if !said {
		why = usual(failure.Code)
	}
	record := t.faults.edit(turn, Record(why, failure.Message))
	if record == nil {
		return failure
	}
	dressed := *failure
	switch data := failure.Data.(type) {
	case nil:
		dressed.Data = record
	case map[string]any:
		// The protocol itself says things in data, such as the URI that does not
		// exist. They stay.
		both := maps.Clone(record)
		maps.Copy(both, data)
		dressed.Data = both
	default: // what is no object has no room for a record
	}
	return &dressed
}

// dressResult writes the bare key, and from 2026-07-28 on the prefixed one too.
// It leaves structuredContent alone, which belongs to the tool and its schema.
func (t teller) dressResult(turn *core.Turn, result fault.Message) {
	why, said := turn.Refusal()
	if !said {
		why = core.Refusal{Code: "SERVER_ERROR", Category: core.Permanent}
	}
	record := t.faults.edit(turn, Record(why, firstText(result)))
	if record == nil {
		return
	}
	meta := result.Object("_meta")
	meta["error"] = record
	if turn.Modern() {
		meta[Prefix+"error"] = record
	}
}

func firstText(result fault.Message) string {
	content, _ := result["content"].([]any)
	for _, block := range content {
		b, _ := block.(map[string]any)
		if text, ok := b["text"].(string); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
