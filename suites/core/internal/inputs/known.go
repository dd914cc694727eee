package inputs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Known are values from earlier answers, by the names that they had there. A later call may
// take them: the berth of a booking is likely to exist, a made-up berth is not.
type Known struct {
	values map[string][]any // the newest last
}

// What is kept of an answer.
const (
	newest     = 3   // values of each name
	few        = 5   // items of each array
	names      = 500 // in all
	characters = 200 // of the longest string
	innermost  = 6   // objects and arrays around a value
)

// Learn keeps the strings and numbers of an answer. An item of an array has the name of the
// array without its plural, and what stands in an object has a second name with that of the
// object before it: berths[0].id is an id and a berthId.
func (k *Known) Learn(name string, answer any) { k.learn("", name, answer, 0) }

func (k *Known) learn(owner, name string, value any, depth int) {
	if depth > innermost {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			k.learn(name, key, v[key], depth+1)
		}
	case []any:
		for _, each := range v[:min(len(v), few)] {
			k.learn(owner, singular(name), each, depth+1)
		}
	case string:
		if v != "" && len(v) <= characters {
			k.keep(name, v)
			k.keep(owner+name, v)
		}
	default:
		if _, ok := number(v); ok {
			k.keep(name, v)
			k.keep(owner+name, v)
		}
	}
}

func (k *Known) keep(name string, value any) {
	if k.values == nil {
		k.values = map[string][]any{}
	}
	key := folded(name)
	kept, there := k.values[key]
	if key == "" || !there && len(k.values) == names {
		return
	}
	kept = append(slices.DeleteFunc(kept, func(v any) bool { return probe.Same(v, value) }), value)
	k.values[key] = kept[max(0, len(kept)-newest):]
}

// Later are arguments with values from earlier answers: all that are known at once, and
// then each of them alone, since the schema may exclude another one.
func (k *Known) Later(random *rand.Rand, schema map[string]any, fitting probe.Object) []Input {
	together, changed := fitting, []string(nil)
	var alone []Input
	properties := probe.ObjectOf(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := probe.ObjectOf(properties[name])
		value, ok := k.forProperty(random, name, property)
		if _, header := property["x-mcp-header"]; header || !ok || probe.Same(fitting[name], value) {
			continue
		}
		together, changed = together.With(name, value), append(changed, name)
		alone = append(alone, Input{What: earlier(name, value), Arguments: fitting.With(name, value)})
	}
	if len(changed) < 2 {
		return alone
	}
	return append([]Input{{What: strings.Join(changed, " and ") + " as earlier answers have them", Arguments: together}}, alone...)
}

func earlier(name string, value any) string {
	return fmt.Sprintf("%s %s, as an earlier answer has it", name, probe.Show(value))
}

func (k *Known) forProperty(random *rand.Rand, name string, property map[string]any) (any, bool) {
	if property["type"] == "array" {
		item, ok := k.drawn(random, singular(name))
		return []any{item}, ok
	}
	return k.drawn(random, name)
}

func (k *Known) drawn(random *rand.Rand, name string) (any, bool) {
	kept := k.values[folded(name)]
	if len(kept) == 0 {
		return nil, false
	}
	return kept[random.IntN(len(kept))], true
}

//nolint:gochecknoglobals // nobody changes it
var separators = strings.NewReplacer("_", "", "-", "", ".", "")

// folded is a name without what spellings differ in: entity_name and entityName are one.
func folded(name string) string {
	return strings.ToLower(separators.Replace(name))
}

func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && len(name) > 2:
		return strings.TrimSuffix(name, "s")
	}
	return name
}
