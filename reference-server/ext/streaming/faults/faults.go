// Package faults holds the ways to break the streaming extension.
package faults

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	return slices.Concat(shapes(), orders(), results(), several(), resumptions(), refusals())
}

const chunkMethod = "notifications/stream_chunk"

// edit changes each chunk.
func edit(change func(chunk fault.Message)) fault.Change {
	return fault.Told(chunkMethod, func(_ fault.Exchange, chunk fault.Message) { change(chunk) })
}

func sequence(chunk fault.Message) int {
	n, _ := chunk["sequence"].(int)
	return n
}

// shapes breaks single chunks.
func shapes() []fault.Fault {
	const shape, operation = "ext-stream-chunk-shape", "ext-stream-operation-id"
	return []fault.Fault{
		{Breaks: shape, Each: []fault.Fault{
			{
				Name: "streaming-never", Title: "streaming is declared, and no chunk is ever sent",
				Kills: []string{"ext-streaming/chunk-shape", "ext-streaming/flag-matches"},
				// Partial results in progress records may be what is meant by streaming.
				Notify: fault.Drop("notifications/progress", "/params/_meta/partial_result"),
				Ext:    streaming.Switches{NeverStreams: true},
			},
			{Name: "streaming-sequence-missing", Title: "chunks have no sequence", Notify: fault.Drop(chunkMethod, "/params/sequence")},
			{
				Name: "streaming-sequence-string", Title: "sequence is a string",
				Notify: edit(func(chunk fault.Message) { chunk["sequence"] = string(rune('0' + sequence(chunk)%10)) }),
			},
			{Name: "streaming-type-chunk", Title: `the type of a chunk is "chunk"`, Notify: fault.Set(chunkMethod, "/params/type", "chunk")},
			{Name: "streaming-operation-missing", Title: "chunks have no operation_id", Notify: fault.Drop(chunkMethod, "/params/operation_id")},
			{
				Name: "streaming-operation-empty", Title: "the operation_id of chunks is an empty string",
				Silent: []string{"ext-streaming/chunk-operation-echo", "ext-streaming/interleaved", "ext-streaming/resume-continues"},
				Notify: fault.Set(chunkMethod, "/params/operation_id", ""),
			},
			{
				Name: "streaming-checkpoint-number", Title: "checkpoint_token of a chunk is a number",
				Notify: edit(func(chunk fault.Message) { chunk["checkpoint_token"] = sequence(chunk) }),
			},
		}},
		{Breaks: operation, Each: []fault.Fault{
			{
				Name: "streaming-operation-each", Title: "each chunk of a call has another operation_id, and none has a checkpoint",
				Kills: []string{"ext-streaming/chunk-operation"}, Notify: fault.Told(chunkMethod, perChunk),
			}, {
				Name: "streaming-operation-renamed", Title: "chunks do not have the operation_id that the client sent",
				Kills: []string{"ext-streaming/chunk-operation-echo"}, Ext: streaming.Switches{OwnNames: true},
			},
		}},
	}
}

// perChunk takes the checkpoint from a chunk of a log and gives it an operation of its own.
func perChunk(x fault.Exchange, chunk fault.Message) {
	if x.Tool() == "read_log" {
		delete(chunk, "checkpoint_token")
		chunk["operation_id"] = fmt.Sprint(chunk["operation_id"], "-", sequence(chunk))
	}
}

// orders breaks the order of chunks.
func orders() []fault.Fault {
	const order, final = "ext-stream-sequence-order", "ext-stream-final-once"
	rises := []string{"ext-streaming/sequence-order"}
	return []fault.Fault{
		{Breaks: order, Each: []fault.Fault{{
			Name: "streaming-sequence-repeats", Title: "each sequence number comes twice", Kills: rises,
			Notify: edit(func(chunk fault.Message) { chunk["sequence"] = sequence(chunk) / 2 }),
		}, {
			Name: "streaming-sequence-falls", Title: "sequence numbers count down", Kills: rises,
			Silent: []string{
				"ext-streaming/sequence-complete", "ext-streaming/final-once", "ext-streaming/resume-continues", "ext-streaming/resume-final",
			},
			Notify: edit(func(chunk fault.Message) { chunk["sequence"] = 100 - sequence(chunk) }),
		}, {
			Name: "streaming-sequence-restarts", Title: "sequence numbers start over in the middle", Kills: rises,
			May:    []string{"ext-streaming/final-once", "ext-streaming/resume-continues"},
			Notify: edit(func(chunk fault.Message) { chunk["sequence"] = sequence(chunk) % 4 }),
		}, {
			Name: "streaming-sequence-gaps", Title: "sequence numbers count by two",
			Kills:  []string{"ext-streaming/sequence-complete"},
			Notify: edit(func(chunk fault.Message) { chunk["sequence"] = 2 * sequence(chunk) }),
		}, {
			Name: "streaming-sequence-from-one", Title: "sequence numbers start at 1",
			Kills:  []string{"ext-streaming/sequence-complete"},
			Notify: edit(func(chunk fault.Message) { chunk["sequence"] = 1 + sequence(chunk) }),
		}}},
		{Breaks: final, Each: []fault.Fault{{
			Name: "streaming-all-final", Title: "every chunk is marked as the final one",
			Kills: []string{"ext-streaming/final-once"}, Silent: []string{"ext-streaming/resume-final"},
			Notify: fault.Set(chunkMethod, "/params/is_final", true),
		}, {
			Name: "streaming-after-final", Title: "a chunk follows the final one", Kills: []string{"ext-streaming/final-once"},
			Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
				chunk, _ := m["params"].(map[string]any)
				if m["method"] != chunkMethod || chunk["is_final"] != true {
					return []fault.Message{m}
				}
				more := maps.Clone(chunk)
				more["sequence"], more["is_final"], more["data"] = sequence(chunk)+1, false, []any{}
				return []fault.Message{m, m.With("params", more)}
			},
		}, {
			Name: "streaming-final-string", Title: `is_final is "true"`, Kills: []string{"ext-streaming/final-once"},
			Notify: edit(func(chunk fault.Message) {
				if chunk["is_final"] == true {
					chunk["is_final"] = "true"
				}
			}),
		}, {
			Name: "streaming-no-final", Title: "no chunk is marked as the final one",
			Kills: []string{"ext-streaming/final-marked"}, Notify: fault.Set(chunkMethod, "/params/is_final", false),
		}}},
	}
}
