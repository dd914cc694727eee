package wire

// PID is the id of the server's process.
func (c *StdioConn) PID() int { return c.process.PID() }

// Endpoint is the path to which a connection posts messages.
func Endpoint(c *SSEConn) string {
	c.news.Lock()
	defer c.news.Unlock()
	if c.to == nil {
		return "nowhere"
	}
	return c.to.RequestURI()
}
