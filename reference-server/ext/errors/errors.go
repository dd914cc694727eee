// Package errors serves the structured-errors extension: beside the plain form of the
// protocol, a failed request carries a record for programs: the cause, and whether and
// when to try again.
package errors

import (
	"maps"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// Options are the options of the extension.
type Options struct {
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension. It has to wrap all others, so that their refusals get a
// record too.
func New(o Options) core.Extension {
	t := recorder{switches(o.Fault)}
	return core.Extension{Name: "structured-errors", Key: Prefix + "structured_errors", Serve: t.serve}
}

type recorder struct{ faults Switches }

// serve serves the request and adds a record to its failure. A JSON-RPC error carries
// the record in data, a tool result with isError in _meta. Clients without the
// extension find code, message, content and isError unchanged.
func (t recorder) serve(turn *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	result, failure := next()
	switch {
	case failure != nil:
		return nil, t.dressError(turn, failure)
	case result["isError"] == true:
		t.dressResult(turn, result)
	}
	return result, nil
}

// dressError changes a copy: several requests may share an error.
func (t recorder) dressError(turn *core.Turn, failure *core.Error) *core.Error {
	why, said := turn.Refusal()
	if !said {
		why = defaultRefusal(failure.Code)
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
		// The protocol's own members of data, such as the URI of a missing resource,
		// stay.
		both := maps.Clone(record)
		maps.Copy(both, data)
		dressed.Data = both
	default: // only an object has room for a record
	}
	return &dressed
}

// dressResult writes the bare key, and from 2026-07-28 on the prefixed key too. It
// leaves structuredContent alone: that belongs to the tool and its schema.
func (t recorder) dressResult(turn *core.Turn, result fault.Message) {
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
