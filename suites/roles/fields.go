package roles

import (
	"iter"
	"slices"
	"time"
)

// The modes of an Observe.
const (
	ModeCount = "count"
	ModeValue = "value"
)

// Call is one call of a tool, before expansion.
type Call struct {
	Tool      string
	Arguments map[string]any // never nil when it comes from Fields
}

// Expand returns the call with its placeholders filled in.
func (c Call) Expand(vars Vars) (Call, error) {
	arguments, err := expandArguments(c.Arguments, vars)
	return Call{Tool: c.Tool, Arguments: arguments}, err
}

// Action is either a call, or a command on the kit's machine for things that no
// tool of the server can do.
type Action struct {
	Call    *Call
	Command []string
}

// Expand returns the action with its placeholders filled in.
func (a Action) Expand(vars Vars) (Action, error) {
	if a.Call != nil {
		call, err := a.Call.Expand(vars)
		return Action{Call: &call}, err
	}
	command, err := ExpandTexts(a.Command, vars)
	return Action{Command: command}, err
}

// Observe says how to read a state: by a tool or by a resource.
type Observe struct {
	Tool, Resource string
	Arguments      map[string]any
	Pointer        *string // into the result; nil takes the tool's own answer
	Mode           string  // ModeCount, ModeValue, or empty: the state decides
}

// Expand returns the observation with its placeholders filled in.
func (o Observe) Expand(vars Vars) (Observe, error) {
	arguments, err := expandArguments(o.Arguments, vars)
	if err != nil {
		return Observe{}, err
	}
	o.Arguments = arguments
	o.Resource, err = expandText(o.Resource, vars)
	return o, err
}

// Private reports whether the observation sees only the effects of its own
// call, so that it needs no lock on the target's state.
func (o Observe) Private() bool {
	return Mentions(o.Arguments, "nonce") || Mentions(o.Resource, "nonce")
}

// Fields is an object of the configuration below roles: a role, or a field with
// members. The field's Kind sets the Go type of each value. Accessors return
// shared values, which must not be changed; for an absent field or one of
// another type they return the zero value.
type Fields map[string]any

// At returns a member that is an object: a call, an action, an observe or a
// part. It returns nil without one; every accessor still works on nil.
func (f Fields) At(name string) Fields {
	inner, _ := f[name].(Fields)
	return inner
}

// Call reads the object itself as a call.
func (f Fields) Call() (Call, bool) {
	tool := f.Text("tool")
	return Call{Tool: tool, Arguments: f.orEmpty("arguments")}, tool != ""
}

// Action reads the object itself as an action.
func (f Fields) Action() (Action, bool) {
	if call, ok := f.Call(); ok {
		return Action{Call: &call}, true
	}
	command := f.Texts("command")
	return Action{Command: command}, len(command) > 0
}

// Observe reads the member observe.
func (f Fields) Observe() (Observe, bool) {
	o := f.At("observe")
	observe := Observe{Tool: o.Text("tool"), Resource: o.Text("resource"), Arguments: o.orEmpty("arguments"), Mode: o.Text("mode")}
	if pointer, ok := o["pointer"].(string); ok {
		observe.Pointer = &pointer
	}
	return observe, observe.Tool != "" || observe.Resource != ""
}

// Text returns a text, a tool name, a file or a pointer.
func (f Fields) Text(name string) string {
	text, _ := f[name].(string)
	return text
}

// Texts returns a list of texts or a command.
func (f Fields) Texts(name string) []string {
	texts, _ := f[name].([]string)
	return texts
}

// Map returns a map of texts.
func (f Fields) Map(name string) map[string]string {
	texts, _ := f[name].(map[string]string)
	return texts
}

// Flag returns a flag.
func (f Fields) Flag(name string) bool {
	flag, _ := f[name].(bool)
	return flag
}

// Number returns a number, and reports whether it is given.
func (f Fields) Number(name string) (int, bool) {
	number, ok := f[name].(int)
	return number, ok
}

// Duration returns a duration, or otherwise where none is given.
func (f Fields) Duration(name string, otherwise time.Duration) time.Duration {
	if duration, ok := f[name].(time.Duration); ok {
		return duration
	}
	return otherwise
}

// Arguments returns a map of JSON values, and reports whether it is given.
func (f Fields) Arguments(name string) (map[string]any, bool) {
	arguments, ok := f[name].(map[string]any)
	return arguments, ok
}

// Any returns a value of any kind, and reports whether it is given: null is given.
func (f Fields) Any(name string) (any, bool) {
	value, ok := f[name]
	return value, ok
}

// List returns the objects of a list of calls.
func (f Fields) List(name string) []Fields {
	list, _ := f[name].([]Fields)
	return list
}

func (f Fields) orEmpty(name string) map[string]any {
	if arguments, ok := f.Arguments(name); ok {
		return arguments
	}
	return map[string]any{}
}

// Observers returns every Observe in the object, however deep.
func (f Fields) Observers() []Observe {
	var found []Observe
	for each := range f.objects() {
		if own, ok := each.Observe(); ok {
			found = append(found, own)
		}
	}
	return found
}

// Commands reports whether an action in the object, however deep, runs a command. A command
// may reach every process of a server.
func (f Fields) Commands() bool {
	for each := range f.objects() {
		if len(each.Texts("command")) > 0 {
			return true
		}
	}
	return false
}

// objects yields the object and every object in it, however deep, in the order of the keys.
func (f Fields) objects() iter.Seq[Fields] {
	return func(yield func(Fields) bool) { visit(f, yield) }
}

func visit(f Fields, yield func(Fields) bool) (more bool) {
	if !yield(f) {
		return false
	}
	var keys []string
	for key, value := range f {
		switch value.(type) {
		case Fields, []Fields:
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		inner, several := f[key].([]Fields)
		if !several {
			inner = []Fields{f[key].(Fields)}
		}
		for _, each := range inner {
			if !visit(each, yield) {
				return false
			}
		}
	}
	return true
}
