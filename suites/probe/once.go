package probe

// Once reads a value once for the connection and keeps it under the key, for values
// that many cases look at and no case changes, such as a list of a thousand tools. A
// violation on a shared connection is judged again on a connection of its own, where
// read runs anew. Once keeps nothing where read says so.
func Once[T any](c *Client, key string, read func() (found T, keep bool)) T {
	return once(c.conversation, key, read)
}

func once[T any](c *conversation, key string, read func() (found T, keep bool)) T {
	c.mu.Lock()
	known, ok := c.once[key].(T)
	c.mu.Unlock()
	if ok {
		return known
	}
	found, keep := read()
	if keep {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.once[key] = found
	}
	return found
}
