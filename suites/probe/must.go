package probe

// Must ends the case where an expectation fails, with the violation as its verdict.
func (c *Client) Must(expectation error) { c.must(expectation) }
