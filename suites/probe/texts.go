package probe

import (
	"maps"
	"slices"
)

// Texts are the strings in a value, names of properties among them, in order.
func Texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, Texts(one)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(append(all, name), Texts(v[name])...)
		}
		return all
	default:
		return nil
	}
}
