package probe

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// ExtensionPrefix is the canonical prefix of keys that belong to the extension
// proposals.
//
// Deprecated: pages move to protocol.ProposalPrefix, extensions to package proposal.
const ExtensionPrefix = protocol.ProposalPrefix

// A Located member of an extension: what was found, where it stood, and
// whether other places disagree.
type Located struct {
	Value    any
	Place    string
	Disagree string // a second place that holds something else
}

// Locate looks an extension's member up in a result, in the order in which the
// dialects of the proposals are read. The group is the member that older
// dialects wrap it in; owned says whether a record without a place of its own,
// inside the tool's answer, carries the mark of the extension.
//
// Deprecated: pages move to proposal.Locate.
func Locate(result map[string]any, key, group string, owned func(record map[string]any) bool) (Located, bool) {
	meta := record(result["_meta"])
	answer := record(result["structuredContent"])
	text := record(textJSON(result))
	// Without content the whole result is the tool's own.
	_, core := result["content"]
	places := []struct {
		name   string
		in     map[string]any
		member string
		marked bool
	}{
		{"_meta[" + ExtensionPrefix + key + "]", meta, ExtensionPrefix + key, true},
		{"_meta." + key, meta, key, true},
		{"_meta." + group + "." + key, record(meta[group]), key, true},
		{"result." + key, result, key, core || owned(result)},
		{"result." + group + "." + key, record(result[group]), key, core || owned(record(result[group]))},
		{"structuredContent." + key, answer, key, owned(answer)},
		{"structuredContent." + group + "." + key, record(answer[group]), key, owned(record(answer[group]))},
		{"the JSON of the first text block", text, key, owned(text)},
		{"the JSON of the first text block, " + group, record(text[group]), key, owned(record(text[group]))},
	}
	var found Located
	for _, p := range places {
		v, ok := p.in[p.member]
		switch {
		case !ok || !p.marked:
		case found.Place == "":
			found.Value, found.Place = v, p.name
		case found.Disagree == "" && !Same(found.Value, v):
			found.Disagree = p.name
		}
	}
	return found, found.Place != ""
}

func record(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// textJSON is what the first text block of a tool's answer holds, where that
// is JSON.
func textJSON(result map[string]any) any {
	content, _ := result["content"].([]any)
	for _, block := range content {
		b := record(block)
		if text, ok := b["text"].(string); ok && b["type"] == "text" {
			return frame.Read([]byte(text)).Value
		}
	}
	return nil
}
