// Package streaming serves the streaming extension: a client that asks for it gets the
// result of a tool in pieces while the tool works, and can resume an interrupted call
// after any piece.
//
// A tool takes part through its Operation: the tool starts where From says, and calls
// Part for each piece of its result. The answer is the whole result all the same: clients
// that ask for no pieces get nothing else, and for the others the answer is what counts.
package streaming

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/internal/operation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const claim = operation.Prefix + "streaming"

// Options are the options of the extension.
type Options struct {
	Tools []string     // the tools that stream their results
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension. All connections share its operations.
func New(o Options) core.Extension {
	faults := switches(o.Fault)
	e := &extension{tools: o.Tools, faults: faults, seal: newSeal(), store: store{jobs: map[identity]*job{}}}
	return core.Extension{
		Name: "streaming", Key: claim,
		CallTool: e.call, Serve: e.flag, Describe: e.describe,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){"resume": e.resume},
	}
}

// identity names an operation of the requester; a fault shares them.
func (e *extension) identity(t *core.Turn, operation string) identity {
	if e.faults.SharedCallers {
		return identity{operation: operation}
	}
	return identity{principal: t.Principal(), operation: operation}
}

type extension struct {
	tools  []string
	faults Switches
	seal   seal
	store  store
	shared shared
}

type next = func() (fault.Message, *core.Error)

// call serves a call of a tool that streams its result.
func (e *extension) call(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	if !slices.Contains(e.tools, call.Name) {
		return run()
	}
	id := operation.ID(call.Turn)
	if e.faults.OwnNames {
		id = operation.Fresh()
	}
	j := &job{
		identity: e.identity(call.Turn, id),
		tool:     call.Name, arguments: call.Arguments,
	}
	if !e.store.begin(j) {
		// Another operation with the id still runs: this one gets another id.
		j.operation = operation.Fresh()
		operation.Name(call.Turn, j.operation)
		e.store.begin(j)
	}
	return e.run(call.Turn, j, place{}, run)
}

// run runs a tool from a place on.
func (e *extension) run(t *core.Turn, j *job, from place, run next) (fault.Message, *core.Error) {
	streams := e.opted(t) && !e.faults.NeverStreams || e.faults.Forced
	o := &Operation{extension: e, turn: t, job: j, from: from.done, sequence: from.sequence, streams: streams}
	t.Keep(key{}, o)
	f := e.faults
	e.shared.begin(f.SharedSequence || f.FallingNumbers || f.Swapped || f.SameResult, t.Stopped())
	result, failure := run()
	switch {
	case e.faults.Swapped:
		result = e.shared.swap(result, t.Stopped())
	case e.faults.SameResult:
		result = e.shared.takeLatest(result)
	}
	if f.TalksOn && j.tool == "read_log" {
		o.talkOn()
	}
	e.shared.end()
	e.store.end(j, result, failure, stopped(t, result))
	if e.faults.Withheld == j.tool && failure == nil && result["isError"] != true && !streams {
		return fault.Message{"content": []any{}}, nil
	}
	return result, failure
}

// stopped says whether the call was cancelled before its result.
func stopped(t *core.Turn, result fault.Message) bool {
	select {
	case <-t.Stopped():
		return result == nil || result["isError"] == true
	default:
		return false
	}
}

// opted says whether the client wants pieces: it declares the extension, and asks for
// pieces in the request.
func (e *extension) opted(t *core.Turn) bool {
	var client struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	}
	declared := json.Unmarshal(t.Capabilities(), &client) == nil && client.Extensions[claim] != nil
	if !declared && !e.faults.Undeclared {
		return false
	}
	return e.faults.Unasked || string(t.Meta("stream")) == "true" || string(t.Meta(operation.Prefix+"stream")) == "true"
}

type key struct{}

// An Operation is a call of a tool that streams its result. The nil Operation, of a
// server without the extension, does nothing.
type Operation struct {
	extension *extension
	turn      *core.Turn
	job       *job
	from      int
	sequence  int
	streams   bool
	held      []any // for a fault: pieces that were not sent
	started   bool  // for a fault: a piece was left out
}

// Of returns the operation of a request.
func Of(t *core.Turn) *Operation {
	o, _ := t.Kept(key{}).(*Operation)
	return o
}

// From is the progress at the checkpoint of a resumed operation, in the tool's own
// measure; zero for a new operation.
func (o *Operation) From() int {
	if o == nil {
		return 0
	}
	return o.from
}

// Part sends a piece of the result. Done is the progress including the piece, and the
// value of From when the call is resumed after it. Part returns the checkpoint; empty
// if the call cannot be resumed.
func (o *Operation) Part(data any, done int, last bool) (checkpoint string) {
	if o == nil {
		return ""
	}
	e, sequence := o.extension, o.sequence
	o.sequence++
	if !e.faults.NoCheckpoints {
		checkpoint = e.seal.token(o.job.identity, place{done: done, sequence: o.sequence})
		e.store.keep(o.job)
	}
	if gap := e.faults.ResumeGap && o.from > 0 && !o.started; gap || !o.streams {
		o.started = true
		return checkpoint
	}
	if e.faults.OneChunk {
		if o.held = append(o.held, data); !last {
			return checkpoint
		}
		data, sequence = joined(o.held), 0
	}
	if e.faults.AllAgain {
		o.held = append(o.held, data)
		data = joined(o.held)
	}
	if o.from == 0 {
		sequence = e.number(sequence)
	}
	chunk := map[string]any{
		"type": "stream_chunk", "operation_id": o.job.operation, "sequence": sequence, "data": data, "is_final": last,
	}
	if checkpoint != "" {
		chunk["checkpoint_token"] = checkpoint
	}
	o.turn.Notify("notifications/stream_chunk", chunk)
	return checkpoint
}
