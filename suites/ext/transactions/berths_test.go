package transactions_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const berthRoles = `
roles:
  transaction:
    steps:
      - tool: take
        arguments: {berth: "a-${nonce}"}
        observe: {tool: count, arguments: {berth: "a-${nonce}"}, mode: count}
      - tool: take
        arguments: {berth: "b-${nonce}"}
        observe: {tool: count, arguments: {berth: "b-${nonce}"}, mode: count}
  denied:
    tool: close
    arguments: {berth: "c-${nonce}"}
    observe: {tool: count, arguments: {berth: "c-${nonce}"}, mode: count}
`

// TestLawfulSteps: what a step does may come some time after its answer, and a server may have
// one transaction at a time.
func TestLawfulSteps(t *testing.T) {
	lawful.Servers(t, "ext-transactions", []lawful.Row{
		{Name: "effects that come after the answers", Config: berthRoles, Server: (&berths{late: 200 * time.Millisecond}).server(),
			Over: requirements.HTTP, Judged: []string{"ext-transactions/rollback-twice", "ext-transactions/rollback-spares-others"}},
		{Name: "one transaction at a time, with steps", Config: berthRoles, Server: (&berths{single: true}).server(),
			Over: requirements.HTTP, Judged: []string{
				"ext-transactions/commit", "ext-transactions/rollback-undoes-call", "ext-transactions/compensation-call",
				"ext-transactions/commit-lasts", "ext-transactions/timeout", "ext-transactions/step-denied",
			}},
	})
}

// Berths are taken and released by calls, which may be steps of a transaction.
type berths struct {
	late   time.Duration // how long after its answer a call has its effect
	single bool          // one transaction at a time
	mu     sync.Mutex
	taken  []string
	due    []func() // effects that are to come, in their order
	open   map[string]*journey
}

// A journey is an open transaction: the berths that its steps took, their ids, and the end of it that an
// idle client brings about.
type journey struct {
	took, steps []string
	patience    time.Duration
	end         *time.Timer
}

func (b *berths) server() *fakeserver.Server {
	b.open = map[string]*journey{}
	s := claiming(nil)
	s.Tools = nil
	for _, name := range []string{"take", "release", "close", "count"} {
		tool := fakeserver.Tool(name, name == "count")
		tool["inputSchema"] = map[string]any{
			"type": "object", "required": []any{"berth"}, "properties": map[string]any{"berth": map[string]any{"type": "string"}},
		}
		s.Tools = append(s.Tools, tool)
	}
	s.Answer = fakeserver.Answers{
		"transaction/begin": b.begin, "transaction/commit": b.commit, "transaction/rollback": b.rollback,
		"tools/call": func(r fakeserver.Request) any {
			answer, ok := s.Call(r).(map[string]any)
			if !ok || answer["isError"] != nil {
				return s.Call(r)
			}
			arguments, _ := r.Params["arguments"].(map[string]any)
			meta, _ := r.Params["_meta"].(map[string]any)
			return b.call(fmt.Sprint(r.Params["name"]), fmt.Sprint(arguments["berth"]), meta)
		},
	}
	return s
}

func (b *berths) call(tool, berth string, meta map[string]any) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, step := meta["transaction_id"].(string)
	named, _ := meta["step_id"].(string)
	j := b.open[id]
	switch {
	case step && j == nil:
		return &fakeserver.Error{Code: -32602, Message: "no such transaction"}
	case step && slices.Contains(j.steps, named):
		return &fakeserver.Error{Code: -32602, Message: "the step_id was used"}
	case tool == "close":
		return fakeserver.Flagged(fakeserver.Request{})
	case tool == "count":
		n := 0
		for _, one := range b.taken {
			if one == berth {
				n++
			}
		}
		return fakeserver.Text(fmt.Sprint(n))
	case tool == "release":
		b.later(func() { b.release(berth) })
		return fakeserver.Text("released")
	}
	b.later(func() { b.taken = append(b.taken, berth) })
	answer := fakeserver.Text("taken")
	if step {
		j.end.Reset(j.patience)
		j.took, j.steps = append(j.took, berth), append(j.steps, cmp.Or(named, fmt.Sprint("step-", len(j.took))))
		answer["_meta"] = map[string]any{
			"transaction_id": id, "step_id": j.steps[len(j.steps)-1],
			"compensation": map[string]any{"tool": "release", "arguments": map[string]any{"berth": berth}},
		}
	}
	return answer
}

// later has the effect of a call, at once where the server is prompt.
func (b *berths) later(effect func()) {
	if b.late == 0 {
		effect()
		return
	}
	b.due = append(b.due, effect)
	time.AfterFunc(b.late, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		next := b.due[0]
		b.due = b.due[1:]
		next()
	})
}

func (b *berths) release(berth string) {
	if i := slices.Index(b.taken, berth); i >= 0 {
		b.taken = slices.Delete(b.taken, i, i+1)
	}
}

func (b *berths) begin(r fakeserver.Request) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, _ := r.Params["transaction_id"].(string)
	seconds, ok := r.Params["timeout_seconds"].(float64)
	if !ok {
		seconds = 300
	}
	switch {
	case id == "":
		return &fakeserver.Error{Code: -32602, Message: "transaction_id is missing"}
	case b.open[id] != nil, b.single && len(b.open) > 0:
		return &fakeserver.Error{Code: 1000, Message: "another transaction is open"}
	}
	patience := time.Duration(seconds * float64(time.Second))
	b.open[id] = &journey{patience: patience, end: time.AfterFunc(patience, func() { b.over(id, true) })}
	return map[string]any{"transaction_id": id, "status": "begun"}
}

// over ends a transaction. It is nil where none is open.
func (b *berths) over(id any, undo bool) *journey {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, _ := id.(string)
	j := b.open[name]
	if j == nil {
		return nil
	}
	delete(b.open, name)
	j.end.Stop()
	if undo {
		for _, berth := range j.took {
			b.later(func() { b.release(berth) })
		}
	}
	return j
}

func (b *berths) commit(r fakeserver.Request) any {
	j := b.over(r.Params["transaction_id"], false)
	if j == nil {
		return &fakeserver.Error{Code: -32602, Message: "no such transaction"}
	}
	return map[string]any{"transaction_id": r.Params["transaction_id"], "status": "committed", "steps_completed": len(j.took)}
}

func (b *berths) rollback(r fakeserver.Request) any {
	j := b.over(r.Params["transaction_id"], true)
	if j == nil {
		return &fakeserver.Error{Code: -32602, Message: "no such transaction"}
	}
	undone := []any{}
	for i := len(j.took); i > 0; i-- {
		undone = append(undone, map[string]any{"step_id": j.steps[i-1], "status": "compensated"})
	}
	return map[string]any{"transaction_id": r.Params["transaction_id"], "status": "rolled_back", "steps_compensated": undone}
}
