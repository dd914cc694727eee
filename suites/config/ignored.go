package config

import "slices"

// An Ignored is a key that the file sets and that nothing looks at yet.
type Ignored struct {
	Key  string
	Line int
}

// unused lists the keys that are read and checked, and that no case and no part
// of the kit uses so far. Whoever uses one takes it off.
func unused() []string {
	return []string{
		"target.well-known-url", "target.kit-url",
		"limits.max-upload", "limits.rounds", "limits.progress-rate",
		"words.recommend", "words.trigger-phrases",
	}
}

// note remembers a key that is set for nothing.
func (r *reader) note(key string, line int) {
	if slices.Contains(unused(), key) {
		r.ignored = append(r.ignored, Ignored{key, line})
	}
}
