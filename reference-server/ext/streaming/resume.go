package streaming

import (
	"encoding/json"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/internal/operation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// resume continues an operation after a checkpoint. The answer is the whole answer of
// the call. An operation that has ended is answered with its result; for an operation
// that still runs, because its client lost the connection, resume waits.
func (e *extension) resume(t *core.Turn) (fault.Message, *core.Error) {
	if e.faults.NoCheckpoints {
		return fault.Message{}, nil
	}
	j, from, refusal := e.find(t)
	if refusal != nil {
		return nil, refusal
	}
	operation.Name(t, j.operation)
	for {
		switch result, running := e.store.take(j); {
		case result != nil:
			return result, nil
		case running == nil:
			return e.rerun(t, j, from)
		default:
			select {
			case <-running:
			case <-t.Stopped():
				return nil, &core.Error{Code: core.InternalError, Message: "the request was stopped"}
			}
		}
	}
}

func (e *extension) rerun(t *core.Turn, j *job, from place) (fault.Message, *core.Error) {
	if e.faults.Restarts {
		from = place{}
	}
	rerun := func() (fault.Message, *core.Error) { return t.Rerun(j.tool, j.arguments) }
	result, failure := e.run(t, j, from, rerun)
	if e.faults.EffectAgain && failure == nil {
		const behindTheEnd = 1 << 30
		t.Keep(key{}, &Operation{extension: e, turn: t, job: j, from: behindTheEnd})
		return rerun()
	}
	return result, failure
}

// find reads the operation and the checkpoint in the params.
func (e *extension) find(t *core.Turn) (*job, place, *core.Error) {
	var params struct {
		Operation  *string `json:"operation_id"`
		Checkpoint *string `json:"checkpoint_token"`
	}
	err := json.Unmarshal(t.Params(), &params)
	if err != nil || params.Operation == nil || params.Checkpoint == nil {
		if latest := e.store.latest(); e.faults.Latest && latest != nil {
			return latest, place{}, nil
		}
		if e.faults.ParamsInternal {
			return nil, place{}, &core.Error{Code: core.InternalError, Message: "operation_id or checkpoint_token was not found"}
		}
		return nil, place{}, refuse(t, "INVALID_INPUT", core.InvalidInput, "resume needs operation_id and checkpoint_token, both strings.")
	}
	j := e.store.find(e.identity(t, *params.Operation))
	if j == nil {
		return nil, place{}, refuse(t, "RESOURCE_NOT_FOUND", core.Permanent, "There is no such operation, or it is not kept any longer.")
	}
	from, ok := e.seal.read(j.identity, *params.Checkpoint)
	switch {
	case !ok && e.faults.AnyToken:
		return j, place{}, nil
	case !ok && e.faults.AnyOperation:
		from, ok = e.seal.open(*params.Checkpoint)
	case !ok && e.faults.TokenInternal:
		return nil, place{}, &core.Error{Code: core.InternalError, Message: "the checkpoint could not be read"}
	}
	if !ok {
		return nil, place{}, refuse(t, "INVALID_INPUT", core.InvalidInput, "The checkpoint was not given out for this operation.")
	}
	return j, from, nil
}

// refuse makes an error in the plain form of the protocol and for the
// structured-errors extension.
func refuse(t *core.Turn, code string, category core.Category, text string) *core.Error {
	return t.RefuseError(envelope.InvalidParams, text, core.Refusal{Code: code, Category: category})
}
