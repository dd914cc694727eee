package probe

import "github.com/mcp-conform/mcp-conform/suites/frame"

// Unreadable is an answer that exceeds a limit of the kit. It ends the case
// with an error: the server is not blamed.
type Unreadable struct{ Text string }

func (e *Unreadable) Error() string { return e.Text }

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
