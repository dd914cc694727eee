package wire

// Endpoint is the path to which a connection posts messages.
func Endpoint(c *SSEConn) string {
	c.news.Lock()
	defer c.news.Unlock()
	if c.to == nil {
		return "nowhere"
	}
	return c.to.RequestURI()
}
