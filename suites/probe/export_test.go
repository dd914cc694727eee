package probe

// Once lets the test of once choose what is read.
func Once[T any](c *Client, key string, read func() (T, bool, error)) (T, error) {
	return once(c, key, read)
}
