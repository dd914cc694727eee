package server

import "fmt"

// numbered keeps values under ids and drops the oldest beyond a maximum. The caller
// holds the lock.
type numbered[T any] struct {
	prefix string
	issued int
	byID   map[string]T
}

func newNumbered[T any](prefix string) numbered[T] {
	return numbered[T]{prefix: prefix, byID: map[string]T{}}
}

// add keeps a value and returns its id.
func (n *numbered[T]) add(value T) string {
	n.issued++
	id := n.id(n.issued)
	n.byID[id] = value
	delete(n.byID, n.id(n.issued-maxKept))
	return id
}

func (n *numbered[T]) id(number int) string { return fmt.Sprintf("%s-%d", n.prefix, number) }
