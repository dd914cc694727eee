package manifest

import (
	"fmt"
	"strings"
)

func steps(path []string) []any {
	all := make([]any, len(path))
	for i, name := range path {
		all[i] = name
	}
	return all
}

func dotted(path []string) string { return strings.Join(path, ".") }

// some puts the first few problems of one kind together, and counts the others.
func some(problems []string) string {
	const most = 3
	if len(problems) <= most {
		return strings.Join(problems, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(problems[:most], "; "), len(problems)-most)
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}
