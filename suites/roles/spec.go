package roles

import "strings"

// Kind is the form of a field's value. The comments name the Go types in
// Fields.
type Kind string

// The kinds.
const (
	KindText      Kind = "string"                   // string, used as it stands
	KindTemplate  Kind = "string with placeholders" // string, to be expanded
	KindTool      Kind = "tool name"                // string
	KindPrompt    Kind = "prompt name"              // string
	KindResource  Kind = "resource URI"             // string
	KindFile      Kind = "file"                     // string, a path
	KindPointer   Kind = "JSON pointer"             // string
	KindTexts     Kind = "list of strings"
	KindArgv      Kind = "command" // []string, as is KindTexts
	KindFlag      Kind = "true or false"
	KindNumber    Kind = "number"         // int
	KindDuration  Kind = "duration"       // time.Duration
	KindArguments Kind = "map"            // map[string]any of JSON values
	KindMap       Kind = "map of strings" // map[string]string, as are the next two
	KindHeaders   Kind = "map of headers"
	KindVariables Kind = "map of environment variables"
	KindToken     Kind = "token"     // string
	KindAny       Kind = "any value" // any JSON value
	KindCall      Kind = "call"      // Fields: tool, arguments
	KindAction    Kind = "action"    // Fields: tool and arguments, or command
	KindObserve   Kind = "observe"   // Fields: tool or resource, arguments, pointer, mode
	KindObject    Kind = "object"    // Fields with calls of their own
	KindPart      Kind = "part"      // Fields that belong to the role's own call
	KindSteps     Kind = "list of calls"
	KindFlagCall  Kind = "true, false or call"
)

// Field declares one field of a role.
type Field struct {
	Name     string
	Kind     Kind
	Required bool     // the object with the field is not filled without it
	Fields   []Field  // members in addition to those of the kind
	OneOf    []string // the object has exactly one of these members
	Values   []string // the only texts allowed; empty allows any
	Least    int      // the least number of items in a list
	Given    []string // placeholders that the kit fills in, in this field and below; ${nonce} is allowed everywhere
	Of       string   // the sibling that the field belongs to; empty: the role's own call
	Text     string   // one line for people
}

// Members returns every member of an object of this field: none for a scalar;
// the members of the kind come before its own.
func (f Field) Members() []Field {
	switch f.Kind {
	case KindCall, KindSteps, KindFlagCall:
		return append(ownCall(true), f.Fields...)
	case KindAction:
		return append(append(ownCall(false), Field{Name: "command", Kind: KindArgv, Text: "what is run on the kit's machine"}), f.Fields...)
	case KindObserve:
		return append([]Field{
			{Name: "tool", Kind: KindTool, Text: "the tool that shows the state"},
			{Name: "resource", Kind: KindTemplate, Text: "or the resource that shows it"},
			{Name: "arguments", Kind: KindArguments, Of: "tool", Text: "its arguments"},
			{Name: "pointer", Kind: KindPointer, Text: "where in the result the state is"},
			{Name: "mode", Kind: KindText, Values: []string{ModeCount, ModeValue}, Text: "count: each effect adds one; value: an effect changes it"},
		}, f.Fields...)
	default:
		return f.Fields
	}
}

// Choices returns the members of which an object has exactly one.
func (f Field) Choices() []string {
	switch f.Kind {
	case KindAction:
		return []string{"tool", "command"}
	case KindObserve:
		return []string{"tool", "resource"}
	default:
		return f.OneOf
	}
}

// hasOwnCall reports whether the field with this value needs no other field of its
// role, since it holds a call of its own.
func (f Field) hasOwnCall(value any) bool {
	if f.Of != "" {
		return false
	}
	switch f.Kind {
	case KindCall, KindAction, KindObject, KindSteps:
		return true
	case KindFlagCall:
		_, isCall := value.(Fields)
		return isCall
	default:
		return false
	}
}

func ownCall(required bool) []Field {
	return []Field{
		{Name: "tool", Kind: KindTool, Required: required, Text: "the tool that is called"},
		{Name: "arguments", Kind: KindArguments, Of: "tool", Text: "its arguments"},
	}
}

// Spec declares a role: its fields and its purpose.
type Spec struct {
	Name   Name
	Fields []Field
	Text   string
}

// Find returns the field at a path such as "role:client-request.url.complete";
// for the path of a role, a field with the role's fields.
func Find(specs []Spec, path string) (Field, bool) {
	names := strings.Split(strings.TrimPrefix(path, "role:"), ".")
	spec, ok := find(specs, Name(names[0]))
	if !ok {
		return Field{}, false
	}
	field := spec.object()
	for _, name := range names[1:] {
		if field, ok = member(field.Members(), name); !ok {
			return Field{}, false
		}
	}
	return field, true
}

// object returns the role as a field, so that callers walk both alike.
func (s Spec) object() Field {
	return Field{Name: string(s.Name), Kind: KindObject, Fields: s.Fields, Text: s.Text}
}

func find(specs []Spec, name Name) (Spec, bool) {
	for _, spec := range specs {
		if spec.Name == name {
			return spec, true
		}
	}
	return Spec{}, false
}

func member(fields []Field, name string) (Field, bool) {
	for _, field := range fields {
		if field.Name == name {
			return field, true
		}
	}
	return Field{}, false
}
