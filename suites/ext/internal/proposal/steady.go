package proposal

import (
	"regexp"
	"sync"
)

// Steady is a value without properties that name a request or a moment, which a
// server may write anew into a stored answer.
func Steady(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, value := range v {
			if !fleeting().MatchString(name) {
				kept[name] = Steady(value)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, value := range v {
			kept[i] = Steady(value)
		}
		return kept
	default:
		return v
	}
}

// fleeting names what differs from one answer to the next by nature.
var fleeting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:^(request|trace|correlation|span)[_-]?id$|timestamp|` +
		`^(date|time|now|server[_-]?info|quota|rate[_-]?limit|remaining)$|[_-]at$|confirmation[_-]?token)|[a-z]At$`)
})
