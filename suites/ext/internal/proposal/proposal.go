// Package proposal holds what the extension proposals have in common: where
// their dialects put things, what counts as a refusal, and their schemas.
//
// Its bodies still stand in probe; they move here when the last page uses these
// names.
package proposal

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Prefix is the canonical prefix of keys that belong to the proposals.
const Prefix = protocol.ProposalPrefix

// A Located property of an extension: what was found, where it stood, and
// whether other places disagree.
type Located = probe.Located

// Locate looks an extension's property up in a result, in the order in which the
// dialects of the proposals are read. The group is the property that older
// dialects wrap it in; owned says whether a record without a place of its own,
// inside the tool's answer, carries the mark of the extension.
func Locate(result map[string]any, key, group string, owned func(record map[string]any) bool) (Located, bool) {
	return probe.Locate(result, key, group, owned)
}

// Record is the structured error record of an answer, wherever the dialects put
// it, and the place where it was found.
func Record(r *probe.Reply) (record map[string]any, place string, ok bool) { return r.Record() }

// Declined reports whether an answer is a refusal as the proposals know it.
func Declined(r *probe.Reply) bool { return r.Declined() }

// WantDeclined expects a refusal as the proposals know it.
func WantDeclined(r *probe.Reply) error { return r.WantDeclined() }

// WantDone expects a result that is not a refusal.
func WantDone(r *probe.Reply) error { return r.WantDone() }

// SchemaProblem says how a value breaks a definition of an extension's schema;
// it is empty when it fits. The pointer says where the value stands in its
// message.
func SchemaProblem(c *probe.Client, extension, definition, pointer string, value any) (string, error) {
	return c.ExtensionMisfit(extension, definition, pointer, value)
}

// Declares reports whether the output schema of a listed tool has a property of
// this name: then such a property of its answers is the tool's own.
func Declares(c *probe.Client, tool, property string) bool {
	return c.Survey().Declares(tool, property)
}
