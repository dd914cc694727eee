package tasks

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// errorCases judge how requests about tasks are refused.
func errorCases() []suite.Case {
	unknown := func(method string, needs ...suite.Need) refusals.Row {
		slug := strings.TrimPrefix(method, "tasks/")
		return refusals.Row{
			ID: "tasks/unknown-id-" + slug, Title: method + " of a task that does not exist is refused as invalid params",
			Checks: []requirements.ID{"tasks-unknown-id"}, Needs: needing(needs...),
			Fix:    "answer error -32602 where no task has the id",
			Method: method, Well: true, Codes: []int{protocol.InvalidParams},
			Params: func(c *probe.Client) probe.Object { return probe.Object{"taskId": "no-such-" + c.Nonce()} },
			Judge: func(c *probe.Client, reply *probe.Reply) error {
				err := reply.WantError(protocol.InvalidParams)
				if reply.HasCode(protocol.MethodNotFound) && listUnknown(c) {
					return probe.Unless(err, probe.Elsewhere{Case: invalidCursor, Why: "tasks/list is an unknown method too"})
				}
				return err
			},
		}
	}
	return slices.Concat(
		refusals.Cases(unknown(getTask), unknown(getResult), unknown(cancelTask, suite.Capability("tasks.cancel"))),
		[]suite.Case{
			{
				ID:     "tasks/invalid-id",
				Title:  "tasks/get with a number as the id of a task is refused as invalid params",
				Checks: []requirements.ID{"tasks-unknown-id"},
				Needs:  needing(),
				Fix:    "check the type of taskId, and answer error -32602 where it is not a string",
				Run:    invalidID,
			},
			{
				ID:     "tasks/internal-error",
				Title:  "a failure inside the server is answered with error -32603",
				Checks: []requirements.ID{"tasks-internal-error"},
				Needs:  needing(suite.Role(roles.Failure, "tasks")),
				Fix:    "answer error -32603 where a task cannot be read for a reason inside the server",
				Run:    internalError,
			},
			{
				ID:     "tasks/informative-errors",
				Title:  "the error for a task that does not exist says so",
				Checks: []requirements.ID{"tasks-informative-errors"},
				Needs:  needing(),
				Fix:    "write into the message of the error what is wrong",
				Run:    informativeErrors,
			},
		},
	)
}

// invalidID warns at most: SDKs answer what breaks a schema with -32603.
func invalidID(c *probe.Client) error {
	reply := c.Ask(c.Compose(getTask, probe.Object{"taskId": 17}), probe.Patient())
	err := reply.WantError(protocol.InvalidParams)
	if err != nil {
		refusals.Apart(c, reply, c.Call(getTask, probe.Object{"taskId": "no-such-" + c.Nonce()}), "tasks/unknown-id-get")
	}
	return probe.AtMostWarn(err)
}

func internalError(c *probe.Client) error {
	broken := c.Role(roles.Failure).Fields().At("tasks")
	c.Cleanup(func() { c.Act(broken.At("after")) })
	c.Act(broken.At("before"))
	t := created(c, ask(c, c.Role(roles.Failure).Field("tasks"), nil))
	reply := get(c, t)
	return probe.Unless(refusals.Internal(reply), unknownGet(reply))
}

// unknownGet tells what judges that the server does not know tasks/get.
func unknownGet(reply *probe.Reply) probe.Elsewhere {
	if !reply.HasCode(protocol.MethodNotFound) {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "tasks/unknown-id-get", Why: "the server does not know tasks/get"}
}

func informativeErrors(c *probe.Client) error {
	reply := c.Call(getTask, probe.Object{"taskId": "no-such-" + c.Nonce()})
	return informative(c, reply)
}
