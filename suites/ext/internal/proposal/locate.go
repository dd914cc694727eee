package proposal

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A Located property of an extension: what was found, where it stood, and
// whether other places disagree.
type Located struct {
	Value    any
	Place    string
	Disagree string // a second place that holds something else
}

// Locate looks an extension's property up in a result, in the order in which the
// dialects of the proposals are read. The group is the property that older
// dialects wrap it in; owned says whether a record without a place of its own,
// inside the tool's answer, carries the mark of the extension.
func Locate(result map[string]any, key, group string, owned func(record map[string]any) bool) (Located, bool) {
	meta := object(result["_meta"])
	answer := object(result["structuredContent"])
	text := object(textJSON(result))
	// Without content the whole result is the tool's own.
	_, core := result["content"]
	places := []struct {
		name   string
		in     map[string]any
		member string
		marked bool
	}{
		{"_meta[" + Prefix + key + "]", meta, Prefix + key, true},
		{"_meta." + key, meta, key, true},
		{"_meta." + group + "." + key, object(meta[group]), key, true},
		{"result." + key, result, key, core || owned(result)},
		{"result." + group + "." + key, object(result[group]), key, core || owned(object(result[group]))},
		{"structuredContent." + key, answer, key, owned(answer)},
		{"structuredContent." + group + "." + key, object(answer[group]), key, owned(object(answer[group]))},
		{"the JSON of the first text block", text, key, owned(text)},
		{"the JSON of the first text block, " + group, object(text[group]), key, owned(object(text[group]))},
	}
	var found Located
	for _, p := range places {
		v, ok := p.in[p.member]
		switch {
		case !ok || !p.marked:
		case found.Place == "":
			found.Value, found.Place = v, p.name
		case found.Disagree == "" && !probe.Same(found.Value, v):
			found.Disagree = p.name
		}
	}
	return found, found.Place != ""
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// textJSON is what the first text block of a tool's answer holds, where that
// is JSON.
func textJSON(result map[string]any) any {
	content, _ := result["content"].([]any)
	for _, block := range content {
		b := object(block)
		if text, ok := b["text"].(string); ok && b["type"] == "text" {
			return frame.Read([]byte(text)).Value
		}
	}
	return nil
}
