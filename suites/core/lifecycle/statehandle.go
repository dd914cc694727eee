package lifecycle

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// stateHandle tries the identifier first on the connection that made the state: where it
// fails there, it shows nothing about connections. The two connections share nothing, not
// even a TCP connection.
func stateHandle(c *probe.Client) error {
	role := c.Role(roles.SessionState)
	read, ok := role.Fields().At("second").Call()
	if !ok || !roles.Mentions(read.Arguments, "result") {
		c.NotSeen("the second call of roles.session-state carries nothing of the first one's result")
	}
	first := role.Field("first")
	one := c.Opened()
	made := one.CallTool(first, nil)
	if !done(made) {
		c.Undecide("the first call of roles.session-state got " + made.Outcome())
	}
	result, _ := made.Result()
	read, err := read.Expand(roles.Vars{Nonce: c.Nonce(), Result: result})
	if err != nil {
		c.Undecide("the first call of roles.session-state: " + err.Error())
	}
	params := probe.Object{"name": read.Tool, "arguments": probe.Object(read.Arguments)}
	here := one.Call("tools/call", params)
	if !done(here) {
		c.Undecide("the identifier does not work on its own connection: " + here.Outcome())
	}
	other := c.Opened()
	there := other.Call("tools/call", params)
	return sameState(c, role.Fields(), made, here, there)
}

// done reports whether a call got a result that is not marked as an error.
func done(reply *probe.Reply) bool {
	_, ok := reply.Result()
	return ok && !reply.ErrorFlag()
}

func sameState(c *probe.Client, f roles.Fields, made, here, there *probe.Reply) error {
	shown := probe.Shown(made, here, there)
	if !done(there) {
		return shown.Violation("the identifier got %s on another connection, want the state that it leads to on its own", there.Outcome())
	}
	want, given := f.Any("expect")
	if !given {
		return nil
	}
	answer := func(r *probe.Reply) any {
		result, _ := r.Result()
		return probe.Payload(result)
	}
	if own := answer(here); !probe.Same(own, want) {
		c.Undecide("on its own connection the identifier leads to " + probe.Show(own) +
			", and roles.session-state.expect is " + probe.Show(want))
	}
	if got := answer(there); !probe.Same(got, want) {
		return shown.Violation("on another connection the identifier leads to %s, want %s as on its own", probe.Show(got), probe.Show(want))
	}
	return nil
}
