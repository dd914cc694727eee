package lifecycle

import (
	"context"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// The connection that made the state comes first: an identifier that is of no
// use there either says nothing about connections. Both are connections of
// their own down to TCP.
func stateHandle(ctx context.Context, c *probe.Client) error {
	role := c.Role(roles.SessionState)
	read, ok := role.Fields().At("second").Call()
	if !ok || !roles.Mentions(read.Arguments, "result") {
		return probe.NotSeen("the second call of roles.session-state carries nothing of the first one's result")
	}
	first, err := role.Field("first")
	if err != nil {
		return err
	}
	one, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	made, err := one.CallTool(ctx, first, nil)
	if err != nil {
		return err
	}
	result, done := made.Result()
	if !done || made.Declined() {
		return probe.Undecide("the first call of roles.session-state is answered with " + made.Outcome())
	}
	read, err = read.Expand(roles.Vars{Nonce: c.Nonce(), Result: result})
	if err != nil {
		return probe.Undecide("the first call of roles.session-state: " + err.Error())
	}
	params := probe.Object{"name": read.Tool, "arguments": probe.Object(read.Arguments)}
	here, err := one.Call(ctx, "tools/call", params)
	if err != nil {
		return err
	}
	if here.WantDone() != nil {
		return probe.Undecide("the identifier is of no use on its own connection: " + here.Outcome())
	}
	other, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	there, err := other.Call(ctx, "tools/call", params)
	if err != nil {
		return err
	}
	return sameState(role.Fields(), made, here, there)
}

func sameState(f roles.Fields, made, here, there *probe.Reply) error {
	frames := append(append(made.Evidence(), here.Evidence()...), there.Evidence()...)
	if there.WantDone() != nil {
		return probe.Broken(frames, "on another connection the identifier leads to %s, want the state that it leads to on its own", there.Outcome())
	}
	want, given := f.Any("expect")
	if !given {
		return nil
	}
	answer := func(r *probe.Reply) any {
		result, _ := r.Result()
		return probe.Payload(result)
	}
	if !probe.Same(answer(here), want) {
		return probe.Undecide("on its own connection the identifier leads to " + probe.Show(answer(here)) + ", and roles.session-state.expect is " + probe.Show(want))
	}
	if got := answer(there); !probe.Same(got, want) {
		return probe.Broken(frames, "on another connection the identifier leads to %s, want %s as on its own", probe.Show(got), probe.Show(want))
	}
	return nil
}
