// Package permissions serves the permissions extension: before a call a client can ask
// whether the call would be allowed, and it can ask for scopes, which it gets as a
// session with a token and an end.
//
// Three questions are kept apart, each in a file of its own: which scopes a call needs
// (rules.go), which scopes the caller has (rights.go), and which sessions are open
// (sessions.go). The check before a call and the call itself use the same function, so
// that they cannot disagree.
package permissions

import (
	"maps"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

// Options are the options of the extension.
type Options struct {
	Now   func() time.Time
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension. All connections share its sessions.
func New(o Options) core.Extension {
	d := &desk{Options: o, Faults: switches(o.Fault)}
	e := core.Extension{
		Name: "permissions", Key: Prefix + "permissions", Settings: map[string]any{"scopes": names()},
		CallTool: d.call, Serve: d.serve, Describe: d.describe,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){
			"permissions/check": d.check,
			"scopes/negotiate":  d.negotiate,
		},
	}
	if d.Faults.NoCheck {
		delete(e.Methods, "permissions/check")
	}
	return e
}

type desk struct {
	Options
	Faults   Switches
	sessions sessions
	kept     keptScopes // for faults
}

type next = func() (fault.Message, *core.Error)

// call refuses a tools/call without permission before the tool runs.
func (d *desk) call(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	held, refusal := d.rights(call.Turn)
	if refusal != nil {
		return refusal.answer(call.Turn)
	}
	if d.skipsScopes(call) {
		return run()
	}
	missing := without(required(call.Name, call.Arguments), held)
	if len(missing) == 0 {
		return run()
	}
	if d.Faults.ActsThenRefuses {
		if _, failure := run(); failure != nil {
			return nil, failure
		}
	}
	if d.Faults.RefusesThenActs {
		later(func() { _, _ = run() })
	}
	return lacking(missing).answer(call.Turn)
}

// serve adds the scopes of each tool to tools/list. Clients without the extension
// ignore them.
func (d *desk) serve(t *core.Turn, run next) (fault.Message, *core.Error) {
	result, failure := run()
	listed, ok := result["tools"].([]fault.Message)
	if failure != nil || !ok || t.Method() != "tools/list" || d.Faults.NoRequired {
		return result, failure
	}
	told := make([]fault.Message, len(listed))
	for i, tool := range listed {
		name, _ := tool["name"].(string)
		meta := map[string]any{"required_scopes": Required(name)}
		if t.Modern() {
			meta[Prefix+"required_scopes"] = Required(name)
		}
		was, _ := tool["_meta"].(map[string]any)
		maps.Copy(meta, was)
		told[i] = tool.With("_meta", meta) // a copy: all requests share the list
	}
	result["tools"] = told
	return result, nil
}

// without lists the wanted scopes that are not held.
func without(wanted, held []string) []string {
	missing := []string{}
	for _, scope := range wanted {
		if !slices.Contains(held, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}
