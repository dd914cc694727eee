package probe

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// SessionEnded reports whether the server ended a session by itself, on this
// connection or on one opened from it: later requests had no chance.
func (k *Control) SessionEnded() bool {
	return slices.ContainsFunc(k.all(), sessionEnded)
}

// SessionGone asks whether the server has forgotten the session: a request with
// its id then gets status 404, which some servers also give to unknown methods.
func (k *Control) SessionGone(ctx context.Context) bool {
	if k.Session() == "" {
		return false
	}
	gone := false
	err := k.Run(ctx, func(c *Client) error {
		reply := c.Call(c.PlainMethod(), nil)
		code, _ := reply.Code()
		gone = reply.Status() == http.StatusNotFound && code != protocol.MethodNotFound
		return nil
	})
	return err == nil && gone
}

// Opens reports whether a case opened further connections from this one.
func (k *Control) Opens() bool { return len(k.further()) > 0 }

// sessionEnded looks for status 404 to a request with the id of a session that
// the client did not end. With a JSON-RPC answer in the body, 404 is the status
// of an error, which some servers give to unknown methods.
func sessionEnded(c *conversation) bool {
	session := c.Session()
	if session == "" {
		return false
	}
	asked, ended := map[int]string{}, map[int]bool{}
	for _, s := range c.Since(0) {
		switch {
		case s.Dir == frame.Sent && s.HTTP != nil && s.HTTP.Header.Get(protocol.HeaderSession) == session:
			if s.HTTP.Method == http.MethodDelete {
				return len(ended) > 0
			}
			asked[s.Exchange] = s.Message().ID
		case s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Status == http.StatusNotFound:
			if _, ok := asked[s.Exchange]; ok {
				ended[s.Exchange] = true
			}
		case s.Kind == frame.KindMessage && s.Dir == frame.Received && frame.SameID(s.Message().ID, asked[s.Exchange]) && s.Message().HasID:
			delete(ended, s.Exchange)
		}
	}
	return len(ended) > 0
}
