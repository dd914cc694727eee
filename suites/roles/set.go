package roles

import (
	"maps"
	"slices"
	"strings"
)

// Filled is a role and its fields.
type Filled struct {
	Name   Name
	Source Source // of the role's own call, or of the first source that filled a field
	Fields
	from map[string]Source
}

// From is the source of a field of the role.
func (f Filled) From(field string) Source {
	if source, ok := f.from[field]; ok {
		return source
	}
	return f.Source
}

// Set holds the roles of one target. The zero Set knows and holds none.
type Set struct {
	specs  []Spec
	filled map[Name]Filled
}

// NewSet returns a set of the declared roles. It leaves out undeclared roles
// and roles without any field; a later entry of a name wins.
func NewSet(specs []Spec, filled ...Filled) Set {
	s := Set{specs: specs, filled: make(map[Name]Filled, len(filled))}
	for _, f := range filled {
		if _, ok := find(specs, f.Name); ok && len(f.Fields) > 0 {
			s.filled[f.Name] = f
		}
	}
	return s
}

// Specs returns the declared roles in their order.
func (s Set) Specs() []Spec { return s.specs }

// Role returns a role that has at least one field; Has tells whether it is
// enough.
func (s Set) Role(name Name) (Filled, bool) {
	f, ok := s.filled[name]
	return f, ok
}

// All returns the filled roles, in the order of the declarations.
func (s Set) All() []Filled {
	var all []Filled
	for _, spec := range s.specs {
		if f, ok := s.filled[spec.Name]; ok {
			all = append(all, f)
		}
	}
	return all
}

// Private reports whether the role's observers see only the effects of the case's own
// calls. Then the case needs no lock.
func (f Filled) Private() bool {
	all := f.Observers()
	return len(all) > 0 && !slices.ContainsFunc(all, func(o Observe) bool { return !o.Private() })
}

// SeesAll reports whether an observer of some role sees more than the effects of the calls
// beside it, such as those that the observers of another role narrow down to their own.
func (s Set) SeesAll() bool {
	return slices.ContainsFunc(s.All(), func(f Filled) bool { return len(f.Observers()) > 0 && !f.Private() })
}

// Shared are the roles with a tool whose effects the observer of another role sees, and not
// only those of its own calls: they change what that one counts.
func (s Set) Shared() []Name {
	observed := map[string][]Name{} // by tool
	all := s.All()
	for _, f := range all {
		if len(f.Observers()) == 0 || f.Private() {
			continue
		}
		for each := range f.objects() {
			observed[each.Text("tool")] = append(observed[each.Text("tool")], f.Name)
		}
	}
	for _, f := range all { // observers change nothing
		for each := range f.objects() {
			delete(observed, each.At("observe").Text("tool"))
		}
	}
	delete(observed, "")
	var shared []Name
	for _, f := range all {
		for each := range f.objects() {
			ofAnother := func(name Name) bool { return name != f.Name }
			if !slices.Contains(shared, f.Name) && slices.ContainsFunc(observed[each.Text("tool")], ofAnother) {
				shared = append(shared, f.Name)
			}
		}
	}
	return shared
}

// Has reports whether a path such as "role:gated.by-cost" is filled. A field
// with a call of its own needs no other field of its role; a flag, a duration
// or an observe belongs to the role's own call, which must be filled too.
func (s Set) Has(path string) bool {
	names := strings.Split(strings.TrimPrefix(path, "role:"), ".")
	spec, known := find(s.specs, Name(names[0]))
	f, filled := s.filled[Name(names[0])]
	return known && filled && holds(spec.object(), f.Fields, names[1:])
}

// Over merges the set with a weaker one. Where a role of the set has its own
// call, the weaker fields about another call are dropped; fields with calls of
// their own come from either set.
func (s Set) Over(weaker Set) Set {
	merged := Set{specs: s.specs, filled: maps.Clone(s.filled)}
	if merged.filled == nil {
		merged.filled = make(map[Name]Filled, len(weaker.filled))
	}
	for _, spec := range weaker.specs {
		if _, ok := find(merged.specs, spec.Name); !ok {
			merged.specs = append(slices.Clone(merged.specs), spec)
		}
	}
	for name, below := range weaker.filled {
		if above, ok := merged.filled[name]; ok {
			spec, _ := find(merged.specs, name)
			below = over(spec.object(), above, below)
		}
		merged.filled[name] = below
	}
	return merged
}

func over(role Field, above, below Filled) Filled {
	ownsCall := demands(role) && complete(role, above.Fields)
	merged := Filled{Name: above.Name, Source: below.Source, Fields: Fields{}, from: map[string]Source{}}
	if ownsCall || !complete(role, below.Fields) {
		merged.Source = above.Source
	}
	for name, value := range below.Fields {
		field, _ := member(role.Fields, name)
		_, replaced := above.Fields[field.Of]
		if (ownsCall && !field.hasOwnCall(value) && field.Of == "") || replaced {
			continue
		}
		merged.Fields[name], merged.from[name] = value, below.From(name)
	}
	for name, value := range above.Fields {
		merged.Fields[name], merged.from[name] = value, above.From(name)
	}
	return merged
}

// holds reports whether the object, or the member at the path in it, is filled.
func holds(object Field, values Fields, path []string) bool {
	if len(path) == 0 {
		return len(values) > 0 && complete(object, values)
	}
	field, known := member(object.Members(), path[0])
	value, given := values[path[0]]
	if !known || !given {
		return false
	}
	switch {
	case field.Of != "":
		if !holds(object, values, []string{field.Of}) {
			return false
		}
	case !field.hasOwnCall(value) && !complete(object, values):
		return false
	}
	if inner, ok := value.(Fields); ok {
		return holds(field, inner, path[1:])
	}
	return len(path) == 1 && isSet(value)
}

// demands reports whether the object has required members.
func demands(object Field) bool {
	return len(object.Choices()) > 0 || slices.ContainsFunc(object.Members(), func(f Field) bool { return f.Required })
}

// complete reports whether the object has all its required members.
func complete(object Field, values Fields) bool {
	for _, field := range object.Members() {
		value, given := values[field.Name]
		if inner, ok := value.(Fields); ok && given {
			given = complete(field, inner)
		}
		if field.Required && (!given || !isSet(value)) {
			return false
		}
	}
	choices := object.Choices()
	return len(choices) == 0 || slices.ContainsFunc(choices, func(name string) bool { return values[name] != nil })
}

// isSet reports whether a value means anything: false, an empty text and an
// empty list do not.
func isSet(value any) bool {
	switch value := value.(type) {
	case bool:
		return value
	case string:
		return value != ""
	case []string:
		return len(value) > 0
	case []Fields:
		return len(value) > 0
	default:
		return true
	}
}
