package tasks

import (
	"maps"
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const updateTask = "tasks/update"

// extended are needs of a case of the extension, with what all of them need.
func extended(more ...suite.Need) []suite.Need {
	return append([]suite.Need{suite.Capability("extensions." + protocol.TasksExtension)}, more...)
}

// able is the client with the extension, and with a user.
func able(c *probe.Client) *probe.Client {
	extensions := probe.Object{protocol.TasksExtension: probe.Object{}}
	maps.Copy(extensions, probe.ObjectOf(c.Capabilities()["extensions"]))
	return c.With(c.Capabilities().With("extensions", extensions).With("elicitation", probe.Object{}))
}

// about are the options of a request about a task: over HTTP a header repeats the id.
func about(id string) probe.Option {
	return probe.WithHeader(http.Header{protocol.HeaderName: {id}})
}

// take calls a tool as a client with the extension. A server may answer at once; then the
// case ends.
func take(c *probe.Client, field string) task { return taken(c, c.CallTool(callOf(c, field), nil)) }

func taken(c *probe.Client, reply *probe.Reply) task {
	id, _ := reply.At("/result/taskId")
	c.NotSeenIf(probe.TextOf(id) == "", "the call is not answered with a task: "+reply.Outcome())
	return task{reply, probe.TextOf(id)}
}

func look(c *probe.Client, t task) *probe.Reply { return c.Call(getTask, named(t), about(t.id)) }

func answerTo(c *probe.Client, t task, answers probe.Object) *probe.Reply {
	return c.Call(updateTask, named(t).With("inputResponses", answers), about(t.id))
}

func stop(c *probe.Client, t task) *probe.Reply { return c.Call(cancelTask, named(t), about(t.id)) }

// follow looks at a task until the answer fits, shows no state, or waits.max is over.
func follow(c *probe.Client, t task, fits func(*probe.Reply) bool) (last *probe.Reply, found bool) {
	for began := time.Now(); ; {
		last = look(c, t)
		switch {
		case fits(last):
			return last, true
		case !isStatus(statusOf(last)), time.Since(began) > c.Waits().Max:
			return last, false
		}
		c.Pause(interval(last, "/result/pollIntervalMs"))
	}
}

func finish(c *probe.Client, t task) *probe.Reply {
	last, found := follow(c, t, ended)
	c.UndecideIf(!found, unended(c, last))
	return last
}

// parked waits until the task asks its client.
func parked(c *probe.Client, t task) *probe.Reply {
	last, _ := follow(c, t, func(r *probe.Reply) bool { return statusOf(r) == inputRequired || ended(r) })
	c.NotSeenIf(statusOf(last) != inputRequired, "the task does not ask its client")
	return last
}

// asked are the input requests in the record of a task.
func asked(r *probe.Reply) map[string]any {
	requests, _ := r.At("/result/inputRequests")
	return probe.ObjectOf(requests)
}
