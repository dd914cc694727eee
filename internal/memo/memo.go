// Package memo keeps the results of functions that are asked for the same again and again.
package memo

import "sync"

// A Table keeps results of a function whose result depends on its argument only. It is safe
// for concurrent use.
type Table[K comparable, V any] struct {
	of   func(K) V
	most int

	mu    sync.Mutex
	known map[K]V
}

// New returns a table that keeps up to most results of a function, and then begins anew.
// Callers must not change the results.
func New[K comparable, V any](most int, of func(K) V) *Table[K, V] {
	return &Table[K, V]{of: of, most: most, known: map[K]V{}}
}

// Of is the result of the function for an argument.
func (t *Table[K, V]) Of(arg K) V {
	t.mu.Lock()
	result, ok := t.known[arg]
	t.mu.Unlock()
	if ok {
		return result
	}
	result = t.of(arg)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= t.most {
		clear(t.known)
	}
	t.known[arg] = result
	return result
}
