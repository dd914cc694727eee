package jsonrpc

import (
	"bytes"
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// onArray rewrites the answers to an array of messages.
func onArray(change func(answers []json.RawMessage) any) func(fault.Exchange, []byte) []byte {
	return func(_ fault.Exchange, text []byte) []byte {
		var answers []json.RawMessage
		if !bytes.HasPrefix(text, []byte("[")) || json.Unmarshal(text, &answers) != nil {
			return text
		}
		changed, err := json.Marshal(change(answers))
		if err != nil {
			return text
		}
		return changed
	}
}

// batches are faults in serving arrays.
func batches() []fault.Fault {
	stdio := fault.OverStdio(requirements.R20250326)
	return []fault.Fault{{
		Name: "jsonrpc-batch-refused", Title: "batches are rejected in the revision that has them",
		Breaks: "jsonrpc-batch-receive", In: append(fault.OverHTTP(requirements.R20250326), stdio...),
		Bytes: onArray(func([]json.RawMessage) any { return unwelcomeError() }),
	}, {
		Name: "jsonrpc-batch-first-only", Title: "only the first request of a batch is answered",
		Breaks: "jsonrpc-batch-receive", Hangs: true,
		In: stdio, Bytes: onArray(func(answers []json.RawMessage) any { return answers[:min(1, len(answers))] }),
	}, {
		Name: "jsonrpc-batch-first-two", Title: "only the first two requests of a batch are answered",
		Breaks: "jsonrpc-batch-response-coverage", Kills: []string{"jsonrpc/batch-coverage"}, Hangs: true,
		In: stdio, Bytes: onArray(func(answers []json.RawMessage) any { return answers[:min(2, len(answers))] }),
	}, {
		Name: "jsonrpc-batch-notification-answered", Title: "the answer to a batch includes a response to a notification",
		Breaks: "jsonrpc-batch-notification-silent", In: stdio,
		Bytes: onArray(func(answers []json.RawMessage) any {
			extra, err := json.Marshal(unwelcomeError())
			if err != nil {
				return answers
			}
			return append(answers, extra)
		}),
	}}
}

// oddBatches are wrong answers to invalid arrays, and arrays from the server at
// revisions without arrays.
func oddBatches() []fault.Fault {
	return []fault.Fault{{
		Name: "jsonrpc-batch-empty-answered", Title: "an empty batch is answered with an empty array",
		Breaks: "jsonrpc-batch-empty-answer", Skip: []fault.Check{fault.CheckBatchEmpty},
	}, {
		Name: "jsonrpc-batch-empty-unreadable", Title: "an empty batch is rejected as invalid JSON",
		Breaks: "jsonrpc-batch-empty-array", In: fault.OverStdio(requirements.R20250326),
		Skip: []fault.Check{fault.CheckBatchEmpty},
		Bytes: func(_ fault.Exchange, text []byte) []byte {
			if string(bytes.TrimSpace(text)) == "[]" {
				return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`)
			}
			return text
		},
	}, {
		Name: "jsonrpc-batch-members-dropped", Title: "an invalid entry of a batch is ignored",
		Breaks: "jsonrpc-batch-invalid-members", Skip: []fault.Check{fault.CheckBatchMembers},
	}, {
		Name: "jsonrpc-batch-notifications-answered", Title: "a batch of notifications is answered",
		Breaks: "jsonrpc-batch-notifications-only", Inbound: answerTo("notifications/x-in-array", nil, unwelcomeError()),
	}, {
		Name: "jsonrpc-batch-served", Title: "batches are served in revisions that do not have them",
		Breaks: "jsonrpc-batch-rejected", In: fault.OverHTTP(requirements.R20251125),
		Skip: []fault.Check{fault.CheckBatchAllowed},
	}, {
		Name:   "jsonrpc-batch-served-on-stdout",
		Title:  "batches are served, and answered by an array on stdout, in revisions that do not have them",
		Breaks: "stdio-stdout-messages-only", Kills: []string{"stdio/stdout-messages-only"}, Silent: []string{"jsonrpc/batch-rejected"},
		In: fault.OverStdio(requirements.R20250618, requirements.R20260728), Skip: []fault.Check{fault.CheckBatchAllowed},
	}, {
		// Elsewhere a rule of the transport is broken, too, and its case speaks.
		Name: "jsonrpc-batch-sent", Title: "a tools/list response is sent as an event with an array of one message",
		Breaks: "jsonrpc-batch-never-sent", May: []string{"lifecycle/negotiated-version", "tasks/get-no-stream"},
		In: append(fault.OverHTTP(requirements.R20260728, requirements.R20251125, requirements.R20250618),
			fault.OverSSE(requirements.R20241105)...),
		HTTP: fault.HTTP{AlwaysStream: true},
		Bytes: func(x fault.Exchange, text []byte) []byte {
			if x.Method != "tools/list" {
				return text
			}
			return append(append([]byte("["), text...), ']')
		},
	}}
}
