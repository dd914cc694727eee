package prompts

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

// refusedCases judge with which error a prompt is refused. A request without a name is
// jsonrpc/invalid-params-get-without-name: one slip is one finding.
func refusedCases() []suite.Case {
	return append(refusals.Cases(
		refusals.Row{
			ID: "prompts/unknown-name", Title: "an unknown prompt is rejected as invalid params",
			Checks: []requirements.ID{"prompts-unknown-name", refusals.Answer}, Needs: declared(),
			Fix:    "serve prompts/get where prompts is declared: look the prompt up first, and answer error -32602 when it is not there",
			Method: get, Well: true, Judge: wantsName,
			Params: func(c *probe.Client) probe.Object { return probe.Object{"name": "no-such-" + c.Nonce()} },
		},
		refusals.Row{
			ID: "prompts/missing-arguments", Title: "a prompt without a required argument is rejected as invalid params",
			Checks: []requirements.ID{"prompts-missing-arguments", refusals.Answer}, Needs: declared(),
			Fix:    "check that each argument with required: true is there before the prompt is rendered, and answer error -32602",
			Method: get, Well: true, Params: lacking, Judge: wantsArguments,
		},
	), suite.Case{
		ID:     "prompts/internal-error",
		Title:  "a failure inside a prompt is answered as an internal error",
		Checks: []requirements.ID{"prompts-internal-error"},
		Needs:  append(declared(), suite.Role(roles.Failure, "prompt")),
		Fix:    "catch what the renderer of a prompt throws, and answer error -32603",
		Run:    internalError,
	})
}

// wantsName passes over a server that cannot list its prompts either: it does not know which
// there are.
func wantsName(c *probe.Client, reply *probe.Reply) error {
	if reply.HasCode(protocol.InternalError) {
		c.Require(c.Call(protocol.Prompts().Method, nil).WantResult(), "the server does not list its prompts either")
	}
	return probe.Under(reply.WantError(protocol.InvalidParams), "prompts-unknown-name")
}

func lacking(c *probe.Client) probe.Object {
	all := prompts(c)
	i := slices.IndexFunc(all, func(p prompt) bool { return len(p.required) > 0 })
	c.NotSeenIf(i < 0, "no listed prompt has a required argument")
	return probe.Object{"name": all[i].name, "arguments": probe.Object{}}
}

// wantsArguments passes over a server that asks the user for what is missing.
func wantsArguments(c *probe.Client, reply *probe.Reply) error {
	kind, _ := reply.At("/result/resultType")
	c.NotSeenIf(kind == protocol.InputRequired, "the server asks for input where an argument is missing")
	return probe.Under(reply.WantError(protocol.InvalidParams), "prompts-missing-arguments")
}

func internalError(c *probe.Client) error {
	failing := c.Role(roles.Failure).Fields().At("prompt")
	given, _ := failing.Arguments("arguments")
	params := probe.Object{"name": failing.Text("name"), "arguments": expanded(c, given)}
	c.Act(failing.At("before"))
	c.Cleanup(func() { c.Act(failing.At("after")) })
	reply := c.Call(get, params)
	c.UndecideIf(reply.Served(), "the prompt of roles.failure.prompt does not fail")
	return refusals.Internal(reply)
}

// validatedCases send arguments that no client should send. Whether the server takes or
// rejects them is free.
func validatedCases() []suite.Case {
	const size = 256 << 10
	var cases []suite.Case
	for _, row := range []struct {
		slug, what, fix string
		spoil           func(arguments probe.Object, name string)
	}{
		{
			"number", "a number as an argument", "check that each argument is a string before it is used",
			func(arguments probe.Object, name string) { arguments[name] = 7 },
		},
		{
			"object", "an object as an argument", "check that each argument is a string before it is used",
			func(arguments probe.Object, name string) { arguments[name] = probe.Object{"a": []any{nil}} },
		},
		{
			"unknown", "an argument that is not listed", "ignore or reject arguments that the prompt does not have",
			func(arguments probe.Object, _ string) { arguments["mcp_conform"] = madeUp },
		},
		{
			"long", "an argument of 256 KiB", "limit the length of arguments, and reject longer ones instead of giving up",
			func(arguments probe.Object, name string) { arguments[name] = strings.Repeat("x", size) },
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "prompts/arguments-validated-" + row.slug,
			Title:  "a prompt with " + row.what + " is answered, and so is the next request",
			Checks: []requirements.ID{"prompts-arguments-validated"},
			Needs:  declared(),
			Fix:    row.fix,
			Run:    func(c *probe.Client) error { return validated(c, row.what, row.spoil) },
		})
	}
	return cases
}

func validated(c *probe.Client, what string, spoil func(probe.Object, string)) error {
	p, name := taking(c)
	good := p.with(c, p.required...)
	reply := p.ask(c, good)
	c.UndecideIf(!reply.Answered(), "the prompt "+probe.Show(p.name)+" is not answered with good arguments either")
	spoil(good, name)
	bad := c.Ask(c.Compose(get, probe.Object{"name": p.name, "arguments": good}), probe.Patient())
	behind := c.Barrier()
	switch {
	case !behind.Answered() && !behind.Refused():
		return probe.Shown(bad, behind).Violation("%s, want an answer", behind.AnswerTo(behind.Method+" after "+what))
	case !bad.Answered() && !bad.Refused():
		return bad.Violation("%s, want a result or an error", bad.AnswerTo("a prompt with "+what))
	}
	return nil
}

// taking is the first prompt by name with an argument, and the argument: one that is
// required if there is one.
func taking(c *probe.Client) (p prompt, argument string) {
	all := prompts(c)
	for _, p := range all {
		if len(p.required) > 0 {
			return p, p.required[0]
		}
	}
	for _, p := range all {
		if len(p.optional) > 0 {
			return p, p.optional[0]
		}
	}
	c.NotSeen("no listed prompt has an argument")
	return prompt{}, ""
}
