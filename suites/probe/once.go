package probe

import "sync"

// A cache keeps values for the time of one connection.
type cache struct {
	mu     sync.Mutex
	values map[string]any
}

// Once reads a value once for the connection and keeps it under the key, for values
// that many cases look at and no case changes, such as a list of a thousand tools. A
// violation on a shared connection is judged again on a connection of its own, where
// read runs anew. Once keeps nothing where read says so.
func Once[T any](c *Client, key string, read func() (found T, keep bool)) T {
	return once(&c.kept, key, read)
}

func once[T any](c *cache, key string, read func() (found T, keep bool)) T {
	c.mu.Lock()
	known, ok := c.values[key].(T)
	c.mu.Unlock()
	if ok {
		return known
	}
	found, keep := read()
	if keep {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.values[key] = found
	}
	return found
}
