package permissions

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func agreements() []suite.Case {
	return []suite.Case{
		{
			ID:       "ext-permissions/check-pure",
			Title:    "a check runs nothing",
			Checks:   []requirements.ID{"ext-permissions-check-pure"},
			Needs:    claimed(suite.Role(roles.StateChange, "observe")),
			Observes: roles.StateChange,
			Fix:      "answer permissions/check from the rules alone, without entering the tool",
			Run:      checkPure,
		},
		{
			ID:     "ext-permissions/allow-holds",
			Title:  "a call that the check allows is not refused for lack of permission",
			Checks: []requirements.ID{"ext-permissions-allow-holds"},
			Needs:  claimed(suite.Role(roles.ReadOnlyTool)),
			Fix:    "let permissions/check and tools/call ask the same function",
			Run:    allowHolds,
		},
		{
			ID:       "ext-permissions/deny-holds",
			Title:    "a call that the check denies is refused",
			Checks:   []requirements.ID{"ext-permissions-deny-holds"},
			Needs:    claimed(suite.Role(roles.Denied)),
			Observes: roles.Denied,
			Fix: "let tools/call ask the function that permissions/check asks, before the tool runs; " +
				mayCall,
			Run: denyHolds,
		},
		{
			ID:       "ext-permissions/deny-holds-no-effect",
			Title:    "a call that the check denies has no effect",
			Checks:   []requirements.ID{"ext-permissions-deny-holds"},
			Needs:    claimed(suite.Role(roles.Denied, "observe")),
			Observes: roles.Denied,
			Fix:      "look at the scopes before the tool runs, not at its result",
			Run:      denyHasNoEffect,
		},
		{
			ID:       "ext-permissions/held-not-trusted",
			Title:    "scopes that a check is told of open nothing",
			Checks:   []requirements.ID{"ext-permissions-held-not-trusted"},
			Needs:    claimed(suite.Role(roles.Denied, "observe")),
			Observes: roles.Denied,
			Fix:      "use scopes_held for the answer only; what a caller may do comes from its credentials or its session",
			Run:      heldNotTrusted,
		},
	}
}

func checkPure(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(roles.StateChange).Call()
	if err != nil {
		return err
	}
	known, err := told(ctx, c)
	if err != nil {
		return err
	}
	seen, err := c.Around(ctx, call, func() (*probe.Reply, error) {
		a, err := ask(ctx, c, question{call.Tool, append(known.scopes, known.required[call.Tool]...), call.Arguments})
		if err != nil {
			return nil, err
		}
		return a.Reply, nil
	})
	if err != nil || seen.Unchanged() {
		return err
	}
	return probe.Shown(seen).Violation("the observed state has changed after a check for %s, want no effect", call.Tool)
}

// A server that judges by the scopes it is told of says only what would be: then
// the operator has to have named the tool as one that the kit may call.
func allowHolds(ctx context.Context, c *probe.Client) error {
	role := c.Role(roles.ReadOnlyTool)
	call, err := role.Call()
	if err != nil {
		return err
	}
	known, err := told(ctx, c)
	if err != nil {
		return err
	}
	said, err := askAbout(ctx, c, call, nil)
	if err != nil {
		return err
	}
	if yes, _ := said.allowed(); !yes {
		if role.From("tool") != roles.Config {
			return probe.NotSeen("nothing says that the kit may call " + call.Tool + "; set roles.read-only-tool")
		}
		all := slices.Concat(known.scopes, known.required[call.Tool], said.missing())
		if said, err = askAbout(ctx, c, call, all); err != nil {
			return err
		}
	}
	switch yes, told := said.allowed(); {
	case !told:
		return unread(said)
	case !yes:
		return probe.NotSeen("the check does not allow " + call.Tool)
	}
	reply, err := c.CallTool(ctx, call, nil)
	if err != nil || !forLackOfRights(reply) {
		return err
	}
	return probe.Shown(said, reply).Violation("the check allows %s, and %s, want no refusal for lack of permission",
		call.Tool, reply.AnswerTo("the call"))
}

// forLackOfRights reports whether an answer says that it is no for lack of
// permission, in a record, in its status or in words.
func forLackOfRights(r *probe.Reply) bool {
	if record, _, ok := proposal.Record(r); ok {
		code, _ := record["code"].(string)
		return slices.Contains(lackCodes(), code)
	}
	if r.Status() == http.StatusForbidden {
		return true
	}
	if !r.Answered() || r.Message().Class != frame.Error && !r.ErrorFlag() {
		return false
	}
	return slices.ContainsFunc(lackCodes(), func(code string) bool { return strings.Contains(r.Outcome(), code) })
}

func lackCodes() []string { return []string{"SCOPE_INSUFFICIENT", "PERMISSION_DENIED"} }

// make makes the denied call.
func (d *denial) make(ctx context.Context) (*probe.Reply, error) {
	return d.who.CallTool(ctx, d.call, nil)
}

func denyHolds(ctx context.Context, c *probe.Client) error {
	d, err := refused(ctx, c)
	if err != nil {
		return err
	}
	reply, err := d.make(ctx)
	if err != nil || proposal.Declined(reply) {
		return err
	}
	return probe.Shown(d.said, reply).Violation("roles.denied and the check say that %s is refused, and %s, want a refusal",
		d.call.Tool, reply.AnswerTo("the call"))
}

// turnedAway makes the denied call for cases that are about what comes with a refusal, or
// behind it.
func (d *denial) turnedAway(ctx context.Context) (*probe.Reply, error) {
	reply, err := d.make(ctx)
	if err == nil && !proposal.Declined(reply) {
		err = probe.Undecide("the call is not refused, which ext-permissions/deny-holds judges")
	}
	return reply, err
}

func denyHasNoEffect(ctx context.Context, c *probe.Client) error {
	d, err := refused(ctx, c)
	if err != nil {
		return err
	}
	seen, err := c.Around(ctx, d.call, func() (*probe.Reply, error) { return d.turnedAway(ctx) })
	if err != nil || seen.Unchanged() {
		return err
	}
	return probe.Shown(seen).Violation("the observed state has changed after a call that was refused, want no effect")
}

// On the connection on which the scopes were told: some servers keep them there.
func heldNotTrusted(ctx context.Context, c *probe.Client) error {
	d, err := refused(ctx, c)
	if err != nil {
		return err
	}
	if _, err := d.turnedAway(ctx); err != nil {
		return err
	}
	all, err := d.everything(ctx)
	if err != nil {
		return err
	}
	a, err := askAbout(ctx, d.who.Client, d.call, all)
	if err != nil {
		return err
	}
	seen, err := c.Around(ctx, d.call, func() (*probe.Reply, error) {
		reply, err := d.make(ctx)
		if err == nil && !proposal.Declined(reply) {
			err = probe.Shown(a, reply).Violation("after a check with the scopes %s %s, want a refusal as before",
				probe.Show(all), reply.AnswerTo("the call"))
		}
		return reply, err
	})
	if err != nil || seen.Unchanged() {
		return err
	}
	return probe.Shown(a, seen).Violation("the observed state has changed after a call that was refused, want no effect")
}
