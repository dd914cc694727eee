package streaming

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// holds reports whether the result has the array in another place than as the whole
// answer: in a property of it, since structured content was an object in some
// revisions, or as text blocks of which each is an item or a piece. That an array is
// there says little where it is empty.
func (s *streamed) holds(array []any) bool {
	answer, _ := s.reply.Result()
	if _, whole := answer["structuredContent"].([]any); whole || len(array) == 0 {
		return false
	}
	var forms []any
	properties, _ := probe.Payload(answer).(map[string]any)
	for _, value := range properties {
		forms = append(forms, value)
	}
	if texts := textBlocks(answer); len(texts) > 0 {
		read := values(texts)
		forms = append(forms, texts, read, flattened(read))
	}
	return slices.ContainsFunc(forms, func(form any) bool { return probe.Same(form, array) })
}

// textBlocks are the texts of a result, unless that is one JSON array, which is the
// whole answer.
func textBlocks(answer map[string]any) []any {
	var texts []any
	content, _ := answer["content"].([]any)
	for _, block := range content {
		b, _ := block.(map[string]any)
		if text, ok := b["text"].(string); ok && b["type"] == "text" {
			texts = append(texts, text)
		}
	}
	if _, whole := probe.Payload(answer).([]any); whole && len(texts) == 1 {
		return nil
	}
	return texts
}

// values are the texts read as JSON, as far as they can be.
func values(texts []any) []any {
	read := slices.Clone(texts)
	for i := range read {
		text, _ := read[i].(string)
		if m := frame.Read([]byte(text)); m.Class != frame.NotJSON {
			read[i] = m.Value
		}
	}
	return read
}
