package streaming

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func results() []suite.Case {
	joins := streaming("joins", "the chunks add up to the result", "ext-stream-joins",
		"send all of the result in chunks, each part once, and the last one too", joinsUp)
	joins.Needs = append(joins.Needs, suite.Role(roles.StreamTool, "join"))
	return []suite.Case{
		bench.In(suite.Waits, streaming("before-result", "chunks come before the answer to their call", "ext-stream-before-result",
			"send all chunks first, then the answer", beforeResult)),
		streaming("result-whole", "the answer to a streamed call holds the result", "ext-stream-before-result",
			"answer with the whole result, as if nothing had been streamed", resultWhole),
		joins,
		streaming("splits", "a tool that streams sends its result in several chunks", "ext-stream-flag-matches",
			"send a chunk whenever a part of the result is ready, not all of it at the end", splits),
		bench.Case("ext-streaming/not-forced", "a client that does not know the extension gets the plain result", "ext-stream-not-forced",
			"send chunks only to clients that declare the extension and ask for them, and the whole result to all", notForced,
			suite.Role(roles.StreamTool)),
	}
}

func beforeResult(s *streamed) error {
	if len(s.late) == 0 {
		s.some()
		s.late = s.later()
	}
	if len(s.late) > 0 {
		return s.violation(s.late[:1], "%s came after the answer to its call, want all chunks before it", s.late[0].Method)
	}
	return nil
}

// later are the chunks of this operation that come some time after the answer. Those of
// other calls may come then, too.
func (s *streamed) later() []operations.Record {
	own := map[string]bool{s.id: true}
	for _, chunk := range s.chunks {
		id, _ := chunk.Text("operation_id")
		own[id] = true
	}
	late := func(seen []probe.Seen) []operations.Record {
		return slices.DeleteFunc(operations.Chunks(operations.Behind(s.reply, seen)), func(chunk operations.Record) bool {
			id, _ := chunk.Text("operation_id")
			return !own[id]
		})
	}
	s.client.Await(s.from, min(2*time.Second, s.client.Waits().Event), func(one probe.Seen) bool { return len(late([]probe.Seen{one})) > 0 })
	return late(s.client.Since(s.from))
}

func resultWhole(s *streamed) error {
	s.some()
	if hollow(s.reply) && slices.ContainsFunc(s.chunks, func(r operations.Record) bool { return !void(r.Fields["data"]) }) {
		return s.reply.Violation("$.result holds nothing while the chunks hold data, want the whole result")
	}
	return nil
}

// hollow reports whether a tool's answer is empty in every form it may have, that of
// the example servers included.
func hollow(reply *probe.Reply) bool {
	result, _ := reply.Result()
	if _, core := result["content"]; !core && !void(result["result"]) {
		return false
	}
	_, structured := result["structuredContent"]
	other := slices.ContainsFunc(probe.ArrayOf(result["content"]), func(block any) bool {
		return probe.ObjectOf(block)["type"] != "text"
	})
	return !structured && !other && strings.TrimSpace(reply.TextContent()) == ""
}

func void(data any) bool {
	switch data := data.(type) {
	case nil:
		return true
	case string:
		return data == ""
	case []any:
		return len(data) == 0
	case map[string]any:
		return len(data) == 0
	default:
		return false
	}
}

func joinsUp(s *streamed) error {
	s.some()
	join := s.client.Role(roles.StreamTool).Fields().Text("join")
	joined, result, ok := s.joined(join)
	whole, array := joined.([]any)
	switch {
	case array && s.holds(whole):
		return nil
	case array && !ok && s.longer(whole) != nil:
		return s.violation(s.chunks, "the chunks add up to %s, and the result holds %s, want the same",
			probe.Show(joined), probe.Show(s.longer(whole)))
	case array && !ok && s.repeatsEarlier():
		return s.violation(s.chunks, "each chunk holds the data of those before it again, and the last one all of the result, "+
			"want in each what is new")
	case array && !ok:
		s.client.NotSeen("the chunks add up to " + probe.Show(joined) + ", and the result of roles.stream-tool has no such array: " +
			"structuredContent, its properties and the text blocks were looked at")
	case !ok:
		s.client.NotSeen("the result of roles.stream-tool cannot be put together as its join says")
	case !probe.Same(joined, result):
		return s.violation(s.chunks, "%s, want the same in both", parts(joined, result))
	}
	return nil
}

// parts says where what the chunks add up to parts from the result: both may be long.
func parts(joined, result any) string {
	came, array := joined.([]any)
	want, too := result.([]any)
	if !array || !too {
		text, whole := probe.TextOf(joined), probe.TextOf(result)
		at := 0
		for at < len(text) && at < len(whole) && text[at] == whole[at] {
			at++
		}
		for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
			at--
		}
		return fmt.Sprintf("the chunks add up to %d bytes of text, and the result has %d; from byte %d on they are %s, and the result is %s",
			len(text), len(whole), at, probe.Show(text[at:]), probe.Show(whole[min(at, len(whole)):]))
	}
	at := 0
	for at < len(came) && at < len(want) && probe.Same(came[at], want[at]) {
		at++
	}
	counts := fmt.Sprintf("the chunks add up to %d elements, and the result has %d", len(came), len(want))
	switch {
	case at == len(came):
		return fmt.Sprintf("%s: element %d is not in the chunks, %s", counts, at+1, probe.Show(want[at]))
	case at > 0 && probe.Same(came[at], came[at-1]):
		return fmt.Sprintf("%s: element %d of the chunks repeats element %d, %s", counts, at+1, at, probe.Show(came[at]))
	case at == len(want):
		return fmt.Sprintf("%s: element %d of the chunks is not in the result, %s", counts, at+1, probe.Show(came[at]))
	}
	return fmt.Sprintf("%s: element %d of the chunks is %s, and of the result %s", counts, at+1, probe.Show(came[at]), probe.Show(want[at]))
}

// repeatsEarlier reports whether each of three chunks or more begins with all that the one
// before it holds, up to an array among the properties of the result.
func (s *streamed) repeatsEarlier() bool {
	const enough = 3
	var before []any
	for _, chunk := range s.chunks {
		data := probe.ArrayOf(chunk.Fields["data"])
		if len(data) <= len(before) || !probe.Same(append([]any{}, data[:len(before)]...), append([]any{}, before...)) {
			return false
		}
		before = data
	}
	answer, _ := s.reply.Result()
	properties, _ := probe.Payload(answer).(map[string]any)
	return len(s.chunks) >= enough && slices.ContainsFunc(slices.Collect(maps.Values(properties)), func(value any) bool {
		return probe.Same(value, before)
	})
}

// longer is an array among the properties of the result that has all that the chunks
// hold, in their order, and more.
func (s *streamed) longer(array []any) any {
	answer, _ := s.reply.Result()
	properties, _ := probe.Payload(answer).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		items, _ := properties[name].([]any)
		found := 0
		for _, item := range items {
			if found < len(array) && probe.Same(item, array[found]) {
				found++
			}
		}
		if found > 1 && found == len(array) && found < len(items) {
			return items
		}
	}
	return nil
}

// joined is the data of the chunks put together, and the result to compare it
// with. Only strings and arrays can be put together.
func (s *streamed) joined(join string) (joined, result any, ok bool) {
	var data []any
	for _, chunk := range s.chunks {
		data = append(data, chunk.Fields["data"])
	}
	return together(join, data, s.reply)
}

func together(join string, data []any, reply *probe.Reply) (joined, result any, ok bool) {
	answer, _ := reply.Result()
	switch join {
	case "concat":
		whole, ok := probe.Payload(answer).(string)
		if _, structured := answer["structuredContent"]; !ok && !structured {
			whole, ok = reply.TextContent(), reply.TextContent() != "" // it was read as JSON
		}
		text, pieces := concatenated(data)
		return text, whole, ok && pieces
	case "array":
		whole, ok := probe.Payload(answer).([]any)
		return flattened(data), whole, ok
	default:
		return nil, nil, false
	}
}

// concatenated joins strings; a chunk without data adds nothing.
func concatenated(data []any) (string, bool) {
	var text strings.Builder
	for _, piece := range data {
		s, ok := piece.(string)
		if !ok && piece != nil {
			return "", false
		}
		text.WriteString(s)
	}
	return text.String(), true
}

// flattened joins arrays. A chunk that is an item by itself adds that item.
func flattened(data []any) []any {
	all := []any{}
	for _, piece := range data {
		if items, ok := piece.([]any); ok {
			all = append(all, items...)
		} else if piece != nil {
			all = append(all, piece)
		}
	}
	return all
}

func splits(s *streamed) error {
	s.some()
	if len(s.chunks) < 2 {
		return s.violation(s.chunks, "the whole result came as one chunk, want two at least")
	}
	return nil
}

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
	for _, value := range probe.ObjectOf(probe.Payload(answer)) {
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
	for _, block := range probe.ArrayOf(answer["content"]) {
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
		if m := frame.Read([]byte(probe.TextOf(read[i]))); m.Class != frame.NotJSON {
			read[i] = m.Value
		}
	}
	return read
}
