package jsonrpc

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// errorCases provoke the errors that every server has to support.
func errorCases() []suite.Case {
	cases := []suite.Case{{
		ID:    "jsonrpc/method-not-found",
		Title: "an unknown method is rejected with error -32601",
		Checks: []requirements.ID{
			"jsonrpc-method-not-found", "jsonrpc-method-not-found-over-http", "jsonrpc-unknown-method-refused", "jsonrpc-single-response",
		},
		Fix: "answer a request for an unknown method with error -32601 and its id",
		Run: methodNotFound,
	}}
	for _, form := range []struct{ slug, title, id string }{
		{"integer", "an integer", "900801"},
		{"text", "a string", `"kit-802"`},
	} {
		cases = append(cases,
			errorID("unknown-method-"+form.slug, "an unknown method", form.title, nil, unknownMethod, form.id),
			errorID("bad-params-"+form.slug, "invalid params", form.title, []suite.Need{suite.Lists()}, withoutName, form.id))
	}
	return append(cases, paramsCases()...)
}

const unknown = "no/such_method"

// Three rules apply: there is an answer, it is an error, and it has the right code.
func methodNotFound(c *probe.Client) error {
	reply := c.Call(unknown, nil)
	if err := wantAnyAnswer(reply); err != nil {
		return err
	}
	problem := reply.WantError(protocol.MethodNotFound)
	if _, isError := reply.At("/error"); reply.Answered() && !isError {
		return probe.Under(problem, "jsonrpc-unknown-method-refused")
	}
	return probe.Under(problem, "jsonrpc-method-not-found", "jsonrpc-method-not-found-over-http")
}

// wantAnyAnswer expects an answer to the request. Over HTTP an error status is enough,
// with or without a JSON-RPC message.
func wantAnyAnswer(reply *probe.Reply) error {
	if reply.Refused() {
		return nil
	}
	return probe.Under(reply.WantAnswer(), "jsonrpc-single-response")
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
	var cases []suite.Case
	for _, d := range demands() {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/invalid-params-" + d.slug,
			Title:  d.name + " without " + d.parameter + " is rejected as invalid params",
			Checks: []requirements.ID{"jsonrpc-invalid-params", "jsonrpc-single-response"},
			Needs:  []suite.Need{suite.Capability(d.method().Capability)},
			Fix:    "check the params of a request against its method first, and answer error -32602",
			Run: func(c *probe.Client) error {
				return d.refuses(c, c.Compose(d.name, probe.Object{}), d.codes(c)...)
			},
		})
	}
	return append(cases, suite.Case{
		ID:     "jsonrpc/invalid-params-call-without-params",
		Title:  "tools/call without params is rejected as invalid params",
		Checks: []requirements.ID{"jsonrpc-invalid-params", "jsonrpc-single-response"},
		Needs:  []suite.Need{suite.Capability("tools")},
		Fix:    "take missing params as {}, check them against the method first, and answer error -32602",
		// In later revisions the missing part is the metadata, which has a rule of its
		// own.
		Revisions: protocol.Handshake(),
		Run: func(c *probe.Client) error {
			// JSON-RPC allows a request without params and the method does not, so it may
			// be called an invalid request too.
			call := demands()[0]
			return call.refuses(c, probe.RequestText(`"no-params"`, call.name, nil), protocol.InvalidParams, protocol.InvalidRequest)
		},
	})
}

// refuses expects one of the given errors. It passes over a server that gives the same
// error to a complete request, because the method or the named thing is missing there.
func (d demand) refuses(c *probe.Client, text string, codes ...int) error {
	c.Quiet()
	reply := c.Ask(text, probe.Patient())
	if err := wantAnyAnswer(reply); err != nil {
		return err
	}
	if code, ok := reply.Code(); ok && code == protocol.MethodNotFound {
		whole := c.Call(d.name, d.whole)
		if code, ok := whole.Code(); ok && code == protocol.MethodNotFound {
			c.NotSeen(fmt.Sprintf("%s with %s gets error %d as well: %s", d.name, d.parameter, code, whole.Outcome()))
		}
	}
	return probe.Under(reply.WantError(codes...), "jsonrpc-invalid-params")
}

// codes are the acceptable errors. Where a header has to repeat the parameter, the header
// is missing too.
func (d demand) codes(c *probe.Client) []int {
	codes := []int{protocol.InvalidParams}
	repeated := protocol.RequestHeaders().At(c.Revision()) && d.method().Named != ""
	if c.Transport() == requirements.HTTP && repeated {
		codes = append(codes, protocol.HeaderMismatch)
	}
	return codes
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
	if err != nil {
		c.Stop(err)
	}
	c.Act(failing.At("before"))
	c.Cleanup(func() { c.Act(failing.At("after")) })
	reply := c.Call(failing.Text("method"), probe.Object(params.Arguments))
	if _, ok := reply.Result(); ok {
		c.Undecide("the request of roles.failure.request does not fail")
	}
	return reply.WantError(protocol.InternalError)
}
