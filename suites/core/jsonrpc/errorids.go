package jsonrpc

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// errorCases provoke the errors that every server has to know.
func errorCases() []suite.Case {
	cases := []suite.Case{{
		ID:     "jsonrpc/method-not-found",
		Title:  "a method the server does not know is refused as such",
		Checks: []requirements.ID{"jsonrpc-method-not-found"},
		Fix:    "answer a request for an unknown method with error -32601 and its id",
		Run:    methodNotFound,
	}}
	for _, form := range []struct{ slug, title, id string }{
		{"integer", "an integer", "801"},
		{"text", "a text", `"kit-802"`},
	} {
		cases = append(cases,
			errorID("unknown-method-"+form.slug, "an unknown method", form.title, nil, unknownMethod, form.id),
			errorID("bad-params-"+form.slug, "bad parameters", form.title, []suite.Need{suite.Lists()}, withoutName, form.id))
	}
	return append(cases, paramsCases()...)
}

func methodNotFound(ctx context.Context, c *probe.Client) error {
	reply, err := c.Call(ctx, "no/such_method", nil)
	if err != nil {
		return err
	}
	return reply.WantError(probe.MethodNotFound)
}

func errorID(slug, what, form string, needs []suite.Need, method func(*probe.Client) string, id string) suite.Case {
	return suite.Case{
		ID:     "jsonrpc/error-id-" + slug,
		Title:  "the error for " + what + " carries the id of its request, " + form,
		Checks: []requirements.ID{"jsonrpc-error-response-id-echo"},
		Needs:  needs,
		Fix:    "write the id of the request into its error; leave it out only where it could not be read",
		Lane:   suite.Fresh,
		Run: func(ctx context.Context, c *probe.Client) error {
			if err := quiet(ctx, c); err != nil {
				return err
			}
			reply, err := c.AskPatiently(ctx, probe.Request(id, method(c), c.Params(probe.Object{})))
			if err != nil {
				return err
			}
			return wantErrorID(c, reply, id)
		},
	}
}

func unknownMethod(*probe.Client) string { return "no/such_method" }

// withoutName is a method that cannot do without parameters.
func withoutName(c *probe.Client) string {
	return declared(c, demanding()[:3]).method
}

func wantErrorID(c *probe.Client, reply *probe.Reply, id string) error {
	_, isError := reply.At("/error")
	switch {
	case !isError:
		return probe.NotSeen("no error came for " + reply.Method)
	case frame.SameID(reply.ID(), id):
		return nil
	case reply.Status() >= 400 && (reply.ID() == "" || reply.ID() == "null"):
		c.Note("the body of the HTTP refusal is an error without the id " + id + " of its request")
		return nil
	}
	return reply.Violation("$.id of the error is %s, want %s", shownID(reply.ID()), id)
}

// demanding lists the methods that need a parameter, with the capability they
// come with.
func demanding() []offer {
	return []offer{
		{"tools", "tools/call", "name"}, {"resources", "resources/read", "uri"},
		{"prompts", "prompts/get", "name"}, {"completions", "completion/complete", "ref"},
	}
}

// A call without the name of the tool cannot run one, so this is safe to try
// on any server.
func paramsCases() []suite.Case {
	slugs := map[string]string{
		"tools/call": "call-without-name", "resources/read": "read-without-uri",
		"prompts/get": "get-without-name", "completion/complete": "complete-without-ref",
	}
	var cases []suite.Case
	for _, o := range demanding() {
		cases = append(cases, suite.Case{
			ID:     "jsonrpc/invalid-params-" + slugs[o.method],
			Title:  o.method + " without " + o.items + " is refused as invalid params",
			Checks: []requirements.ID{"jsonrpc-invalid-params"},
			Needs:  []suite.Need{suite.Capability(o.capability)},
			Fix:    "check the params of a request against its method first, and answer error -32602",
			Lane:   suite.Fresh,
			Run: func(ctx context.Context, c *probe.Client) error {
				if err := quiet(ctx, c); err != nil {
					return err
				}
				reply, err := c.AskPatiently(ctx, c.Compose(o.method, probe.Object{}))
				if err != nil {
					return err
				}
				return reply.WantError(invalidParams(c, o)...)
			},
		})
	}
	return cases
}

// invalidParams are the codes that will do. Where a header has to repeat the
// parameter, the header is missing just as well.
func invalidParams(c *probe.Client, o offer) []int {
	type column struct {
		requirements.Revision
		requirements.Transport
	}
	mirrored := map[column][]int{
		{requirements.R20260728, requirements.HTTP}: {probe.InvalidParams, probe.HeaderMismatch},
	}
	if codes := mirrored[column{c.Revision(), c.Transport()}]; codes != nil && o.capability != "completions" {
		return codes
	}
	return []int{probe.InvalidParams}
}
