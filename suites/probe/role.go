package probe

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// An actor calls the tools that roles name, and observes their effects.
type actor struct{ *caller }

// A Role is what the target offers for a role, ready to be called. A case
// that needs one declares it, so it is there.
type Role struct {
	client *caller
	filled roles.Filled
	at     string // the key in the configuration
}

// Role returns the offer that fills a role.
func (c *actor) Role(name roles.Name) *Role {
	filled, _ := c.setup.Roles.Role(name)
	return &Role{client: c.caller, filled: filled, at: "roles." + string(filled.Name)}
}

// Fields are the role's fields before expansion.
func (r *Role) Fields() roles.Fields { return r.filled.Fields }

// From is the source of a field of the role; empty where the field is not filled.
func (r *Role) From(field string) roles.Source {
	if _, ok := r.filled.Fields.Any(field); !ok {
		return ""
	}
	return r.filled.From(field)
}

// A ToolCall is one logical call: repeating it asks for the same effect, a
// second ToolCall asks for another effect.
type ToolCall struct {
	Tool      string
	Arguments Object

	client  *caller
	filled  roles.Filled
	vars    roles.Vars
	watched string // the key of what observes its effect
}

// Call makes a logical call of the role's own tool.
func (r *Role) Call() *ToolCall {
	return r.call(r.filled.Fields, roles.Vars{Nonce: r.client.Nonce()}, r.at)
}

// Field makes a logical call of a field that holds a call of its own.
func (r *Role) Field(name string) *ToolCall {
	fields, at := r.filled.Fields.At(name), r.at+"."+name
	if shared, ok := r.filled.Fields["observe"]; ok && fields["observe"] == nil { // it may be how the effect of a field is seen
		fields = maps.Clone(fields)
		if fields != nil {
			fields["observe"] = shared
		}
		at = r.at
	}
	return r.call(fields, roles.Vars{Nonce: r.client.Nonce()}, at)
}

// Part is a field of the role that holds fields of its own, as if it were the role.
func (r *Role) Part(name string) *Role {
	part := *r
	part.filled.Fields, part.at = r.filled.Fields.At(name), r.at+"."+name
	return &part
}

// Filled makes a logical call of the role's own tool with values for further
// placeholders, such as ${schema}.
func (r *Role) Filled(given map[string]any) *ToolCall {
	return r.call(r.filled.Fields, roles.Vars{Nonce: r.client.Nonce(), Given: given}, r.at)
}

// Entry makes a logical call of the i-th entry of a field that lists calls, and
// says whether its effect can be observed.
func (r *Role) Entry(name string, i int) (call *ToolCall, observed bool) {
	list := r.filled.Fields.List(name)
	if i >= len(list) {
		r.client.Undecide(fmt.Sprintf("role %s has fewer than %d %s", r.filled.Name, i+1, name))
	}
	_, observed = list[i].Observe()
	return r.call(list[i], roles.Vars{Nonce: r.client.Nonce()}, fmt.Sprintf("%s.%s[%d]", r.at, name, i)), observed
}

func (r *Role) call(fields roles.Fields, vars roles.Vars, at string) *ToolCall {
	call, ok := fields.Call()
	if !ok {
		r.client.Undecide(fmt.Sprintf("role %s names no call that the server has", r.filled.Name))
	}
	call, err := call.Expand(vars)
	r.client.Must(err)
	filled := r.filled
	filled.Fields = fields
	return &ToolCall{Tool: call.Tool, Arguments: call.Arguments, client: r.client, filled: filled, vars: vars, watched: at + ".observe"}
}

// Using is the same logical call with the arguments in another field, such as
// "other-arguments".
func (t *ToolCall) Using(field string) *ToolCall {
	arguments, ok := t.filled.Arguments(field)
	if !ok {
		t.client.Stop(fmt.Errorf("role %s has no %s", t.filled.Name, field))
	}
	call, err := roles.Call{Tool: t.Tool, Arguments: arguments}.Expand(t.vars)
	t.client.Must(err)
	other := *t
	other.Arguments = call.Arguments
	return &other
}

// Params are the params of a tools/call, with further members added.
func (t *ToolCall) Params(beside Object) Object {
	params := Object{"name": t.Tool, "arguments": t.Arguments}
	maps.Copy(params, beside)
	return params
}

// CallTool makes the call. It adds the given members to its params.
func (c *actor) CallTool(t *ToolCall, beside Object, options ...Option) *Reply {
	return c.Call("tools/call", t.Params(beside), options...)
}

// A State is the result of an observer.
type State struct {
	counts bool
	count  int
	valued bool // the configuration says that the state does not count
	value  string
	frames []frame.Frame
	client *caller
	key    string // of the observer in the configuration
}

// Observe reads the state that the call affects.
func (c *actor) Observe(t *ToolCall) State {
	observe, ok := t.filled.Observe()
	if !ok {
		c.Stop(fmt.Errorf("role %s has no observe", t.filled.Name))
	}
	observe, err := observe.Expand(t.vars)
	c.Must(err)
	reply := c.read(observe)
	if err := reply.WantResult(); err != nil {
		c.Undecide("the state could not be observed: " + err.Error())
	}
	if reply.ErrorFlag() {
		c.Undecide("the state could not be observed: the observer says " + Show(reply.TextContent()))
	}
	seen, ok := observed(reply, observe.Pointer)
	if !ok {
		c.Undecide(fmt.Sprintf("the observer's result has nothing at %s", *observe.Pointer))
	}
	read := state(seen, observe.Mode, reply)
	read.key = t.watched
	return read
}

// Before reads the state twice before an effect: a state that moves by itself
// proves nothing.
func (c *actor) Before(t *ToolCall) State {
	first, second := c.Observe(t), c.Observe(t)
	if first.value != second.value {
		c.Undecide("the observed state changes by itself")
	}
	return second
}

// Around observes the state, makes a call or anything else with the call's
// effects, and observes again.
func (c *actor) Around(t *ToolCall, do func() *Reply) *Observed {
	before := c.Before(t)
	reply := do()
	return &Observed{Reply: reply, Before: before, After: c.Observe(t)}
}

// Observed is an answer and the states before and after it.
type Observed struct {
	*Reply
	Before, After State
}

// Unchanged reports whether both states are the same.
func (s *Observed) Unchanged() bool { return s.Before.Same(s.After) }

// Evidence is the first state, the answer and the second state.
func (s *Observed) Evidence() []frame.Frame { return Shown(s.Before, s.Reply, s.After) }

// Counts reports whether the state counts effects, rather than only showing
// them.
func (s State) Counts() bool { return s.counts }

// Effects is how many effects came between two states.
func (s State) Effects(after State) int {
	if !s.counts || !after.counts {
		why := "the observed value is " + Show(json.RawMessage(s.value)) +
			"; let " + s.key + " lead to a number, to digits or to a list"
		if s.valued {
			why = s.key + " says mode: value"
		}
		s.client.Undecide("the observer tells changed from unchanged, but effects have to be counted: " + why)
	}
	if after.count < s.count {
		s.client.Undecide("the observed number falls; set observe to something that grows with every effect")
	}
	return after.count - s.count
}

// Same reports whether two states are the same.
func (s State) Same(after State) bool { return s.value == after.value }

// Evidence is the frames of the observation.
func (s State) Evidence() []frame.Frame { return s.frames }

func (c *actor) read(o roles.Observe) *Reply {
	if o.Resource != "" {
		return c.Call("resources/read", Object{"uri": o.Resource})
	}
	return c.Call("tools/call", Object{"name": o.Tool, "arguments": Object(o.Arguments)})
}

func observed(reply *Reply, pointer *string) (any, bool) {
	if pointer != nil {
		return reply.At("/result" + *pointer)
	}
	result, _ := reply.Result()
	return Payload(result), true
}

// Payload is a tool's own answer: its structured content, or else the JSON in
// its first text block, or else that text.
func Payload(result map[string]any) any {
	if v, ok := result["structuredContent"]; ok {
		return v
	}
	content := ArrayOf(result["content"])
	if v, ok := result["result"]; ok && content == nil {
		return v
	}
	for _, block := range content {
		b := ObjectOf(block)
		text, ok := b["text"].(string)
		if !ok || b["type"] != "text" {
			continue
		}
		if m := frame.Read([]byte(text)); m.Class != frame.NotJSON {
			return m.Value
		}
		return text
	}
	return nil
}

func state(v any, mode string, reply *Reply) State {
	s := State{value: JSON(plain(v)), valued: mode == roles.ModeValue, frames: reply.Evidence(), client: reply.client}
	switch n := v.(type) {
	case json.Number:
		if i, ok := frame.Integer(n.String()); ok {
			s.counts, s.count = true, i
		}
	case string:
		s.count, s.counts = frame.Integer(strings.TrimSpace(n))
	case []any:
		s.counts, s.count = true, len(n)
	}
	s.counts = s.counts && !s.valued
	return s
}

// ErrorFlag reports whether a tool's result has isError set.
func (r *Reply) ErrorFlag() bool {
	v, _ := r.At("/result/isError")
	return v == true
}

// MustMarkFailures ends the case where the tool of roles.failure fails without isError: then no
// result of a tool shows whether the tool did what it was asked to.
func (c *Client) MustMarkFailures() {
	filled, _ := c.setup.Roles.Role(roles.Failure)
	if _, named := filled.Fields.Call(); !named {
		return
	}
	unmarked := Once(c, "failure", func() (bool, bool) {
		reply := c.CallTool(c.Role(roles.Failure).Call(), nil)
		result, _ := reply.Result()
		_, flagged := result["isError"]
		return reply.Served() && !flagged, true
	})
	c.NotSeenIf(unmarked, "the server does not mark failures of tools with isError, which tools/failure-flagged judges")
}

// NoContent tells which watcher judges that an answer is no result of a tool, since it has no
// array of content; its case is empty where there is one.
func NoContent(r *Reply) Elsewhere {
	result, _ := r.Result()
	if _, array := result["content"].([]any); array {
		return Elsewhere{}
	}
	return Elsewhere{"tools/call-result", "the content is not an array"}
}

// UnclearText tells which watcher judges why the text of a tool's answer cannot be read;
// its case is empty where the text can be read.
func (r *Reply) UnclearText() Elsewhere {
	if cause := NoContent(r); cause.Case != "" {
		return cause
	}
	result, _ := r.Result()
	for _, block := range ArrayOf(result["content"]) {
		b, object := block.(map[string]any)
		_, typed := b["type"].(string)
		_, text := b["text"].(string)
		switch {
		case !object:
			return Elsewhere{"tools/content-types", "a block of the content is not an object"}
		case !typed:
			return Elsewhere{"tools/content-types", "a block of the content has no type that is a string"}
		case b["type"] == "text" && !text:
			return Elsewhere{"tools/text-content", "the text of a block is not a string"}
		}
	}
	return Elsewhere{}
}

// TextContent is the text blocks of a tool's answer.
func (r *Reply) TextContent() string {
	result, _ := r.Result()
	var texts []string
	for _, block := range ArrayOf(result["content"]) {
		if text, ok := ObjectOf(block)["text"].(string); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
