package degradation

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func plain() []suite.Case {
	return []suite.Case{{
		ID:       "ext-degradation/plain-client",
		Title:    "a client that declares no extension gets what the protocol defines, and nothing else",
		Checks:   []requirements.ID{"ext-degrade-plain-client"},
		Needs:    []suite.Need{suite.Capability("tools")},
		Observes: roles.StateChange,
		Fix: "change results and send notifications of an extension only for clients that declare it; " +
			"otherwise answer in plain form, or with error -32021",
		Run: plainClient,
	}}
}

// A server without extensions treats all clients alike, so that a connection of its
// own would show nothing.
func plainClient(c *probe.Client) error {
	c.NotSeenIf(len(c.Survey().Claims) == 0 && len(c.Survey().Extensions()) == 0,
		"the server claims no extension, so that all clients are the same to it")
	guise := c.Declaring()
	mark := guise.Mark()
	for _, r := range requests(c) {
		c.Must(r.plainly(c, guise))
	}
	guise.Settle(mark)
	told, found := guise.Find(mark, func(s probe.Seen) bool {
		return s.Dir == frame.Received && s.Message().Class == frame.Notification && noticed(s.Message())
	})
	if found {
		return probe.One(told.Frame).Violation("$.method is %q, want no notifications of extensions for a client that declares none",
			told.Message().Method)
	}
	return nil
}

// noticed reports whether a notification is one of an extension. Some of the names are
// ordinary ones, so that the property counts which theirs have.
func noticed(m frame.Message) bool {
	property, known := map[string]string{
		"notifications/event":                   "subscription_id",
		"notifications/subscription_terminated": "subscription_id",
		"notifications/stream_chunk":            "operation_id",
		"notifications/operation_progress":      "operation_id",
		"notifications/session/lifecycle":       "session_id",
	}[m.Method]
	_, there := m.At("/params/" + property)
	return known && there
}

// A request is one that any client may make. Its call is nil where no tool is called.
type request struct {
	method, definition string
	call               *probe.ToolCall
}

// requests are the list of tools and calls of the tools that the file or discovery
// names.
func requests(c *probe.Client) []request {
	all := []request{{method: protocol.Tools().Method, definition: "ListToolsResult"}}
	for _, name := range []roles.Name{roles.ReadOnlyTool, roles.StateChange} {
		role := c.Role(name)
		if role.From("tool") == "" {
			continue
		}
		// A role that names no call of the server's is left out.
		_ = c.Try(func() { all = append(all, request{"tools/call", "CallToolResult", role.Call()}) })
	}
	return all
}

func (r request) ask(c *probe.Client) *probe.Reply {
	if r.call == nil {
		return c.Call(r.method, nil)
	}
	return c.Call(r.method, r.call.Params(nil))
}

// plainly makes the request in the guise. What is no better for other clients is
// nothing about extensions, and others judge it.
func (r request) plainly(c *probe.Client, guise *probe.Client) error {
	reply := r.ask(guise)
	r.undo(c, reply)
	problem := r.problem(c, reply)
	if problem == nil {
		return nil
	}
	usual := r.ask(c)
	r.undo(c, usual)
	var v *probe.Violation
	switch same := r.problem(c, usual); {
	case !errors.As(problem, &v):
		return problem
	case same != nil:
		return nil //nolint:nilerr // what is wrong for all clients is not about this one
	}
	return probe.Shown(reply, usual).Violation("without the declaration of an extension %s", v.Problem)
}

func (r request) undo(c *probe.Client, reply *probe.Reply) {
	if r.call != nil {
		c.Undo(r.call, reply)
	}
}

func (r request) problem(c *probe.Client, reply *probe.Reply) error {
	if wants(reply) {
		return nil
	}
	if err := reply.WantSchema(r.definition); err != nil {
		return err
	}
	if kind, given := reply.At("/result/resultType"); protocol.RequestMeta().At(c.Revision()) && given &&
		kind != protocol.Complete && kind != protocol.InputRequired {
		return reply.Violation("$.result.resultType is %s, want complete", probe.Show(kind))
	}
	return nil
}

// wants reports whether a refusal says which extension the client would have to
// declare: a server need not do without.
func wants(reply *probe.Reply) bool {
	missing, _ := reply.At("/error/data/requiredCapabilities/extensions")
	return reply.HasCode(protocol.MissingCapability) && len(probe.ObjectOf(missing)) > 0
}

// handles look whether what one connection made can be used on another. Revisions
// with sessions may tie it to those.
func handles() []suite.Case {
	checks := []requirements.ID{"ext-degrade-no-session-need"}
	over := func(extension string) []suite.Need {
		return []suite.Need{suite.Over(requirements.HTTP), suite.Claim(extension)}
	}
	return []suite.Case{
		{
			ID:        "ext-degradation/transaction-on-any-connection",
			Title:     "a transaction can be ended on any connection",
			Checks:    checks,
			Needs:     over("transactions"),
			Revisions: protocol.Stateless(),
			Fix:       "keep transactions by their id and their owner, not by connection",
			Run:       transactionElsewhere,
		},
		{
			ID:        "ext-degradation/session-token-on-any-connection",
			Title:     "a session token is known on another connection than it was issued on",
			Checks:    checks,
			Needs:     over("permissions"),
			Revisions: protocol.Stateless(),
			Fix:       "keep session tokens by their text and their owner, not by connection",
			Run:       tokenElsewhere,
		},
	}
}

// twice asks with the handle on a further connection, and where it is refused there
// on the first one: only where it works here does a refusal there show something.
func twice(c *probe.Client, handle string, ask func(*probe.Client) *probe.Reply) error {
	there := ask(c.Opened())
	if good(there) {
		return nil
	}
	here := ask(c)
	c.UndecideIf(!good(here), handle+" is not good on its own connection either: "+here.Outcome())
	return probe.Shown(there, here).Violation("%s got %s on another connection, want the result that it gets on its own",
		handle, there.Outcome())
}

// good reports whether a handle was taken, whatever the answer is.
func good(reply *probe.Reply) bool {
	_, _, failed := proposal.Record(reply)
	return reply.Succeeded() && !failed
}

func transactionElsewhere(c *probe.Client) error {
	c = c.Opened() // down to TCP, as the other one
	id := "kit-elsewhere-" + c.Nonce()
	begun := proposal.BeginTransaction().Ask(c, probe.Object{"transaction_id": id, "timeout_seconds": 10})
	c.UndecideIf(begun.Unknown || !proposal.Done(begun.Reply), "transaction/begin got "+begun.Outcome())
	return twice(c, "the transaction", func(c *probe.Client) *probe.Reply {
		return proposal.RollbackTransaction().Ask(c, probe.Object{"transaction_id": id}).Reply
	})
}

// A token of a session that grants nothing is as good as any: it is known or not.
func tokenElsewhere(c *probe.Client) error {
	c = c.Opened()
	given := proposal.NegotiateScopes().Ask(c, probe.Object{
		"requested_scopes": []string{}, "justification": "conformance run", "ttl_seconds": 300,
	})
	session, _ := given.Object["session"].(map[string]any)
	token, ok := session["token"].(string)
	c.NotSeenIf(!ok || token == "", "no session was opened: "+given.Outcome())
	params := probe.Object{
		"tool": proposal.SomeTool(c), "scopes_held": []string{}, "_meta": probe.Object{"session_token": token},
	}
	return twice(c, "the session token", func(c *probe.Client) *probe.Reply {
		return proposal.CheckPermission().Ask(c, params).Reply
	})
}
