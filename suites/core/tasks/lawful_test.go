package tasks_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const roles = "roles: {task-tool: {tool: haul, slow: {tool: haul}, failing: {tool: haul}, required: {tool: haul}}}"

// TestLawful: tasks may be over at once, be kept for ever or not at all, and need not be listed.
func TestLawful(t *testing.T) {
	lawful.Servers(t, "tasks", []lawful.Row{
		{Name: "tasks that are over at once, kept without an end, and never listed", Config: roles, Server: hauling{}.server()},
		{Name: "a task that is over before it could report its progress", Server: hauling{}.server(), Over: requirements.Stdio,
			Config: "roles: {task-tool: {tool: haul, progress: {tool: haul}}}"},
		{Name: "tasks that are forgotten as soon as they are over", Config: roles, Server: hauling{forgets: true}.server()},
		{Name: "capabilities that are booleans, and tasks that can be cancelled", Config: roles, Server: hauling{booleans: true}.server()},
		{Name: "every call with a task is refused", Config: roles, Server: hauling{refuses: true}.server()},
		{Name: "news of a task that come late, and times that are rounded", Config: roles, Over: requirements.Stdio,
			Server: late("2025-11-25T08:30:00.25Z"), Judged: []string{"tasks/valid-transitions", "tasks/created-at-stays"}},
		{Name: "news of a task that come late, with a time that is rounded up", Config: roles, Over: requirements.Stdio,
			Server: late("2025-11-25T08:30:01Z"), Judged: []string{"tasks/valid-transitions"}},
		{Name: "a task that ends in the second in which it began, with milliseconds that are always zero", Config: roles,
			Server: wholeSeconds(), Over: requirements.Stdio, Judged: []string{"tasks/result-blocks"}},
		{Name: "a tool that fails at every second call, and not as a task", Server: hauling{wavers: &atomic.Int64{}}.server(),
			Config: "roles: {task-tool: {tool: haul, failing: {tool: haul, arguments: {load: anchor}}}}"},
		{Name: "tasks that wait for long before they begin, one of which fails", Server: hauling{torn: true, takes: 5 * time.Minute}.server(),
			Over:   requirements.Stdio,
			Config: "roles: {task-tool: {tool: haul, failing: {tool: haul, arguments: {load: anchor}}}}"},
		{Name: "results that show an argument that differs from call to call", Server: hauling{echoes: true}.server(),
			Config: `roles: {task-tool: {tool: haul, arguments: {load: "kit-${nonce}"}}}`, Judged: []string{"tasks/result-identical"}},
		{Name: "a read-only tool that runs as a task only", Server: hauling{only: true}.server()},
		{Name: "no tasks, and a task parameter that means nothing", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		}},
	})
}

// TestLawfulExtension: the tasks of the extension may be bare or have more than is asked for,
// live for ever, tell nobody of their end, and be over before anybody looks.
func TestLawfulExtension(t *testing.T) {
	t.Parallel()
	own := func(s suite.Suite, c suite.Case) bool { return s.Name == "tasks" || c.Watch != nil }
	records := fault.On("tools/call", "tasks/get")
	each := func(change func(record fault.Message)) fault.Change {
		return records.Result(func(result fault.Message) {
			if result["taskId"] != nil {
				change(result)
			}
		})
	}
	for name, habit := range map[string]*fault.Fault{
		"kept for ever": {Reply: each(func(record fault.Message) { record["ttlMs"] = nil })},
		"bare records": {Reply: each(func(record fault.Message) {
			delete(record, "pollIntervalMs")
			if record["status"] != "failed" {
				delete(record, "statusMessage")
			}
		})},
		"further properties": {Reply: each(func(record fault.Message) { record["vendor"], record["progress"] = map[string]any{"x": 1}, 0.5 })},
		"times of another zone, and fractions of milliseconds": {Reply: each(func(record fault.Message) {
			record["createdAt"], record["lastUpdatedAt"], record["ttlMs"] = "2026-07-28T10:30:00+02:00", "2026-07-28T08:30:00.123456Z", 1500.5
		})},
		"ids that are UUIDs": {Tasks: fault.Tasks{ID: func(int) string {
			var b [16]byte
			_, _ = rand.Read(b[:]) // it never fails
			return fmt.Sprintf("%x-%x-4%x-a%x-%x", b[:4], b[4:6], b[6:8], b[7:9], b[10:])
		}}},
		"no questions between the answers and what follows": {Reply: unhurried()},
		"nobody is told": {Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if m["method"] == "notifications/tasks" {
				return nil
			}
			return []fault.Message{m}
		}},
		"cancelled tasks work on":              {Tasks: fault.Tasks{WorksOnCancelled: true}},
		"a reason in the data of each refusal": {Reply: fault.OnError("tasks/get", func(failure fault.Message) { failure["data"] = map[string]any{"reason": "unknown"} })},
	} {
		lawful.Stateless(t, name, own, habit)
	}
}

// TestLawfulForgotten: a task may be forgotten once its client was told of its end.
func TestLawfulForgotten(t *testing.T) {
	t.Parallel()
	own := func(s suite.Suite, c suite.Case) bool { return s.Name == "tasks" || c.Watch != nil }
	var told sync.Map
	lawful.Stateless(t, "tasks that are forgotten once their end was told", own, &fault.Fault{
		Notify: fault.Told("notifications/tasks", func(_ fault.Exchange, record fault.Message) {
			if record["result"] != nil || record["error"] != nil {
				told.Store(record["taskId"], true)
			}
		}),
		Reply: func(x fault.Exchange, m fault.Message) {
			if _, gone := told.Load(x.Param("taskId")); gone && x.Method == "tasks/get" {
				m.Become(x.Refusal(-32602, "no such task"))
			}
		},
	})
}

// unhurried shows a task as it was when it is looked at for the first time after its answers came.
func unhurried() fault.Change {
	var answered sync.Map
	return func(x fault.Exchange, m fault.Message) {
		switch id := x.Param("taskId"); x.Method {
		case "tasks/update":
			answered.Store(id, true)
		case "tasks/get":
			record, ok := m.Result()
			if _, first := answered.LoadAndDelete(id); ok && first {
				record["status"], record["inputRequests"] = "input_required", map[string]any{}
				delete(record, "result")
			}
		}
	}
}

// TestLawfulAtOnce: of two calls that work at the same time a tool may name the one that came
// last, and the time of an update may be rounded.
func TestLawfulAtOnce(t *testing.T) {
	t.Parallel()
	own := func(s suite.Suite, c suite.Case) bool { return s.Name == "tasks" || c.Watch != nil }
	lawful.Handshake(t, "results that name the last call, and times of updates that are rounded up", own, &fault.Fault{
		Reply: fault.Changes(lastLoad, fault.OnResult("tasks/get", func(record fault.Message) {
			record["lastUpdatedAt"] = record["createdAt"].(string)[:17] + "59Z"
		})),
	})
}

// TestLawfulCancelled: a task that was cancelled may have a result, with what the tool had done.
func TestLawfulCancelled(t *testing.T) {
	t.Parallel()
	own := func(s suite.Suite, c suite.Case) bool { return s.Name == "tasks" || c.Watch != nil }
	lawful.Handshake(t, "a cancelled task that has a result", own, &fault.Fault{
		Reply: func(x fault.Exchange, m fault.Message) {
			if failure, _ := m["error"].(map[string]any); x.Method == "tasks/result" && failure["message"] == "the task was cancelled" {
				m.Become(x.Answer(map[string]any{
					"content": fault.Text("half of it was computed"), "isError": true,
					"_meta": map[string]any{"io.modelcontextprotocol/related-task": map[string]any{"taskId": x.Param("taskId")}},
				}))
			}
		},
	})
}

// TestLawfulNumbered: an error may say which call it was.
func TestLawfulNumbered(t *testing.T) {
	t.Parallel()
	own := func(s suite.Suite, c suite.Case) bool { return s.Name == "tasks" || c.Watch != nil }
	numbered := func(failure fault.Message) {
		failure["message"], failure["data"] = fmt.Sprint(failure["message"], " ", rand.Text()), map[string]any{"trace": rand.Text()}
	}
	lawful.Handshake(t, "errors that have a number", own, &fault.Fault{
		Reply: fault.Changes(fault.OnError("tools/call", numbered), fault.OnError("tasks/result", numbered)),
	})
}

// TestLawfulTaskOnly: a server may refuse every call of a tool that does not ask for a task.
func TestLawfulTaskOnly(t *testing.T) {
	t.Parallel()
	own := func(s suite.Suite, c suite.Case) bool { return s.Name == "tasks" || c.Watch != nil }
	lawful.Handshake(t, "a call without a task is refused", own, &fault.Fault{
		Inbound: fault.When(func(x fault.Exchange) bool { return x.Tool() == "protocol_error_job" && x.Param("task") == nil }).
			Refuse(protocol.MethodNotFound, "protocol_error_job runs as a task only"),
	})
}

// lastLoad writes into the result of a computation, task or not, the label that came last.
func lastLoad(x fault.Exchange, m fault.Message) {
	result, _ := m.Result()
	content, _ := result["content"].([]any)
	if x.Method != "tasks/result" && x.Method != "tools/call" || len(content) == 0 || !strings.HasPrefix(fmt.Sprint(content[0].(map[string]any)["text"]), "The load of ") {
		return
	}
	for _, asked := range x.Past {
		var params struct{ Arguments struct{ Label string } }
		if json.Unmarshal(asked.Params, &params) == nil && params.Arguments.Label != "" {
			result["content"] = fault.Text("The last load is " + params.Arguments.Label + ".")
		}
	}
}

// hauling is a server whose one tool is done as soon as it is called.
type hauling struct {
	forgets, booleans, refuses bool
	wavers                     *atomic.Int64 // counts the plain calls with an anchor, of which every second fails
	torn                       bool          // what is done with an anchor fails, as a task or not
	only                       bool          // the tool is read-only, and a plain call of it is refused
	echoes                     bool          // the result shows the load
	takes                      time.Duration // how long a task works
}

func (h hauling) server() *fakeserver.Server {
	var yes any = map[string]any{}
	if h.booleans {
		yes = true
	}
	offers := fakeserver.Offers("tools")
	tasks := map[string]any{"requests": map[string]any{"tools": map[string]any{"call": yes}}}
	if h.booleans {
		tasks["cancel"] = yes
	}
	offers["tasks"] = tasks
	haul, hours := fakeserver.Tool("haul", false), fakeserver.Tool("hours", true)
	haul["execution"] = map[string]any{"taskSupport": "optional"}
	if h.only {
		haul = fakeserver.Tool("haul", true)
		haul["execution"] = map[string]any{"taskSupport": "required"}
	}
	haul["inputSchema"], hours["inputSchema"] = map[string]any{"type": "object"}, map[string]any{"type": "object"}
	kept := &hold{byID: map[string]string{}, loads: map[string]any{}}
	answers := fakeserver.Answers{
		"tools/call": func(r fakeserver.Request) any { return h.call(kept, r) },
		"tasks/get": h.with(kept, func(id, status string) any {
			told := record(id, status)
			if status != "working" && h.takes > time.Second {
				told["lastUpdatedAt"], told["statusMessage"] = "2025-11-25T08:35:00.5Z", "it is over"
			}
			return told
		}),
		"tasks/result": h.with(kept, func(id, status string) any {
			if status == "working" {
				time.Sleep(h.takes)
			}
			kept.mu.Lock()
			defer kept.mu.Unlock()
			if h.tears(kept.loads[id]) {
				return outcome(id, torn())
			}
			return outcome(id, fakeserver.Text(h.hauled(kept.loads[id])))
		}),
	}
	if h.booleans {
		answers["tasks/cancel"] = h.with(kept, func(_, status string) any {
			return &fakeserver.Error{Code: -32602, Message: "the task is " + status}
		})
	}
	return &fakeserver.Server{Capabilities: offers, Tools: []map[string]any{haul, hours}, Answer: answers}
}

// wholeSeconds keeps times in seconds, and writes them with milliseconds all the same.
func wholeSeconds() *fakeserver.Server {
	s := hauling{takes: 600 * time.Millisecond}.server()
	s.Edit = func(text string) string {
		return strings.ReplaceAll(text, `"2025-11-25T08:30:00.5Z"`, `"2025-11-25T08:30:00.000Z"`)
	}
	return s
}

// late tells that a task works after it told that the task is over, with a time at which it
// worked, and tells the time of creation in full where it made the task.
func late(at string) *fakeserver.Server {
	s := hauling{}.server()
	s.Edit = func(text string) string {
		var m struct {
			Result struct {
				ID string `json:"taskId"`
			} `json:"result"`
		}
		if json.Unmarshal([]byte(text), &m) != nil || m.Result.ID == "" {
			return strings.ReplaceAll(text, `"2025-11-25T10:30:00+02:00"`, `"2025-11-25T08:30:00.75Z"`)
		}
		told := record(m.Result.ID, "working")
		told["lastUpdatedAt"] = at
		news, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": told})
		return text + "\n" + string(news)
	}
	return s
}

// A hold keeps the states of tasks.
type hold struct {
	mu    sync.Mutex
	byID  map[string]string
	loads map[string]any
}

func (h hauling) hauled(load any) string {
	if h.echoes {
		return fmt.Sprintf("hauled %v", load)
	}
	return "hauled"
}

func (h hauling) tears(load any) bool { return h.torn && load == "anchor" }

func torn() map[string]any {
	return map[string]any{"content": fault.Text("the rope is torn"), "isError": true}
}

func (h hauling) call(kept *hold, r fakeserver.Request) any {
	_, wanted := r.Params["task"]
	given, empty := r.Params["arguments"].(map[string]any)
	_, without := r.Params["arguments"]
	switch {
	case r.Params["name"] != "haul" && r.Params["name"] != "hours", without && !empty:
		return &fakeserver.Error{Code: -32602, Message: "no such tool, or arguments that are no object"}
	case h.only && !wanted && r.Params["name"] == "haul":
		return &fakeserver.Error{Code: -32601, Message: "as a task only"}
	case !wanted && h.wavers != nil && fmt.Sprint(r.Params["arguments"]) == "map[load:anchor]" && h.wavers.Add(1)%2 == 1:
		return torn()
	case !wanted && h.tears(given["load"]):
		return torn()
	case !wanted:
		return fakeserver.Text(h.hauled(given["load"]))
	case r.Params["name"] != "haul":
		return &fakeserver.Error{Code: -32601, Message: "not as a task"}
	case h.refuses:
		return &fakeserver.Error{Code: -32000, Message: "no room for another task"}
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	id := rand.Text()
	over := "completed"
	if h.tears(given["load"]) {
		over = "failed"
	}
	kept.byID[id], kept.loads[id] = over, given["load"]
	if h.takes > 0 {
		kept.byID[id] = "working"
		time.AfterFunc(h.takes, func() {
			kept.mu.Lock()
			defer kept.mu.Unlock()
			kept.byID[id] = over
		})
	}
	return map[string]any{"task": record(id, "working")}
}

func (h hauling) with(kept *hold, answer func(id, status string) any) func(fakeserver.Request) any {
	return func(r fakeserver.Request) any {
		id, _ := r.Params["taskId"].(string)
		kept.mu.Lock()
		status, known := kept.byID[id]
		kept.mu.Unlock()
		if !known || h.forgets {
			return &fakeserver.Error{Code: -32602, Message: "no such task"}
		}
		return answer(id, status)
	}
}

func record(id, status string) map[string]any {
	return map[string]any{
		"taskId": id, "status": status, "createdAt": "2025-11-25T10:30:00+02:00", "lastUpdatedAt": "2025-11-25T08:30:00.5Z", "ttl": nil,
	}
}

func outcome(id string, of map[string]any) map[string]any {
	result := maps.Clone(of)
	result["_meta"] = map[string]any{"io.modelcontextprotocol/related-task": map[string]any{"taskId": id}}
	return result
}
