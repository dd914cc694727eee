// Package idempotency serves the idempotency extension: a tool call that repeats an
// earlier one under the same key has no second effect.
package idempotency

import (
	"encoding/json"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// Options are the options of the extension.
type Options struct {
	Now      func() time.Time
	Lifetime time.Duration // of a key without a ttl in its call; zero is a day
	Fault    *fault.Fault  // nil keeps every rule
}

// New returns the extension. All connections share its store.
func New(o Options) core.Extension {
	if o.Lifetime == 0 {
		o.Lifetime = 24 * time.Hour
	}
	faults := switches(o.Fault)
	switch {
	case faults.ShortDefault:
		o.Lifetime = 0
	case faults.BriefDefault:
		o.Lifetime = 950 * time.Millisecond
	}
	g := &guard{Options: o, Faults: faults, store: store{faults: faults}}
	claim := Prefix + "idempotency"
	if faults.NoClaim {
		claim = ""
	}
	return core.Extension{Name: "idempotency", Key: claim, CallTool: g.call}
}

type guard struct {
	Options
	Faults Switches
	store  store
}

type next = func() (fault.Message, *core.Error)

func (g *guard) call(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	asked, problem := g.read(call)
	if problem != nil {
		switch {
		case g.Faults.MalformedRuns:
			_, _ = run()
		case g.Faults.MalformedLate:
			time.AfterFunc(50*time.Millisecond, func() { _, _ = run() })
		}
		return nil, problem
	}
	if asked.given && g.Faults.KeyRefused {
		return nil, refuse("idempotency_key is not a parameter of this tool")
	}
	if !asked.given {
		return g.keyless(call, run)
	}
	switch {
	case g.Faults.IgnoreKey:
		return run()
	case g.store.full():
		return nil, &core.Error{Code: core.InternalError, Message: "out of memory"}
	}
	if asked.ttl, problem = g.readTTL(call); problem != nil {
		if g.Faults.MalformedTTLRuns {
			_, _ = run()
		}
		return nil, problem
	}
	return g.runOnce(call, asked, run)
}

// keyless serves a call without a key, which only faults change.
func (g *guard) keyless(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	switch {
	case call.Name != booking:
	case g.Faults.KeyDemanded:
		return nil, refuse("a key is needed")
	case g.Faults.KeylessOnce:
		return g.runOnce(call, request{silent: true}, run)
	}
	return run()
}

// runOnce runs a call unless its key was used before.
func (g *guard) runOnce(call *core.ToolCall, asked request, run next) (fault.Message, *core.Error) {
	digest := g.Faults.fingerprint(call)
	id := g.identity(call, asked, digest)
	if g.store.refused(id) {
		if g.Faults.BlockRefused {
			return conflict(call), nil
		}
		return g.pretendedResult(call), nil
	}
	for {
		e, first := g.store.claim(id, digest, g.Now())
		switch {
		case first:
			return g.first(call, asked, e, run)
		case e.digest != digest && g.Faults.ConflictRuns:
			return run()
		case e.digest != digest && !g.Faults.ConflictReplays:
			if g.Faults.ConflictForgets {
				g.store.drop(e)
			}
			return conflict(call), nil
		}
		if answer, failure, done := g.parallel(call, e, run); done {
			return answer, failure
		}
		// The same call is being served or has been served. The server waits for its
		// result instead of telling the client to come back.
		select {
		case <-e.finished:
		case <-call.Stopped():
			return nil, stoppedMeanwhile()
		}
		if result, kept := e.outcome(); kept {
			return g.replay(call, asked, e, result, run)
		}
	}
}

func (g *guard) first(call *core.ToolCall, asked request, e *entry, run next) (fault.Message, *core.Error) {
	if g.Faults.NoEffect {
		run = func() (fault.Message, *core.Error) { call.Ran = true; return g.pretendedResult(call), nil }
	}
	g.awaitParallel(call, e)
	result, failure := run()
	switch {
	case g.Faults.StoreRefused && failure == nil && !call.Ran && result["isError"] == true:
		g.store.keep(e, result, g.Now().Add(g.lifetime(asked)))
		g.mark(call, asked, e, result, false)
	case failure != nil || !call.Ran || stopped(call, result), g.Faults.ErrorForgotten && result["isError"] == true:
		g.store.forget(e) // the call had no effect, so its key is free again
		if (g.Faults.KeepRefused || g.Faults.BlockRefused) && !call.Ran {
			g.store.refuse(e.id)
		}
	default:
		g.store.keep(e, result, g.Now().Add(g.lifetime(asked)))
	}
	if failure != nil {
		return nil, failure
	}
	if call.Ran {
		g.mark(call, asked, e, result, false)
	}
	return result, nil
}

func (g *guard) lifetime(asked request) time.Duration {
	switch {
	case asked.ttl == 0 || g.Faults.IgnoreTTL:
		return g.Lifetime
	case g.Faults.TTLForgets:
		return 0
	case g.Faults.TTLHalved:
		return asked.ttl / 2
	default:
		return asked.ttl
	}
}

// stopped says whether the call was cancelled before its effect.
func stopped(call *core.ToolCall, result fault.Message) bool {
	select {
	case <-call.Stopped():
		return result["isError"] == true
	default:
		return false
	}
}

func stoppedMeanwhile() *core.Error {
	return &core.Error{Code: core.InternalError, Message: "the request was stopped"}
}

func (g *guard) replay(call *core.ToolCall, asked request, e *entry, result fault.Message, run next) (fault.Message, *core.Error) {
	f := g.Faults
	switch repeats := e.repeats.Add(1); {
	case f.RepeatInternal:
		return nil, &core.Error{Code: core.InternalError, Message: "the key is taken"}
	case f.RepeatRefused:
		return failed("The berth is booked already."), nil
	case f.SecondEffect, f.ThirdEffect && repeats > 1:
		if _, failure := run(); failure != nil {
			return nil, failure
		}
	case f.LateEffect:
		time.AfterFunc(400*time.Millisecond, func() { _, _ = run() })
	case f.RepeatEmpty:
		result = fault.Message{"content": []any{}}
	case f.OtherResult:
		result = g.pretendedResult(call)
	case f.RepeatTextless && result["isError"] != true:
		result["content"] = []any{}
	case f.RepeatTextOnly:
		delete(result, "structuredContent")
	case f.ErrorFlagLost:
		delete(result, "isError")
	}
	g.mark(call, asked, e, result, !f.NoFailedFlag || result["isError"] != true)
	return result, nil
}

func conflict(call *core.ToolCall) fault.Message {
	return call.RefuseResult("IDEMPOTENCY_CONFLICT: the key was used for another call.",
		core.Refusal{Code: "IDEMPOTENCY_CONFLICT", Category: core.InvalidInput})
}

func failed(text string) fault.Message {
	return fault.Message{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": true}
}

// fingerprint is equal for calls with the same tool and arguments.
func (f Switches) fingerprint(call *core.ToolCall) string {
	var arguments any
	if f.ArgumentsAsText {
		return call.Name + string(call.Arguments)
	}
	if token := call.Meta("progressToken"); f.MetaCompared && token != nil {
		return call.Name + string(call.Arguments) + string(token)
	}
	if json.Unmarshal(call.Arguments, &arguments) != nil {
		return call.Name + string(call.Arguments)
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return call.Name + string(call.Arguments)
	}
	return call.Name + string(text)
}
