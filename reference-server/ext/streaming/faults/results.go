package faults

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// asksForPieces says whether a call asks for chunks.
func asksForPieces(x fault.Exchange) bool {
	meta, _ := x.Param("_meta").(map[string]any)
	return x.Method == "tools/call" && meta["stream"] == true
}

// results breaks the agreement of chunks and answer.
func results() []fault.Fault {
	const before, joins, forced = "ext-stream-before-result", "ext-stream-joins", "ext-stream-not-forced"
	return []fault.Fault{
		{Breaks: before, Each: []fault.Fault{{
			Name: "streaming-late-chunk", Title: "a chunk comes after the answer",
			Kills: []string{"ext-streaming/before-result"}, May: []string{"ext-streaming/interleaved", "ext-streaming/not-forced"},
			Send: func(x fault.Exchange, m fault.Message) []fault.Message {
				if !asksForPieces(x) || m["method"] != nil {
					return []fault.Message{m}
				}
				return []fault.Message{m, {"jsonrpc": "2.0", "method": chunkMethod, "params": map[string]any{
					"type": "stream_chunk", "operation_id": "op-late", "sequence": 0, "data": []any{}, "is_final": true,
				}}}
			},
		}, {
			Name: "streaming-later-chunk", Title: "a chunk comes some time after the answer",
			Kills: []string{"ext-streaming/before-result"}, In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
			Ext: streaming.Switches{TalksOn: true},
		}, {
			Name: "streaming-answer-first", Title: "all chunks of a call come after its answer",
			Kills: []string{"ext-streaming/before-result"}, May: []string{"ext-streaming/not-forced"}, Send: withheld,
		}, {
			Name: "streaming-empty-result", Title: "a streamed call is answered with an empty result",
			Kills: []string{"ext-streaming/result-whole"}, Reply: fault.When(asksForPieces).Set("/result/content", []any{}),
		}}},
		{Breaks: joins, Each: []fault.Fault{{
			Name: "streaming-chunk-lost", Title: "the data of a chunk is lost",
			Notify: edit(func(chunk fault.Message) {
				if sequence(chunk) == 2 {
					chunk["data"] = []any{}
				}
			}),
		}, {
			Name: "streaming-end-not-streamed", Title: "the end of the result stands in the answer only",
			Notify: edit(func(chunk fault.Message) {
				if chunk["is_final"] == true {
					chunk["data"] = []any{}
				}
			}),
		}, {
			Name: "streaming-all-again-property", Title: "each chunk holds those before it as well, and the result is a property",
			May: []string{"ext-manifest/output-typed"}, Ext: streaming.Switches{AllAgain: true},
			Reply: fault.Tool("read_log").Result(func(result fault.Message) {
				result["structuredContent"] = map[string]any{"entries": entries(result)}
			}),
		}, {
			Name: "streaming-end-not-streamed-property", May: []string{"ext-manifest/output-typed"},
			Title: "the end of the result, a property of it, is not streamed",
			Notify: edit(func(chunk fault.Message) {
				if chunk["is_final"] == true {
					chunk["data"] = []any{}
				}
			}),
			Reply: fault.Tool("read_log").Result(func(result fault.Message) {
				result["structuredContent"] = map[string]any{"entries": entries(result)}
			}),
		}}},
		{Name: "streaming-forced", Title: "chunks are sent to every client", Breaks: forced, Ext: streaming.Switches{Forced: true}},
		{
			Name: "streaming-unasked", Title: "chunks are sent to a client that declares the extension and does not ask for them",
			Breaks: forced, Ext: streaming.Switches{Unasked: true},
		},
		{
			Name: "streaming-withheld", Title: "a client that asks for no chunks gets an empty result", Breaks: forced,
			Ext: streaming.Switches{Withheld: "read_log"},
			May: []string{"tools/varied-structured-content"}, // the empty result does not fit the output schema
		},
	}
}

// withheld delays the chunks of a log until its call is answered: the chunks are the
// entries of the log and can be made from the answer.
func withheld(x fault.Exchange, m fault.Message) []fault.Message {
	sent := []fault.Message{m}
	result, ok := m.Result()
	switch {
	case x.Tool() != "read_log":
		return sent
	case m["method"] == chunkMethod:
		return nil
	case !ok || !asksForPieces(x):
		return sent
	}
	meta, _ := x.Param("_meta").(map[string]any)
	id, _ := meta["operation_id"].(string)
	all := entries(result)
	for i, entry := range all {
		sent = append(sent, fault.Message{"jsonrpc": "2.0", "method": chunkMethod, "params": map[string]any{
			"type": "stream_chunk", "operation_id": cmp.Or(id, "op-log"), "sequence": i, "data": []any{entry}, "is_final": i == len(all)-1,
		}})
	}
	return sent
}

// entries lists the entries in the text of a log.
func entries(result fault.Message) []any {
	content, _ := result["content"].([]any)
	var all []any
	if len(content) > 0 {
		block, _ := content[0].(map[string]any)
		text, _ := block["text"].(string)
		_ = json.Unmarshal([]byte(text), &all)
	}
	return all
}

// several breaks the chunks of several tools or calls.
func several() []fault.Fault {
	const flags, apart = "ext-stream-flag-matches", "ext-stream-interleaved"
	return []fault.Fault{
		{Breaks: flags, Each: []fault.Fault{{
			Name: "streaming-one-chunk", Title: "the whole result comes as one chunk at the end",
			Kills: []string{"ext-streaming/splits"}, Ext: streaming.Switches{OneChunk: true},
		}, {
			Name: "streaming-unflagged", Title: "a tool streams that is not flagged",
			Kills: []string{"ext-streaming/flag-matches"}, Ext: streaming.Switches{Unflagged: "read_log"},
		}, {
			Name: "streaming-unflagged-slow", Title: "a slow tool streams that is not flagged, and another one is",
			Kills: []string{"ext-streaming/flag-matches-slow"}, Ext: streaming.Switches{Unflagged: "export_log"},
		}}},
		{Breaks: apart, Each: []fault.Fault{{
			Name: "streaming-one-operation", Title: "chunks of all calls have the same operation_id",
			Silent: []string{"ext-streaming/chunk-operation-echo"},
			Notify: fault.Told(chunkMethod, func(x fault.Exchange, chunk fault.Message) {
				if x.Tool() == "read_log" {
					chunk["operation_id"] = "op-1"
				}
			}),
		}, {
			Name: "streaming-shared-sequence", Title: "calls at the same time share one count of chunks",
			Ext: streaming.Switches{SharedSequence: true},
		}, {
			Name:  "streaming-shared-sequence-falls",
			Title: "calls at the same time share one count of chunks, which starts over at every fourth",
			Ext:   streaming.Switches{FallingNumbers: true},
		}, {
			Name: "streaming-results-swapped", Title: "two calls at the same time are answered with each other's result",
			May: []string{"tools/parallel-arguments"}, Ext: streaming.Switches{Swapped: true},
		}, {
			Name: "streaming-results-shared", Title: "two calls at the same time are answered with the result of one of them",
			May: []string{"cancellation/one-call-only", "tools/parallel-arguments"}, Ext: streaming.Switches{SameResult: true},
		}}},
	}
}

// behind changes each chunk of a call that is resumed.
func behind(change func(chunk fault.Message)) fault.Change {
	return fault.Told(chunkMethod, func(x fault.Exchange, chunk fault.Message) {
		if x.Method == "resume" {
			change(chunk)
		}
	})
}

// resumptions breaks the answers of resume.
func resumptions() []fault.Fault {
	const continues = "ext-resume-continues"
	return []fault.Fault{
		{Breaks: continues, Each: []fault.Fault{
			{Name: "streaming-resume-restarts", Title: "a resumed call starts over", Ext: streaming.Switches{Restarts: true}},
			{
				Name:  "streaming-resume-restarts-told-first",
				Title: "a resumed call starts over, and a progress record has each checkpoint before its chunk does",
				Ext:   streaming.Switches{Restarts: true}, Send: progressFirst,
			}, {
				Name:  "streaming-resume-skips",
				Title: "the result of a resumed call lacks what was being done at the interruption",
				Reply: onLines(func(lines []string) []string { return append(lines[:2:2], lines[3:]...) }),
			}, {
				Name: "streaming-resume-tail", Title: "resume answers with the rest only",
				Reply: onLines(func(lines []string) []string { return lines[2:] }),
			},
		}},
		{
			Name: "streaming-resume-renamed", Title: "chunks behind a checkpoint have an operation_id of their own",
			Breaks: "ext-stream-operation-id", Kills: []string{"ext-streaming/resume-operation"},
			Notify: behind(func(chunk fault.Message) { chunk["operation_id"] = "op-resumed" }),
		}, {
			Name: "streaming-resume-unfinished", Title: "no chunk behind a checkpoint is the final one",
			Breaks: "ext-stream-final-once", Kills: []string{"ext-streaming/resume-final"},
			Notify: behind(func(chunk fault.Message) { chunk["is_final"] = false }),
		}, {
			Name: "streaming-resume-final-each", Title: "each chunk behind a checkpoint is the final one",
			Breaks: "ext-stream-final-once", Kills: []string{"ext-streaming/resume-final"},
			Notify: behind(func(chunk fault.Message) { chunk["is_final"] = true }),
		}, {
			Name: "streaming-resume-effect-again", Title: "a resumed call has its effect twice",
			Breaks: "ext-resume-no-double-effect", Ext: streaming.Switches{EffectAgain: true},
		}, {
			Name: "streaming-resume-gap", Title: "the first chunk behind a checkpoint is not sent",
			Breaks: "ext-resume-no-gap", Ext: streaming.Switches{ResumeGap: true},
		}, {
			Name: "streaming-shared-callers", Title: "every client can resume the calls of the others", Breaks: "ext-resume-bound",
			In: fault.OverHTTP(requirements.R20250618, requirements.R20260728), Ext: streaming.Switches{SharedCallers: true},
		},
	}
}

// progressFirst sends a progress record with the checkpoint of each chunk before the
// chunk. Half a step keeps progress growing between two other records.
func progressFirst(x fault.Exchange, m fault.Message) []fault.Message {
	meta, _ := x.Param("_meta").(map[string]any)
	chunk, ok := m["params"].(map[string]any)
	if m["method"] != chunkMethod || !ok || meta["progressToken"] == nil {
		return []fault.Message{m}
	}
	return []fault.Message{{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{
		"progressToken": meta["progressToken"], "progress": float64(sequence(chunk)) + 0.5, "_meta": map[string]any{
			"type": "progress", "operation_id": chunk["operation_id"], "checkpoint_token": chunk["checkpoint_token"],
		},
	}}, m}
}

// onLines changes the lines in the answers of resume.
func onLines(change func(lines []string) []string) fault.Change {
	return fault.OnResult("resume", func(result fault.Message) {
		content, _ := result["content"].([]any)
		if len(content) == 0 {
			return
		}
		block, _ := content[0].(map[string]any)
		text, _ := block["text"].(string)
		if lines := strings.SplitAfter(text, "\n"); len(lines) > 3 {
			content[0] = map[string]any{"type": "text", "text": strings.Join(change(lines), "")}
		}
	})
}

// refusals breaks the refusals of resume.
func refusals() []fault.Fault {
	const bad, missing = "ext-resume-bad-token", "ext-resume-required-params"
	return []fault.Fault{
		{Breaks: bad, Each: []fault.Fault{
			{Name: "streaming-any-token", Title: "with an unknown checkpoint a call starts over", Ext: streaming.Switches{AnyToken: true}},
			{
				Name: "streaming-any-operation", Title: "a checkpoint of one operation is used for another",
				Kills: []string{"ext-streaming/resume-foreign-token"}, May: []string{"ext-streaming/resume-altered-token"},
				Ext: streaming.Switches{AnyOperation: true},
			}, {
				Name: "streaming-token-internal-error", Title: "an unknown checkpoint gets an internal error",
				Ext: streaming.Switches{TokenInternal: true},
			},
		}},
		{
			Name: "streaming-latest-operation", Title: "resume without params takes the latest operation of any client",
			Breaks: missing, Ext: streaming.Switches{Latest: true},
		}, {
			Name: "streaming-params-internal-error", Title: "resume without its params gets an internal error", Breaks: missing,
			Ext: streaming.Switches{ParamsInternal: true},
		}, {
			Name: "streaming-resume-empty", Title: "no call can be resumed, and resume answers with an empty result",
			Breaks: "ext-resume-unsupported-clear", Ext: streaming.Switches{NoCheckpoints: true},
		},
	}
}
