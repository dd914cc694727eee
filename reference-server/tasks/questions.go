package tasks

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A question is one that a task asks its client.
type question struct {
	key    string
	method string
	params map[string]any
	limit  time.Duration
	sent   bool          // a client that waits for the result is asked it
	answer chan answered // has room for one
}

type answered struct {
	result json.RawMessage
	err    error
}

func (q *question) request() fault.Message {
	request := fault.Message{"method": q.method}
	if q.params != nil {
		request["params"] = q.params
	}
	return request
}

// A voice is what a task speaks through.
type voice struct {
	tasks *store
	task  *task
}

// Notify sends what the extension does not forbid.
func (v *voice) Notify(m fault.Message) {
	t := v.task
	switch {
	case t.revision.Modern():
		if v.tasks.faults.TalksToListeners {
			v.tasks.core.TalkToListeners(t.id, m)
		}
	case v.tasks.faults.NoProgress && m["method"] == "notifications/progress":
	case t.conv.Push != nil:
		t.conv.Push(m)
		if params, ok := m["params"].(map[string]any); ok && v.tasks.faults.ProgressAfterwards && params["progress"] == params["total"] {
			for _, more := range []float64{1, 2} {
				later := m.With("params", map[string]any(fault.Message(params).With("progress", params["progress"].(float64)+more)))
				time.AfterFunc(time.Duration(more)*300*time.Millisecond, func() { t.conv.Push(later) })
			}
		}
	}
}

// Ask waits until the client has answered: while it waits for the result at 2025-11-25, and
// by tasks/update since.
func (v *voice) Ask(ctx context.Context, limit time.Duration, method string, params map[string]any) (json.RawMessage, error) {
	s, t := v.tasks, v.task
	q := &question{method: method, params: params, limit: limit, answer: make(chan answered, 1)}
	s.mu.Lock()
	t.asked++
	q.key = keyOf(t.asked)
	if s.faults.Keys != nil {
		q.key = s.faults.Keys(t.asked)
	}
	t.questions = append(t.questions, q)
	changed := false
	if !s.faults.WorksOn {
		changed = s.become(t, inputRequired, "the client is asked")
	}
	s.mu.Unlock()
	if changed {
		s.tell(t)
	}
	defer s.answeredOne(t, q)
	patience := time.NewTimer(limit)
	defer patience.Stop()
	select {
	case a := <-q.answer:
		return a.result, a.err
	case <-ctx.Done():
		return nil, &core.Unanswered{Why: "the task was stopped"}
	case <-patience.C:
		return nil, &core.Unanswered{Why: "the client did not answer " + method + " within " + limit.String()}
	}
}

// answeredOne forgets a question. With the last one the task works again.
func (s *store) answeredOne(t *task, q *question) {
	s.mu.Lock()
	t.questions = slices.DeleteFunc(t.questions, func(other *question) bool { return other == q })
	changed := len(t.questions) == 0 && t.status == inputRequired && !s.faults.StaysAsking && s.become(t, working, "")
	s.mu.Unlock()
	if changed {
		s.tell(t)
	}
}

// toAsk are the questions that nobody is asked so far; from now on they are.
func (t *task) toAsk() []*question {
	var open []*question
	for _, q := range t.questions {
		if !q.sent {
			q.sent = true
			open = append(open, q)
		}
	}
	return open
}

// pose asks a client that waits for the result of the task. Where the client goes away, the
// next one is asked.
func (s *store) pose(turn *core.Turn, t *task, q *question) {
	meta := map[string]any{related: map[string]any{"taskId": t.id}}
	if s.faults.AsksUnrelated {
		meta = nil
	}
	result, err := turn.AskFor(q.limit, q.method, q.params, meta)
	select {
	case <-turn.Stopped():
		s.mu.Lock()
		defer s.mu.Unlock()
		q.sent = false
		t.wakes()
	default:
		q.answer <- answered{result, err}
	}
}
