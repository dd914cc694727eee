package tasks

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The limits of the server.
const (
	longestLife = time.Hour
	mostRunning = 64     // tasks of one client
	mostKept    = 20_000 // tasks of all clients
	pollEvery   = 100 * time.Millisecond
	mostPolls   = 50 // of one task in a second
)

// The states of tasks.
const (
	working       = "working"
	inputRequired = "input_required"
	completed     = "completed"
	failed        = "failed"
	cancelled     = "cancelled"
)

// A store holds the tasks, the oldest first.
type store struct {
	Options
	faults fault.Tasks
	core   *core.Core

	mu    sync.Mutex
	next  int
	byID  map[string]*task
	order []*task
}

// A task is one call of a tool that works on after its answer. The mutex of the store guards
// all but what is set before the task is kept.
type task struct {
	id       string
	number   int
	owner    string // the principal that made it
	revision requirements.Revision
	created  time.Time
	lost     bool
	turn     *core.Turn // nil for a task of an earlier process
	conv     *core.Conversation
	started  func()        // for tools that ask first
	parted   chan struct{} // its receiver may begin
	expiry   *time.Timer

	ttl       *float64 // in milliseconds; nil for none
	updated   time.Time
	status    string
	message   string
	result    fault.Message
	failure   *core.Error
	questions []*question
	asked     int
	changed   chan struct{} // closed at the next change
	polled    []time.Time
}

// life is how long the task is kept.
func (t *task) life() time.Duration {
	if t.ttl == nil {
		return longestLife
	}
	return time.Duration(*t.ttl * float64(time.Millisecond))
}

func (t *task) over() bool {
	return t.status == completed || t.status == failed || t.status == cancelled
}

// create makes a task in its first state, which is not kept yet.
func (s *store) create(turn *core.Turn, how Tool, wish *float64) (*task, *core.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	running := 0
	for _, t := range s.order {
		if t.owner == turn.Principal() && !t.over() {
			running++
		}
	}
	if running >= mostRunning {
		return nil, &core.Error{Code: tooMany, Message: "too many of the client's tasks are running"}
	}
	life := float64(longestLife / time.Millisecond)
	if wish != nil && (*wish < life || s.faults.AnyLife) {
		life = *wish
	}
	s.next++
	t := &task{
		id: rand.Text(), number: s.next, owner: turn.Principal(), revision: turn.Revision(), created: s.Now(), updated: s.Now(),
		lost: how.Lost, ttl: &life, status: working, changed: make(chan struct{}), conv: turn.Conversation(), parted: make(chan struct{}),
	}
	if s.faults.ID != nil {
		t.id = s.faults.ID(t.number)
	}
	if s.faults.StartsAs != "" {
		t.status = s.faults.StartsAs
	}
	return t, nil
}

// keep lets the task be found.
func (s *store) keep(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[t.id] = t
	s.order = append(s.order, t)
	s.write(t, false)
	for len(s.order) > mostKept {
		s.forget(s.order[0])
	}
}

func (s *store) rename(t *task, id string) { t.id = id }

func (s *store) forget(t *task) {
	if s.byID[t.id] == t {
		delete(s.byID, t.id)
		s.write(t, true)
	}
	s.order = slices.DeleteFunc(s.order, func(other *task) bool { return other == t })
}

// sweep forgets the tasks whose life is over.
func (s *store) sweep() {
	for _, t := range slices.Clone(s.order) {
		if s.Now().After(t.created.Add(t.life())) {
			s.forget(t)
		}
	}
}

// wakes tells whoever waits for a change of the task.
func (t *task) wakes() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// become changes the state of a task, unless it is over. The caller tells of it.
func (s *store) become(t *task, status, message string) (changed bool) {
	if t.over() && !(s.faults.CancelFades && t.status == cancelled) && !(s.faults.CancelsFinished && status == cancelled) {
		return false
	}
	t.status, t.message, t.updated = status, message, s.Now()
	if status != cancelled || !s.faults.CancelWakesNobody {
		t.wakes()
	}
	return true
}

// finish ends a task with the outcome of its tool.
func (s *store) finish(t *task, result fault.Message, failure *core.Error) {
	if t.expiry != nil {
		t.expiry.Stop()
	}
	status, message := completed, ""
	if s.faults.WorksOnToolError && (failure != nil || result["isError"] == true) {
		return
	}
	switch {
	case failure != nil:
		status, message = failed, failure.Message
	case result["isError"] == true && (!t.revision.Modern() || s.faults.FailsOnToolError) && !s.faults.CompletesOnToolError:
		status, message = failed, firstText(result)
	}
	if s.faults.NoMessage {
		message = ""
	}
	s.mu.Lock()
	was := t.status
	if s.faults.StaysAsking && was == inputRequired {
		s.mu.Unlock()
		return
	}
	changed := s.become(t, status, message)
	if changed {
		t.result, t.failure = result, failure
		if s.byID[t.id] == t {
			s.write(t, false)
		}
	}
	s.mu.Unlock()
	if changed && was != status {
		s.tell(t)
	}
}

func firstText(result fault.Message) string {
	content, _ := result["content"].([]any)
	for _, block := range content {
		one, _ := block.(map[string]any)
		if text, ok := one["text"].(string); ok {
			return text
		}
	}
	return "the tool failed"
}

// tell tells the client that made the task of its state.
func (s *store) tell(t *task) {
	if t.revision.Modern() {
		s.core.TaskChanged(t.id, func() map[string]any { return s.detailed(t) })
		return
	}
	if t.conv != nil {
		s.core.Push(t.conv, fault.Message{"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": map[string]any(s.record(t))})
	}
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// record is the task as clients of 2025-11-25 read it.
func (s *store) record(t *task) fault.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fields(t, "ttl", "pollInterval")
}

func (s *store) fields(t *task, ttl, interval string) fault.Message {
	record := fault.Message{
		"taskId": t.id, "status": t.status, "createdAt": stamp(t.created), "lastUpdatedAt": stamp(t.updated),
		ttl: nil, interval: int(pollEvery / time.Millisecond),
	}
	if t.ttl != nil {
		record[ttl] = *t.ttl
	}
	if t.message != "" {
		record["statusMessage"] = t.message
	}
	return record
}

// handle is what a call is answered with that has become a task of the extension.
func (s *store) handle(t *task) fault.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fields(t, "ttlMs", "pollIntervalMs").With("resultType", "task")
}

// detailed is the task of the extension with what belongs to its state.
func (s *store) detailed(t *task) fault.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.fields(t, "ttlMs", "pollIntervalMs")
	switch t.status {
	case inputRequired:
		requests := map[string]any{}
		for _, q := range slices.Backward(t.questions) {
			requests[q.key] = map[string]any(q.request())
		}
		record["inputRequests"] = requests
	case completed:
		record["result"] = t.result.Copy()
	case failed:
		if t.failure != nil {
			record["error"] = object(t.failure)
		} else {
			record["result"] = t.result.Copy()
		}
	}
	return record
}

func object(e *core.Error) map[string]any {
	object := map[string]any{"code": e.Code, "message": e.Message}
	if e.Data != nil {
		object["data"] = e.Data
	}
	return object
}

// find looks up the task that the params of a request name. A task of somebody else does not
// exist for the sender.
func (s *store) find(turn *core.Turn) (*task, *core.Error) {
	id, failure := taskID(turn)
	if failure != nil {
		return nil, failure
	}
	if other, given := s.otherID(turn); given {
		id = other
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	t := s.byID[id]
	switch {
	case t == nil, t.owner != turn.Principal() && !s.faults.AnyOwner:
		return nil, badParams("there is no task with this id, or it is kept no longer")
	case t.lost:
		return nil, &core.Error{Code: cmp.Or(s.faults.LostCode, core.InternalError), Message: "the record of the task cannot be read"}
	}
	return t, nil
}

// tooMany is the error of the server for clients that ask for too much.
const tooMany = -32000

// counted says whether the client may look at the task once more.
func (s *store) counted(t *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	t.polled = slices.DeleteFunc(t.polled, func(at time.Time) bool { return now.Sub(at) > time.Second })
	if len(t.polled) >= mostPolls && !s.faults.AnyRate {
		return false
	}
	t.polled = append(t.polled, now)
	return true
}

func keyOf(number int) string { return "question-" + strconv.Itoa(number) }
