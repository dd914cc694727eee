package operations_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	served "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
)

func TestMain(m *testing.M) { proof.Main(m) }

// Every form in which a server may have been written passes.
func TestDialects(t *testing.T) {
	t.Parallel()
	page(nil).Dialects(t, append(progressRows(), streamingRows()...))
}

// A progress record does not say behind which chunk its checkpoint lies, so that
// nobody knows whether a call that begins from its first chunk continues.
func TestPlaceUnknown(t *testing.T) {
	t.Parallel()
	restarts := dialects.Translator{
		Options: server.Options{Fault: &fault.Fault{Ext: served.Switches{Restarts: true}}},
		Out: func(m object) bool {
			if m["method"] == "notifications/stream_chunk" {
				delete(dialects.Child(m, "params"), "checkpoint_token")
			}
			return true
		},
	}
	for _, f := range judged(t, restarts, nil).Findings {
		if f.Case == "ext-streaming/resume-continues" && (f.Status != reports.Skip || f.Reason.Kind != reports.Undecided) {
			t.Errorf("%s %s, want an undecided case: %s %+v", f.Status, f.Case, f.Problem, f.Reason)
		}
	}
}

// onProgress changes the records of progress.
func onProgress(change func(message, params, record object)) func(object) bool {
	return func(m object) bool {
		if m["method"] == "notifications/progress" {
			params := dialects.Child(m, "params")
			change(m, params, dialects.Child(params, "_meta"))
		}
		return true
	}
}

func progressRows() []dialects.Row {
	return []dialects.Row{
		{Name: "the proposal"},
		{
			Name: "a record beside the properties of core", Noted: "the record stands in $.params of notifications/progress", Unseen: "fraction-agrees",
			Server: dialects.Translator{Out: onProgress(func(_, params, record object) {
				for _, name := range []string{"type", "operation_id", "estimated_remaining_seconds", "partial_result", "checkpoint_token"} {
					if value, ok := record[name]; ok {
						params[name] = value
					}
				}
				delete(params, "_meta")
			})},
		},
		{
			Name: "a notification of its own", Noted: "$.params of notifications/operation_progress", Unseen: "fraction-agrees token-string token-integer",
			Server: dialects.Translator{Out: onProgress(func(m, _, record object) { m["method"], m["params"] = "notifications/operation_progress", record })},
		},
		{
			Name: "more work is found on the way", Unseen: "fraction-rises",
			Server: dialects.Translator{Out: onProgress(func(_, params, record object) {
				done := json.Number(fmt.Sprint(params["progress"]))
				reached, _ := done.Float64()
				total := reached * reached * 400
				params["total"], record["progress"] = total, reached/total
			})},
		},
		{
			Name: "nobody knows the whole", Unseen: "fraction fraction-agrees fraction-rises remaining",
			Server: dialects.Translator{Out: onProgress(func(_, params, record object) {
				delete(params, "total")
				delete(record, "progress")
				delete(record, "estimated_remaining_seconds")
			})},
		},
		{
			Name: "nothing but what is required", Unseen: "fraction fraction-agrees fraction-rises remaining partial-result checkpoint-token", Warns: "message",
			Server: dialects.Translator{Out: onProgress(func(_, params, record object) {
				delete(params, "message")
				params["_meta"] = object{"type": "progress", "operation_id": record["operation_id"]}
			})},
		},
	}
}

func streamingRows() []dialects.Row {
	const resumptions = "resume-unknown-token resume-altered-token resume-foreign-token " +
		"resume-without-params resume-without-token resume-without-operation"
	const behind = "resume-no-gap resume-operation resume-final" // about chunks behind the checkpoint
	const orders = "chunk-operation chunk-operation-echo " +
		"sequence-order sequence-complete final-once final-marked before-result result-whole joins splits interleaved"
	counted, carried, alone := &counts{}, &counts{}, &counts{}
	exported := strings.NewReplacer(
		`arguments: {watch: "kit-${nonce}", entries: 8}`, "arguments: {seconds: 0.1}", "join: array", "join: concat",
		"stream-tool:\n    tool: read_log", "stream-tool:\n    tool: export_log")
	return []dialects.Row{
		{
			Name: "params.stream", Noted: "requests for pieces are read from params.stream",
			Server: dialects.Translator{In: func(m object) {
				params := dialects.Child(m, "params")
				meta := dialects.Child(params, "_meta")
				delete(meta, "stream")
				delete(meta, dialects.Prefix+"stream")
				if params["stream"] == true {
					meta["stream"] = true
				}
			}},
		},
		{
			Name:   "chunks for whoever asks for them",
			Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Ext: served.Switches{Undeclared: true}}}},
		},
		{
			Name: "operations that the server names", Warns: "chunk-operation-echo",
			Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Ext: served.Switches{OwnNames: true}}}},
		},
		{
			Name: "chunks as progress", Noted: "chunks come as notifications/progress",
			Server: dialects.Translator{In: carried.remember, Out: carried.carry},
		},
		{
			Name: "an older name of resume", Noted: "resume is offered as operations/resume",
			Server: dialects.Translator{In: func(m object) {
				switch m["method"] {
				case "resume":
					m["method"] = "unknown"
				case "operations/resume":
					m["method"] = "resume"
				}
			}},
		},
		{
			Name: "a call that is made again", Noted: "the call was made again with operation_id and checkpoint_token",
			Unseen: "resume-without-params resume-without-token resume-without-operation",
			Server: dialects.Translator{In: (&counts{}).again},
		},
		{
			Name: "a call that is made again, and reports progress instead of chunks", Noted: "the call was made again with operation_id and checkpoint_token",
			Unseen: "resume-without-params resume-without-token resume-without-operation " + behind,
			Server: dialects.Translator{In: alone.again, Out: alone.withoutChunks},
		},
		{
			Name: "partial results in progress records alone", Undecided: "chunk-shape flag-matches",
			Unseen: behind + " " + orders,
			Server: dialects.Translator{Out: func(m object) bool { return m["method"] != "notifications/stream_chunk" }},
		},
		{
			Name: "the rest alone, in a property", Warns: "resume-continues",
			Server: dialects.Translator{
				Options: server.Options{Fault: &fault.Fault{Reply: fault.OnResult("resume", firstTwoLess)}}, Out: onLines,
			},
		},
		{
			Name: "nothing can be resumed", Unseen: resumptions + " resume-continues resume-no-double-effect checkpoint-token " + behind,
			Server: dialects.Translator{
				In: func(m object) {
					if m["method"] == "resume" {
						m["method"] = "unknown"
					}
				},
				Out: func(m object) bool {
					if params, ok := m["params"].(object); ok {
						delete(params, "checkpoint_token")
						delete(dialects.Child(params, "_meta"), "checkpoint_token")
					}
					return true
				},
			},
		},
		{
			Name: "checkpoints that are counted by operation", Unseen: "resume-foreign-token",
			Server: dialects.Translator{In: counted.back, Out: counted.count},
		},
		{
			Name:   "a progress record has each checkpoint before its chunk does",
			Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Send: ahead}}},
		},
		{
			Name: "only progress records have checkpoints", Unseen: "resume-no-gap", Server: dialects.Translator{Out: func(m object) bool {
				if m["method"] == "notifications/stream_chunk" {
					delete(dialects.Child(m, "params"), "checkpoint_token")
				}
				return true
			}},
		},
		{Name: "one call at a time", Unseen: behind, Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Serial: true}}}},
		{
			Name: "no place for flags", Unseen: "flag-matches flag-matches-slow",
			Server: dialects.Translator{Out: func(m object) bool {
				result, _ := m["result"].(object)
				tools, _ := result["tools"].([]any)
				for _, tool := range tools {
					delete(tool.(object), "supports_streaming")
				}
				return true
			}},
		},
		{
			Name: "a slow tool that has no flag and does not stream", Unseen: behind,
			Server: dialects.Translator{Out: func(m object) bool {
				result, _ := m["result"].(object)
				tools, _ := result["tools"].([]any)
				for _, tool := range tools {
					if entry := tool.(object); entry["name"] == "export_log" {
						delete(entry, "supports_streaming")
					}
				}
				params, _ := m["params"].(object)
				_, page := params["data"].(string)
				return m["method"] != "notifications/stream_chunk" || !page
			}},
		},
		{
			Name: "no final mark", Warns: "final-marked", Unseen: "resume-final",
			Server: dialects.Translator{Out: func(m object) bool {
				if m["method"] == "notifications/stream_chunk" {
					delete(dialects.Child(m, "params"), "is_final")
				}
				return true
			}},
		},
		{Name: "an array in an object", Server: dialects.Translator{Out: onArray(inObject)}},
		{Name: "a text block for each item", Server: dialects.Translator{Out: onArray(inBlocks(func(item any) any { return item }))}},
		{Name: "a text block with an array for each chunk", Server: dialects.Translator{Out: onArray(inBlocks(func(item any) any { return []any{item} }))}},
		{
			Name: "another array in an object", Unseen: "joins",
			Server: dialects.Translator{Out: onArray(func(result object, all []any) {
				result["structuredContent"] = object{"entries": all[1:], "others": []any{}}
				result["content"] = []any{object{"type": "text", "text": "All but the first entry."}}
			})},
		},
		{Name: "strings that are joined", Config: configured(exported)},
		{
			Name: "one tool in both roles, which is not flagged", Config: configured(exported), Warns: "flag-matches", Unseen: "flag-matches-slow",
			Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Ext: served.Switches{Unflagged: "export_log"}}}},
		},
	}
}

// firstTwoLess takes two lines out of the text of a result.
func firstTwoLess(result fault.Message) {
	content, _ := result["content"].([]any)
	block, _ := content[0].(object)
	text, _ := block["text"].(string)
	if lines := strings.SplitAfter(text, "\n"); len(lines) > 3 {
		content[0] = object{"type": "text", "text": strings.Join(lines[2:], "")}
	}
}

// onLines makes the text of an export an array in an object, and so its chunks.
func onLines(m object) bool {
	params, _ := m["params"].(object)
	if data, ok := params["data"].(string); ok {
		params["data"] = []any{data}
	}
	result, _ := m["result"].(object)
	content, _ := result["content"].([]any)
	if len(content) != 1 {
		return true
	}
	text, _ := content[0].(object)["text"].(string)
	if lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"); strings.HasPrefix(text, "Page ") {
		pages := make([]any, len(lines))
		for i, line := range lines {
			pages[i] = strings.TrimSuffix(line, "\n") + "\n"
		}
		result["structuredContent"] = object{"pages": pages}
	}
	return true
}

// ahead sends the checkpoint of a chunk in a progress record before the chunk.
func ahead(x fault.Exchange, m fault.Message) []fault.Message {
	meta, _ := x.Param("_meta").(object)
	chunk, ok := m["params"].(object)
	if m["method"] != "notifications/stream_chunk" || !ok || meta["progressToken"] == nil {
		return []fault.Message{m}
	}
	n, _ := chunk["sequence"].(int)
	return []fault.Message{{"jsonrpc": "2.0", "method": "notifications/progress", "params": object{
		"progressToken": meta["progressToken"], "progress": float64(n) + 0.5, "_meta": object{
			"type": "progress", "operation_id": chunk["operation_id"], "checkpoint_token": chunk["checkpoint_token"],
		},
	}}, m}
}

// onArray changes the results whose text is a JSON array.
func onArray(change func(result object, all []any)) func(object) bool {
	return func(m object) bool {
		result, _ := m["result"].(object)
		content, _ := result["content"].([]any)
		if len(content) != 1 {
			return true
		}
		var all []any
		if text, ok := content[0].(object)["text"].(string); ok && json.Unmarshal([]byte(text), &all) == nil {
			change(result, all)
		}
		return true
	}
}

func inObject(result object, all []any) {
	whole := object{"count": len(all), "entries": all, "missing": []any{}}
	text, _ := json.Marshal(whole)
	result["structuredContent"], result["content"] = whole, []any{object{"type": "text", "text": string(text)}}
}

// inBlocks puts each item into a text block of its own, strings as they are.
func inBlocks(held func(item any) any) func(result object, all []any) {
	return func(result object, all []any) {
		var content []any
		for _, item := range all {
			text, plain := held(item).(string)
			if !plain {
				written, _ := json.Marshal(held(item))
				text = string(written)
			}
			content = append(content, object{"type": "text", "text": text})
		}
		result["content"] = content
	}
}
