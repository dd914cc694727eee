package core

import "sync"

// A memory holds what extensions keep while a request is served.
type memory struct {
	keeping sync.Mutex
	kept    map[any]any
}

// Keep remembers a value while the request is served, for an extension that is called
// again. Each key has a type of its own.
func (m *memory) Keep(key, value any) {
	m.keeping.Lock()
	defer m.keeping.Unlock()
	if m.kept == nil {
		m.kept = map[any]any{}
	}
	m.kept[key] = value
}

// Kept returns the value under the key; nil without one.
func (m *memory) Kept(key any) any {
	m.keeping.Lock()
	defer m.keeping.Unlock()
	return m.kept[key]
}
