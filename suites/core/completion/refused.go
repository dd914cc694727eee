package completion

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// refusedCases judge with which error a completion is refused. A request without ref is
// jsonrpc/invalid-params-complete-without-ref: one slip is one finding. 2024-11-05 says
// nothing of errors.
func refusedCases() []suite.Case {
	since := protocol.Since(requirements.R20250326)
	missing := func(slug, what string, params func(probe.Object) probe.Object) refusals.Row {
		return refusals.Row{
			ID: "completion/missing-arguments-" + slug, Title: "a completion " + what + " is rejected as invalid params",
			Checks: []requirements.ID{"completion-missing-arguments", refusals.Answer}, Needs: declared(),
			Fix:    "check ref and argument before anything is suggested, and answer error -32602",
			Method: complete, Codes: []int{protocol.InvalidParams}, Revisions: since,
			Params: func(c *probe.Client) probe.Object { return params(served(c)[0].params("", nil)) },
		}
	}
	first := missing("argument", "without argument", func(params probe.Object) probe.Object { return params.Without("argument") })
	name := missing("name", "without the name of the argument", func(params probe.Object) probe.Object {
		return params.With("argument", probe.Object{"value": ""})
	})
	kind := missing("ref-type", "whose ref has no type", func(params probe.Object) probe.Object {
		ref, _ := params["ref"].(probe.Object)
		return params.With("ref", ref.Without("type"))
	})
	kind.Codes = append(kind.Codes, protocol.InvalidRequest) // JSON-RPC may be read that way, and the page speaks of arguments
	for _, row := range []*refusals.Row{&name, &kind} {
		row.Like = &refusals.Like{Case: first.ID, Params: first.Params}
	}
	cases := refusals.Cases(
		refusals.Row{
			ID: "completion/unknown-prompt", Title: "a completion for an unknown prompt is rejected as invalid params",
			Checks: []requirements.ID{"completion-unknown-prompt", refusals.Answer}, Needs: declared(),
			Fix: "serve completion/complete where completions is declared: look the prompt up first, and answer error -32602 " +
				"when it is not there",
			Method: complete, Well: true, Codes: []int{protocol.InvalidParams}, Revisions: since,
			Params: func(c *probe.Client) probe.Object {
				return argument{probe.Object{"type": "ref/prompt", "name": "no-such-" + c.Nonce()}, "of"}.params("", nil)
			},
		},
		first, name, kind,
	)
	cases[0].Run = knows(cases[0].Run)
	return append(cases, suite.Case{
		ID:     "completion/internal-error",
		Title:  "a failure inside a completion is answered as an internal error",
		Checks: []requirements.ID{"completion-internal-error"},
		Needs:  append(declared(), suite.Role(roles.Failure, "completion")),
		Fix:    "catch what goes wrong while values are looked up, and answer error -32603",
		Run:    internalError,
	})
}

// knows says of a server that refuses every completion as an unknown method what is wrong:
// the capability. An unknown prompt is not the reason there.
func knows(run func(*probe.Client) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		err := run(c)
		all := suggestions(c)
		other := func(s suggestion) bool { return !s.reply.HasCode(protocol.MethodNotFound) }
		if err == nil || len(all) == 0 || slices.ContainsFunc(all, other) {
			return err
		}
		return all[0].reply.Violation(
			"capabilities.completions is declared and completion/complete is an unknown method (error %d), want it served or not declared",
			protocol.MethodNotFound).Under("completion-unknown-prompt")
	}
}

func internalError(c *probe.Client) error {
	failing := c.Role(roles.Failure).Fields().At("completion")
	c.Act(failing.At("before"))
	c.Cleanup(func() { c.Act(failing.At("after")) })
	reply := named(failing).ask(c, "", nil)
	c.UndecideIf(reply.Served(), "the completion of roles.failure.completion does not fail")
	if reply.HasCode(protocol.MethodNotFound) {
		return probe.Unless(reply.WantError(protocol.InternalError),
			probe.Elsewhere{Case: "completion/unknown-prompt", Why: "completion/complete is an unknown method"})
	}
	return refusals.Internal(reply)
}
