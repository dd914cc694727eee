package roles

import (
	"slices"
	"sync"
)

// Known returns the roles of the kit's own suites, in reading order. A plan
// adds the Specs of third parties.
func Known() []Spec { return slices.Clone(known()) }

// known builds the roles once: each mention of a tool in a configuration asks for them.
//
//nolint:gochecknoglobals // see above
var known = sync.OnceValue(func() []Spec {
	return slices.Concat(toolSpecs(), effectSpecs(), clientSpecs(), dataSpecs(), identitySpecs(), extensionSpecs())
})

// ownTool returns the members of a role whose own call is a tool call, and the
// given further members.
func ownTool(others ...Field) []Field { return append(ownCall(true), others...) }

func call(name, text string, extra ...Field) Field {
	return Field{Name: name, Kind: KindCall, Fields: extra, Text: text}
}

func action(name, text string, extra ...Field) Field {
	return Field{Name: name, Kind: KindAction, Fields: extra, Text: text}
}

func object(name, text string, members ...Field) Field {
	return Field{Name: name, Kind: KindObject, Fields: members, Text: text}
}

func scalar(name string, kind Kind, text string) Field {
	return Field{Name: name, Kind: kind, Text: text}
}

func observe() Field {
	return Field{Name: "observe", Kind: KindObserve, Text: "how the effect is seen"}
}

func otherArguments() Field {
	return Field{Name: "other-arguments", Kind: KindArguments, Text: "arguments of another effect"}
}

func required(f Field) Field {
	f.Required = true
	return f
}

// of says which sibling a field belongs to.
func of(sibling string, f Field) Field {
	f.Of = sibling
	return f
}

// given declares the placeholders that the kit puts into a field.
func given(f Field, names ...string) Field {
	f.Given = names
	return f
}
