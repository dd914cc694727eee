// Package confirmation serves the confirmation extension: a call that somebody would regret
// runs only when the user has agreed to this very call.
package confirmation

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/intent"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

const key = Prefix + "human_in_the_loop"

// A Gate stands in front of a tool.
type Gate struct {
	Tool    string
	Message string // the question to the user; {name} stands for an argument
	Risk    string // reversible or destructive
}

// Options are the options of the extension.
type Options struct {
	Gates  []Gate
	Window time.Duration           // how long a token is good
	Opens  func(t *core.Turn) bool // for a fault of another extension: calls that no gate stops
	Now    func() time.Time        //
	Fault  *fault.Fault            // nil keeps every rule
}

// New returns the extension. All connections share its tokens.
func New(o Options) core.Extension {
	d := &desk{Options: o, faults: switches(o.Fault)}
	return core.Extension{Name: "confirmation", Key: key, Settings: map[string]any{}, CallTool: d.call, Serve: d.serve, Describe: d.describe}
}

type desk struct {
	Options
	faults Switches
	tokens tokens
}

type next = func() (fault.Message, *core.Error)

// call stops a call of a gated tool that nobody has agreed to. A call whose arguments do not
// fit is nothing to agree to.
func (d *desk) call(call *core.ToolCall, run next) (fault.Message, *core.Error) {
	at := slices.IndexFunc(d.Gates, func(g Gate) bool { return g.Tool == call.Name })
	if at < 0 || !call.Fits() || d.Opens(call.Turn) || d.faults.AsksUser || d.faults.RunsAtOnce == call.Name ||
		d.faults.KeyedRuns && call.Meta("idempotency_key") != nil ||
		d.faults.BelievesIntent && strings.Contains(intent.Of(call.Turn), "approved") {
		return run()
	}
	if !call.Declares(key) && !d.faults.AsksAnybody {
		return d.unaware(call.Turn)
	}
	if d.confirmed(call) {
		return d.faults.run(run)
	}
	if d.faults.RunsThenAsks {
		if _, failure := run(); failure != nil {
			return nil, failure
		}
	}
	return d.ask(call, d.Gates[at]), nil
}

// unaware refuses a call of a client that would not know what a gate is.
func (d *desk) unaware(t *core.Turn) (fault.Message, *core.Error) {
	const text = "This call needs the confirmation of a user."
	why := core.Refusal{
		Code: "CONFIRMATION_REQUIRED", Category: core.Permanent, ForUsers: true,
		Suggestion: "Use a client that declares the extension human_in_the_loop.",
	}
	if d.faults.RefusesForNow {
		why.Code, why.Category, why.RetryAfter = "SERVICE_UNAVAILABLE", core.Transient, time.Second
	}
	if !t.Modern() {
		return t.RefuseResult(text, why), nil
	}
	failure := t.RefuseError(core.MissingCapability, text, why)
	failure.Data = map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{key: map[string]any{}}}}
	return nil, failure
}

// confirmed tells whether the call has the consent of the user, and a token that was issued
// for this call. The token is spent then.
func (d *desk) confirmed(call *core.ToolCall) bool {
	var token string
	if !d.faults.agrees(said(call.Turn, "user_confirmed")) || d.faults.Unread {
		return false
	}
	_ = json.Unmarshal(said(call.Turn, "confirmation_token"), &token) // what is no string is no token
	return d.tokens.spend(d.faults, token, d.faults.subjectOf(call), d.Now())
}

// said is a member that the client sends with its call.
func said(t *core.Turn, name string) json.RawMessage {
	if raw := t.Meta(name); raw != nil {
		return raw
	}
	return t.Meta(Prefix + name)
}

// ask answers a call with a gate.
func (d *desk) ask(call *core.ToolCall, g Gate) fault.Message {
	question := g.Message
	var arguments map[string]any
	_ = json.Unmarshal(call.Arguments, &arguments) // they fit the schema
	for name, value := range arguments {
		if text, ok := value.(string); ok {
			question = strings.ReplaceAll(question, "{"+name+"}", text)
		}
	}
	until := d.Now().Add(d.Window)
	gate := map[string]any{
		"status": "confirmation_required", "confirmation_message": question, "risk_level": g.Risk,
		"confirmation_token": d.tokens.issue(d.faults, d.faults.subjectOf(call), until),
		"expires_at":         until.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	meta := map[string]any{"confirmation": gate}
	if call.Modern() {
		meta[Prefix+"confirmation"] = gate
	}
	return fault.Message{"content": fault.Text("Confirmation needed: " + question), "_meta": meta}
}

// serve marks the gated tools in tools/list. It marks copies, since all requests share the
// items.
func (d *desk) serve(t *core.Turn, run next) (fault.Message, *core.Error) {
	result, failure := run()
	listed, ok := result["tools"].([]fault.Message)
	if failure != nil || !ok || t.Method() != "tools/list" {
		return result, failure
	}
	listed = slices.Clone(listed)
	for _, g := range d.Gates {
		if at := slices.IndexFunc(listed, func(tool fault.Message) bool { return tool["name"] == g.Tool }); at >= 0 {
			listed[at] = listed[at].With("requires_confirmation", true)
			g.mark(listed[at])
		}
	}
	result["tools"] = listed
	return result, nil
}

// describe marks the same tools in the manifest.
func (d *desk) describe(_ *core.Turn, manifest fault.Message) {
	entries, _ := manifest["tools"].([]any)
	for _, entry := range entries {
		tool, _ := entry.(map[string]any)
		if at := slices.IndexFunc(d.Gates, func(g Gate) bool { return tool["name"] == g.Tool }); at >= 0 {
			d.Gates[at].mark(tool)
		}
	}
}

func (g Gate) mark(tool map[string]any) {
	tool["requires_confirmation"], tool["confirmation_message"], tool["risk_level"] = true, g.Message, g.Risk
}
