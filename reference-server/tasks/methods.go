package tasks

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func unknownMethod() *core.Error {
	return &core.Error{Code: core.MethodNotFound, Message: "unknown method"}
}

func taskID(turn *core.Turn) (string, *core.Error) {
	id, ok := envelope.Text(envelope.Members(turn.Params())["taskId"])
	if !ok {
		return "", badParams("taskId is not a string")
	}
	return id, nil
}

// otherID is the task in the metadata of a request, which only a fault looks at.
func (s *store) otherID(turn *core.Turn) (string, bool) {
	if !s.faults.TrustsMetadata {
		return "", false
	}
	return envelope.Text(envelope.Members(turn.Meta(related))["taskId"])
}

// named finds the task of a request of 2025-11-25 or of the extension.
func (s *Tasks) named(turn *core.Turn) (*task, *core.Error) {
	switch {
	case !turn.Modern() && turn.Revision() != requirements.R20251125:
		return nil, unknownMethod()
	case !turn.Modern() || s.declares(turn) || s.faults.ServesUndeclared:
		return s.find(turn)
	}
	t, failure := s.find(turn)
	if failure != nil || t.revision.Modern() || !former(turn) {
		return nil, lacksExtension()
	}
	return t, nil
}

// former says whether the client declares the tasks of 2025-11-25.
func former(turn *core.Turn) bool {
	_, declared := envelope.Members(turn.Capabilities())["tasks"]
	return declared
}

func (s *Tasks) get(turn *core.Turn) (fault.Message, *core.Error) {
	if s.faults.StreamsGet {
		turn.Open()
	}
	t, failure := s.named(turn)
	switch {
	case failure != nil:
		return nil, failure
	case !s.counted(t):
		return nil, &core.Error{Code: tooMany, Message: "the task was looked at too often; wait as long as pollInterval says"}
	case t.revision.Modern():
		return s.detailed(t), nil
	}
	return s.record(t), nil
}

// result waits for the end of a task, and asks the client meanwhile what the task asks.
func (s *Tasks) result(turn *core.Turn) (fault.Message, *core.Error) {
	if turn.Revision() != requirements.R20251125 {
		return nil, unknownMethod()
	}
	t, failure := s.named(turn)
	if failure != nil {
		return nil, failure
	}
	for {
		s.mu.Lock()
		over, changed := t.over() || s.faults.NoWait, t.changed
		var open []*question
		if !over {
			open = t.toAsk()
		}
		result, failed := t.result.Copy(), t.failure
		s.mu.Unlock()
		for _, q := range open {
			go s.pose(turn, t, q)
		}
		if over {
			return outcome(t, result, failed)
		}
		select {
		case <-changed:
		case <-turn.Stopped():
			return nil, &core.Error{Code: core.InternalError, Message: "the request was stopped"}
		}
	}
}

func outcome(t *task, result fault.Message, failure *core.Error) (fault.Message, *core.Error) {
	switch {
	case failure != nil:
		return nil, failure
	case result == nil:
		return nil, &core.Error{Code: core.InternalError, Message: "the task was cancelled"}
	}
	result.Object("_meta")[related] = map[string]any{"taskId": t.id}
	return result, nil
}

// list shows clients their own tasks, the newest first.
func (s *Tasks) list(turn *core.Turn) (fault.Message, *core.Error) {
	if turn.Revision() != requirements.R20251125 || !s.identified(turn) {
		return nil, unknownMethod()
	}
	after, failure := s.after(turn)
	if failure != nil {
		return nil, failure
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	page, last := []any{}, 0
	for _, t := range slices.Backward(s.order) {
		switch {
		case t.owner != turn.Principal() && !s.faults.ListsAll, t.revision.Modern(), after > 0 && t.number >= after, t.lost:
		case s.faults.Hides != nil && s.faults.Hides(t.status):
		case len(page) == s.PageSize && !s.faults.OnePage:
			return fault.Message{"tasks": page, "nextCursor": core.SealCursor("tasks/list", strconv.Itoa(last))}, nil
		default:
			page, last = append(page, map[string]any(s.fields(t, "ttl", "pollInterval"))), t.number
		}
	}
	return fault.Message{"tasks": page}, nil
}

// after is the number of the last task of the page before.
func (s *Tasks) after(turn *core.Turn) (int, *core.Error) {
	raw, given := envelope.Members(turn.Params())["cursor"]
	if !given {
		return 0, nil
	}
	cursor, _ := envelope.Text(raw)
	last, ok := core.OpenCursor("tasks/list", cursor)
	number, err := strconv.Atoi(last)
	switch {
	case (!ok || err != nil) && s.faults.AnyCursor:
		return 0, nil
	case !ok || err != nil:
		return 0, badParams("the cursor was not issued for this list")
	}
	return number, nil
}

// cancel ends a task. At 2025-11-25 the answer is its record, and a task that is over cannot
// be cancelled; since, a client is told no more than that its wish is known.
func (s *Tasks) cancel(turn *core.Turn) (fault.Message, *core.Error) {
	t, failure := s.named(turn)
	if failure != nil {
		return nil, failure
	}
	s.mu.Lock()
	was := t.status
	changed := !s.faults.CancelsNothing && (!t.over() || s.faults.CancelsFinished) && s.become(t, cancelled, "the client cancelled the task")
	if changed {
		t.result, t.failure = nil, nil
		s.write(t, false)
	}
	s.mu.Unlock()
	if changed && !s.faults.WorksOnCancelled && t.turn != nil {
		t.turn.Stop()
	}
	if changed {
		s.tell(t)
	}
	switch {
	case turn.Modern() && t.revision.Modern():
		return fault.Message{}, nil
	case !changed && !s.faults.CancelsNothing && !s.faults.ShowsCancelled:
		return nil, badParams("the task is " + was + " and cannot be cancelled")
	}
	return s.record(t), nil
}

// callCancelled leaves tasks alone, since their calls have been answered.
func (s *store) callCancelled(conv *core.Conversation, id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.order {
		if s.faults.NotificationCancels && t.turn != nil && t.conv == conv && string(t.turn.Exchange().ID) == string(id) &&
			s.become(t, cancelled, "") {
			t.turn.Stop()
		}
	}
}

// update takes the answers of a client to what a task of the extension asks.
func (s *Tasks) update(turn *core.Turn) (fault.Message, *core.Error) {
	if !turn.Modern() {
		return nil, unknownMethod()
	}
	t, failure := s.named(turn)
	if failure != nil {
		return nil, failure
	}
	raw := envelope.Members(turn.Params())["inputResponses"]
	var answers map[string]map[string]json.RawMessage
	if json.Unmarshal(raw, &answers) != nil || answers == nil {
		return nil, badParams("inputResponses is not an object of answers")
	}
	given := envelope.Members(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range t.questions {
		if one, ok := given[q.key]; ok && !q.sent {
			q.sent = true
			q.answer <- answered{result: one}
		}
		delete(given, q.key)
	}
	for _, q := range t.questions {
		for _, one := range given {
			if s.faults.AnyKeyAnswers && !q.sent {
				q.sent = true
				q.answer <- answered{result: one}
			}
		}
	}
	if len(given) > 0 && s.faults.RefusesUnknownKeys {
		return nil, badParams("inputResponses answers what was not asked")
	}
	return fault.Message{}, nil
}

// listen says of which tasks a subscriber is told: of the tasks that it could look at.
func (s *Tasks) listen(turn *core.Turn, tasks []string) ([]string, *core.Error) {
	if !s.declares(turn) && !s.faults.TellsUndeclared {
		return nil, lacksExtension()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var agreed []string
	for _, id := range tasks {
		if t := s.byID[id]; t != nil && (t.owner == turn.Principal() || s.faults.AnyListener) && t.revision.Modern() {
			agreed = append(agreed, id)
		}
	}
	return agreed, nil
}
