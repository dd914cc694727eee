// Package tasks runs calls of tools as tasks: at 2025-11-25 when the client asks for that,
// and at 2026-07-28, for clients that declare the extension, when the tool takes its time.
package tasks

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Key is the key of the extension among the extensions of a server or client.
const Key = "io.modelcontextprotocol/tasks"

// related is the key of the metadata that names the task of a message at 2025-11-25.
const related = "io.modelcontextprotocol/related-task"

// Options are the options of Tasks.
type Options struct {
	Tools    map[string]Tool // that run as tasks
	Now      func() time.Time
	PageSize int
	Fault    *fault.Fault // nil keeps every rule
	Book     *Book        // nil: tasks end with the process
}

// A Tool says how calls of a tool become tasks.
type Tool struct {
	Required  bool // a call without a task is refused
	AsksFirst bool // since 2026-07-28 the call becomes a task when the tool calls Started
	Prompt    bool // since 2026-07-28 the call never becomes a task
	Lost      bool // the record of the task cannot be read
	// Short says of which arguments the call takes no time: since 2026-07-28 it is answered at
	// once then. Short may be nil.
	Short func(arguments json.RawMessage) bool
}

// Tasks are the tasks of a server.
type Tasks struct{ store }

// New returns the tasks of a server: those of its book.
func New(o Options) *Tasks {
	t := &Tasks{store{Options: o, byID: map[string]*task{}}}
	if o.Fault != nil {
		t.faults = o.Fault.Tasks
	}
	t.recall()
	return t
}

// Serve tells the tasks of which core they are.
func (s *Tasks) Serve(c *core.Core) { s.core = c }

// Extension is what the core calls. It wraps all other extensions, which then work within
// the task.
func (s *Tasks) Extension() core.Extension {
	return core.Extension{
		Name: "tasks", Declare: s.declare, CallTool: s.call, Notify: notify, Listen: s.listen, Serve: s.mark, Cancelled: s.callCancelled,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){
			"tasks/get": s.get, "tasks/result": s.result, "tasks/list": s.list, "tasks/cancel": s.cancel, "tasks/update": s.update,
		},
	}
}

// declare tells clients of 2025-11-25 of the tasks that they can ask for, and later clients
// of the extension.
func (s *Tasks) declare(t *core.Turn, capabilities fault.Message) {
	switch {
	case t.Modern():
		capabilities.Object("extensions")[Key] = map[string]any{}
	case t.Revision() == requirements.R20251125:
		none := map[string]any{}
		tasks := map[string]any{"cancel": none, "requests": map[string]any{"tools": map[string]any{"call": none}}}
		if s.identified(t) {
			tasks["list"] = none
		}
		capabilities["tasks"] = tasks
	}
}

// identified says whether the server can tell the sender of the request from other clients.
func (s *Tasks) identified(t *core.Turn) bool {
	return t.Exchange().Transport == requirements.Stdio || t.Principal() != "" || s.faults.ListsToAnybody
}

// mark says in tools/list which tools run as tasks. It marks copies, since all requests share
// the items.
func (s *Tasks) mark(t *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	result, failure := next()
	listed, ok := result["tools"].([]fault.Message)
	if failure != nil || !ok || t.Method() != "tools/list" || t.Revision() != requirements.R20251125 {
		return result, failure
	}
	listed = slices.Clone(listed)
	for i, tool := range listed {
		name, _ := tool["name"].(string)
		if how, known := s.Tools[name]; known {
			listed[i] = tool.With("execution", map[string]any{"taskSupport": how.support()})
		}
	}
	result["tools"] = listed
	return result, nil
}

func (how Tool) support() string {
	if how.Required {
		return "required"
	}
	return "optional"
}

// call runs a call of a tool as a task, or as other calls.
func (s *Tasks) call(call *core.ToolCall, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	switch {
	case call.Method() != "tools/call":
		return next()
	case call.Modern():
		return s.callByChoice(call, next)
	case call.Revision() == requirements.R20251125:
		return s.callByRequest(call, next)
	default:
		return next()
	}
}

// callByRequest makes a task of a call that asks for one.
func (s *Tasks) callByRequest(call *core.ToolCall, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	how, known := s.Tools[call.Name]
	raw, asked := envelope.Members(call.Params())["task"]
	switch {
	case !asked && how.Required && !s.faults.PlainAnyway:
		return nil, &core.Error{Code: core.MethodNotFound, Message: "the tool " + call.Name + " runs as a task only"}
	case !asked, known && s.faults.NoTasks:
		return next()
	case !known && s.faults.ForbiddenPlain:
		return next()
	case !known && !s.faults.ForbiddenAnyway:
		return nil, &core.Error{Code: core.MethodNotFound, Message: "the tool " + call.Name + " does not run as a task"}
	}
	var wish struct {
		TTL    *float64 `json:"ttl"`
		TaskID string   `json:"taskId"`
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &wish) != nil || wish.TTL != nil && *wish.TTL < 0 {
		return nil, badParams("task is not an object with a ttl in milliseconds")
	}
	t, failure := s.create(call.Turn, how, wish.TTL)
	if failure != nil {
		return nil, failure
	}
	if s.faults.ClientID && wish.TaskID != "" {
		s.rename(t, wish.TaskID)
	}
	s.keep(t)
	created := fault.Message{"task": map[string]any(s.record(t))}
	ended := s.start(call, t, next)
	t.turn.Part(&voice{&s.store, t})
	if s.faults.CreatesLate {
		<-ended
	}
	return created, nil
}

// callByChoice makes a task of a call that may take its time, for a client that declares the
// extension.
func (s *Tasks) callByChoice(call *core.ToolCall, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	how, known := s.Tools[call.Name]
	switch {
	case !known || how.Prompt:
		return next()
	case !s.declares(call.Turn) && how.Required && !s.faults.PlainAnyway:
		return nil, lacksExtension()
	case !s.declares(call.Turn) && !s.faults.HandsToAnybody, how.Short != nil && how.Short(call.Arguments):
		return next()
	}
	t, failure := s.create(call.Turn, how, nil)
	if failure != nil {
		return nil, failure
	}
	if !how.AsksFirst || s.faults.HandsTooEarly {
		if s.faults.KeepsLate {
			time.AfterFunc(time.Second, func() { s.keep(t) })
		} else {
			s.keep(t)
		}
		created := s.handle(t)
		s.start(call, t, next)
		t.turn.Part(&voice{&s.store, t})
		return created, nil
	}
	started := make(chan struct{})
	t.started = func() { close(started) }
	ended := s.start(call, t, next)
	select {
	case <-started:
		s.keep(t)
		t.turn.Part(&voice{&s.store, t})
		created := s.handle(t)
		t.parted <- struct{}{}
		return created, nil
	case <-ended: // the tool asks, or has failed
		s.mu.Lock()
		defer s.mu.Unlock()
		return t.result, t.failure
	}
}

// start lets the tool of a call work for its task, and says when it has ended.
func (s *Tasks) start(call *core.ToolCall, t *task, next func() (fault.Message, *core.Error)) <-chan struct{} {
	t.turn = call.Detach()
	t.turn.Keep(taskKey{}, t)
	call.Turn = t.turn
	t.expiry = time.AfterFunc(t.life(), t.turn.Stop)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result, failure := next()
		s.finish(t, t.turn.Shaped(result), failure)
	}()
	return ended
}

// Started says that a tool which asks first now begins the work of its task. It returns when
// the client has its handle.
func Started(turn *core.Turn) {
	t, _ := turn.Kept(taskKey{}).(*task)
	if t != nil && t.started != nil {
		t.started()
		<-t.parted
	}
}

type taskKey struct{}

// notify names the task in the notifications that it sends.
func notify(turn *core.Turn, m fault.Message) fault.Message {
	t, _ := turn.Kept(taskKey{}).(*task)
	params, ok := m["params"].(map[string]any)
	if t == nil || !ok || turn.Modern() {
		return m
	}
	meta := map[string]any{related: map[string]any{"taskId": t.id}}
	if given, ok := params["_meta"].(map[string]any); ok {
		maps.Copy(meta, given)
	}
	return m.With("params", map[string]any(fault.Message(params).With("_meta", meta)))
}

// declares says whether the sender of the request declares the extension.
func (s *Tasks) declares(t *core.Turn) bool {
	capabilities := envelope.Members(t.Capabilities())
	_, declared := envelope.Members(capabilities["extensions"])[Key]
	_, former := capabilities["tasks"]
	return declared || former && s.faults.FormerDeclares
}

func lacksExtension() *core.Error {
	return &core.Error{
		Code: core.MissingCapability, Message: "the client does not declare the extension for tasks",
		Data: map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{Key: map[string]any{}}}},
	}
}

func badParams(text string) *core.Error {
	return &core.Error{Code: envelope.InvalidParams, Message: text}
}
