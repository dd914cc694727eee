package jsonrpc

import (
	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// errorCases provoke the errors that every server has to support.
func errorCases() []suite.Case {
	cases := refusals.Cases(refusals.Row{
		ID: "jsonrpc/method-not-found", Title: "an unknown method is rejected with error -32601",
		Checks: []requirements.ID{
			"jsonrpc-method-not-found", "jsonrpc-method-not-found-over-http", "jsonrpc-unknown-method-refused", refusals.Answer,
		},
		Fix:    "answer a request for an unknown method with error -32601 and its id",
		Method: unknown, Well: true, Params: func(*probe.Client) probe.Object { return nil }, Judge: methodNotFound,
	})
	for _, form := range []struct{ slug, title, id, other string }{
		{"integer", "an integer", "900801", "900803"},
		{"text", "a string", `"kit-802"`, `"kit-804"`},
	} {
		cases = append(cases,
			errorID("unknown-method-"+form.slug, "an unknown method", form.title, nil, unknownMethod, form.id),
			errorID("bad-params-"+form.slug, "invalid params", form.title, []suite.Need{suite.Lists()}, withoutName, form.other))
	}
	return append(cases, paramsCases()...)
}

const unknown = "no/such_method"

// That there is an answer, that it is an error, and which one, are three rules.
func methodNotFound(_ *probe.Client, reply *probe.Reply) error {
	problem := reply.WantError(protocol.MethodNotFound)
	if _, isError := reply.At("/error"); reply.Answered() && !isError {
		return probe.Under(problem, "jsonrpc-unknown-method-refused")
	}
	return probe.Under(problem, "jsonrpc-method-not-found", "jsonrpc-method-not-found-over-http")
}

func errorID(slug, what, form string, needs []suite.Need, method func(*probe.Client) string, id string) suite.Case {
	return suite.Case{
		ID:     "jsonrpc/error-id-" + slug,
		Title:  "the error for " + what + " has the id of its request, " + form,
		Checks: []requirements.ID{"jsonrpc-error-response-id-echo"},
		Needs:  needs,
		Fix:    "write the id of the request into its error; leave it out only where it could not be read",
		Run: func(c *probe.Client) error {
			c.Quiet()
			reply := c.Ask(probe.RequestText(id, method(c), c.Params(probe.Object{})), probe.Patient())
			return wantErrorID(c, reply, id)
		},
	}
}

func unknownMethod(*probe.Client) string { return unknown }

// withoutName is a method with a mandatory parameter, from the capability of a list that
// the server declares.
func withoutName(c *probe.Client) string {
	for _, d := range demands() {
		if d.method().Capability == c.AnyList().Capability {
			return d.name
		}
	}
	return ""
}

func wantErrorID(c *probe.Client, reply *probe.Reply, id string) error {
	switch {
	case !reply.Failed():
		c.NotSeen(reply.Method + " got no error")
	case frame.SameID(reply.ID(), id):
		return nil
	case reply.Status() >= 400 && (reply.ID() == "" || reply.ID() == "null"):
		c.Note("the body of the HTTP refusal is an error without the id " + id + " of its request")
		return nil
	}
	return reply.Violation("$.id of the error is %s, want %s", shownID(reply.ID()), id)
}

// A demand is a method with a mandatory parameter, and params with that parameter.
type demand struct {
	slug, name, parameter string
	whole                 probe.Object // names a thing that does not exist
}

func demands() []demand {
	const nowhere = "mcp-conform-names-nothing"
	return []demand{
		{"call-without-name", "tools/call", "name", probe.Object{"name": nowhere, "arguments": probe.Object{}}},
		{"read-without-uri", "resources/read", "uri", probe.Object{"uri": "file:///" + nowhere}},
		{"get-without-name", "prompts/get", "name", probe.Object{"name": nowhere}},
		{"complete-without-ref", "completion/complete", "ref", probe.Object{
			"ref": probe.Object{"type": "ref/prompt", "name": nowhere}, "argument": probe.Object{"name": "of", "value": ""},
		}},
	}
}

func (d demand) method() protocol.Method {
	m, _ := protocol.MethodOf(protocol.Client, d.name)
	return m
}

// paramsCases are safe to try on any server: a call without the name of a tool cannot run
// one.
func paramsCases() []suite.Case {
	checks := []requirements.ID{"jsonrpc-invalid-params", refusals.Answer}
	var rows []refusals.Row
	for _, d := range demands() {
		rows = append(rows, refusals.Row{
			ID: "jsonrpc/invalid-params-" + d.slug, Title: d.name + " without " + d.parameter + " is rejected as invalid params",
			Checks: checks, Needs: []suite.Need{suite.Capability(d.method().Capability)},
			Fix:    "check the params of a request against its method first, and answer error -32602",
			Method: d.name, Quiet: true, Codes: []int{protocol.InvalidParams}, Lacks: d.parameter, Whole: d.whole,
		})
	}
	call := demands()[0]
	return refusals.Cases(append(rows, refusals.Row{
		ID: "jsonrpc/invalid-params-call-without-params", Title: "tools/call without params is rejected as invalid params",
		Checks: checks, Needs: []suite.Need{suite.Capability("tools")},
		Fix: "take missing params as {}, check them against the method first, and answer error -32602",
		// Later, what is missing then is the metadata, which has a rule of its own.
		Revisions: protocol.Handshake(),
		Method:    call.name, Bare: true, Quiet: true, Lacks: call.parameter, Whole: call.whole,
		// What JSON-RPC allows and the method does not may be an invalid request, too.
		Codes: []int{protocol.InvalidParams, protocol.InvalidRequest},
	})...)
}

func internalCases() []suite.Case {
	return []suite.Case{{
		ID:     "jsonrpc/internal-error",
		Title:  "a failure inside the server is answered as an internal error",
		Checks: []requirements.ID{"jsonrpc-internal-error"},
		Needs:  []suite.Need{suite.Role(roles.Failure, "request")},
		Fix:    "catch what a handler throws, and answer its request with error -32603",
		Run:    internalError,
	}}
}

func internalError(c *probe.Client) error {
	failing := c.Role(roles.Failure).Fields().At("request")
	given, _ := failing.Arguments("params")
	params, err := roles.Call{Arguments: given}.Expand(roles.Vars{Nonce: c.Nonce()})
	c.Must(err)
	c.Act(failing.At("before"))
	c.Cleanup(func() { c.Act(failing.At("after")) })
	reply := c.Call(failing.Text("method"), probe.Object(params.Arguments))
	c.UndecideIf(reply.Served(), "the request of roles.failure.request does not fail")
	return reply.WantError(protocol.InternalError)
}
