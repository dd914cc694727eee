package probe

import "github.com/mcp-conform/mcp-conform/suites/frame"

// Unreadable is an answer that exceeds a limit of the kit. It ends the case
// with an error: the server is not blamed.
type Unreadable struct{ Text string }

func (e *Unreadable) Error() string { return e.Text }

// awaitsOnly reports whether the request with this id is the only one in
// flight, so that an unreadable frame answers it.
func (c *conversation) awaitsOnly(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) == 1 && c.pending[frame.IDKey(id)]
}

// stopAwaiting stops waiting for an answer.
func (c *conversation) stopAwaiting(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, frame.IDKey(id))
}

// readable returns an error if the kit could not read some of these frames.
func readable(seen []Seen) error {
	for _, s := range seen {
		if s.Dir != frame.Received {
			continue
		}
		if why := s.Unread(); why != "" {
			return &Unreadable{"a message of the server is " + why}
		}
	}
	return nil
}
