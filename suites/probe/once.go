package probe

// Once gives what read found the first time the connection was asked for the
// key, for what many cases look at and none changes, such as a list of a
// thousand tools. A case that complains on a shared connection is judged again on one
// of its own, where it is read anew; so is what is not good enough to be kept.
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
