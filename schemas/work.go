package schemas

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// expansionLimit bounds the subschemas that apply to one value, references included.
	// Twenty-two allOf of two references each make four million.
	expansionLimit = 10_000
	// workLimit bounds the steps of one validation: a second or two.
	workLimit = 500_000
)

// inPlace returns the subschemas that apply to the same value as s.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	subs := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		subs = append(subs, s.DynamicRef.Ref)
	}
	subs = append(subs, s.AllOf...)
	subs = append(subs, s.AnyOf...)
	subs = append(subs, s.OneOf...)
	for _, sub := range s.DependentSchemas {
		subs = append(subs, sub)
	}
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			subs = append(subs, sub)
		}
	}
	return present(subs)
}

// deeper returns the subschemas of s that apply to parts of its value, to a member or to
// an item.
func deeper(s *jsonschema.Schema) (members, items []*jsonschema.Schema) {
	members = []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties}
	items = []*jsonschema.Schema{s.Contains, s.Items2020, s.UnevaluatedItems}
	for _, sub := range s.PatternProperties {
		members = append(members, sub)
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		members = append(members, sub)
	}
	if sub, ok := s.Items.(*jsonschema.Schema); ok {
		items = append(items, sub)
	}
	if sub, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
		items = append(items, sub)
	}
	return present(members), present(items)
}

// positional returns the subschemas for single places of a list.
func positional(s *jsonschema.Schema) []*jsonschema.Schema {
	if subs, ok := s.Items.([]*jsonschema.Schema); ok {
		return subs
	}
	return s.PrefixItems
}

func present(subs []*jsonschema.Schema) []*jsonschema.Schema {
	kept := subs[:0]
	for _, sub := range subs {
		if sub != nil {
			kept = append(kept, sub)
		}
	}
	return kept
}

// checkExpansion refuses a schema that multiplies when its references are followed, or
// that comes back to itself on the same value.
func checkExpansion(root *jsonschema.Schema) error {
	e := expansion{cost: map[*jsonschema.Schema]int{}}
	queue := []*jsonschema.Schema{root}
	seen := map[*jsonschema.Schema]bool{root: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		switch cost := e.of(s); {
		case e.cyclic:
			return &TooComplex{What: "a reference leads back to itself"}
		case cost > expansionLimit:
			return &TooComplex{What: fmt.Sprintf("more than %d subschemas for one value", expansionLimit)}
		}
		members, items := deeper(s)
		next := append(append(append(inPlace(s), members...), items...), positional(s)...)
		for _, sub := range s.Properties {
			next = append(next, sub)
		}
		for _, sub := range next {
			if !seen[sub] {
				seen[sub] = true
				queue = append(queue, sub)
			}
		}
	}
	return nil
}

// expansion counts, for each schema, the subschemas that apply to one value.
type expansion struct {
	cost   map[*jsonschema.Schema]int
	cyclic bool
}

const underway = -1

func (e *expansion) of(s *jsonschema.Schema) int {
	if cost, known := e.cost[s]; known {
		e.cyclic = e.cyclic || cost == underway
		return max(cost, 0)
	}
	e.cost[s] = underway
	total := 1
	for _, sub := range inPlace(s) {
		// Each part stays under the limit or ends the sum, so the sum cannot overflow.
		if total += e.of(sub); total > expansionLimit || e.cyclic {
			break
		}
	}
	e.cost[s] = total
	return total
}

// tooMuchWork walks schema and value together, like a validation that skips nothing, and
// tells whether the walk takes more steps than allowed.
func tooMuchWork(s *jsonschema.Schema, value any) bool {
	w := work{left: workLimit}
	w.walk(s, value)
	return w.left <= 0
}

type work struct{ left int }

func (w *work) walk(s *jsonschema.Schema, value any) {
	if w.left--; w.left <= 0 {
		return
	}
	if s.Enum != nil {
		w.left -= len(s.Enum.Values) / 8
	}
	for _, sub := range inPlace(s) {
		w.walk(sub, value)
	}
	members, items := deeper(s)
	switch v := value.(type) {
	case map[string]any:
		w.left -= len(v)
		for name, member := range v {
			if sub, ok := s.Properties[name]; ok {
				w.walk(sub, member)
			}
			w.walkAll(members, member)
			if w.left <= 0 {
				return
			}
		}
	case []any:
		w.left -= len(v)
		places := positional(s)
		for i, item := range v {
			if i < len(places) {
				w.walk(places[i], item)
			}
			w.walkAll(items, item)
			if w.left <= 0 {
				return
			}
		}
	}
}

func (w *work) walkAll(subs []*jsonschema.Schema, value any) {
	for _, sub := range subs {
		w.walk(sub, value)
	}
}
