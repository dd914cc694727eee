package probe

import "github.com/mcp-conform/mcp-conform/suites/frame"

// Unreadable is an answer that a limit of the kit's own kept from being read. A
// case ends with it as an error: the server is not blamed.
type Unreadable struct{ Text string }

func (e *Unreadable) Error() string { return e.Text }

// awaitsOnly reports whether no other request than the one with the id is still
// to be answered, so that what cannot be read answers it.
func (c *conversation) awaitsOnly(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) == 1 && c.pending[frame.IDKey(id)]
}

// forgo stops expecting an answer.
func (c *conversation) forgo(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, frame.IDKey(id))
}

// readable says, as an error, that some of these frames could not be read.
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
