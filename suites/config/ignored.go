package config

import "slices"

// An Ignored is a key of the file that the kit does not use yet.
type Ignored struct {
	Key  string
	Line int
}

// unusedKeys lists the keys that the kit reads and checks but does not use so far.
// Remove a key from here with its first use.
func unusedKeys() []string {
	return []string{
		"limits.rounds", "limits.progress-rate",
	}
}

// note remembers a key without use.
func (r *reader) note(key string, line int) {
	if slices.Contains(unusedKeys(), key) {
		r.ignored = append(r.ignored, Ignored{key, line})
	}
}
