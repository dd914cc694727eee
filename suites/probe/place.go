package probe

import (
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// place adds to a frame the request that it belongs to, and whether something
// malformed provoked it. One reader sees sent frames before their answers.
func (c *conversation) place(f frame.Frame) Seen {
	s := c.stamp(f)
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Dir == frame.Sent {
		c.placeSent(&s)
	} else {
		c.placeReceived(&s)
	}
	s.Frame.Provoked = s.Malformed
	return s
}

func (c *conversation) placeSent(s *Seen) {
	text := string(s.Raw())
	if c.goodTexts[text] > 0 {
		c.goodTexts[text]--
	} else {
		s.Malformed = text != ""
	}
	if m, ok := c.readings[text]; ok {
		delete(c.readings, text)
		s.Known(m)
	}
	m := s.Message()
	if m.Class == frame.Request {
		a := Asked{Method: m.Method, Frame: s.Frame}
		if params, ok := m.At("/params"); ok {
			a.Params, _ = params.(map[string]any)
		}
		if s.HTTP != nil {
			a.Header = s.HTTP.Header
		}
		key := frame.IDKey(m.ID)
		c.asked[key] = a
		c.keptRequests = append(c.keptRequests, key)
		c.pending[key] = true
		c.malformedIDs[key] = s.Malformed
		if s.Exchange > 0 {
			c.posts[s.Exchange] = a
		}
		s.Request = a
	}
	if s.Exchange > 0 {
		c.malformed[s.Exchange] = s.Malformed
	}
}

func (c *conversation) placeReceived(s *Seen) {
	s.Malformed = s.Exchange > 0 && c.malformed[s.Exchange]
	s.Request = c.posts[s.Exchange]
	if s.Kind == frame.KindEnd {
		delete(c.posts, s.Exchange)
		delete(c.malformed, s.Exchange)
	}
	if s.Kind != frame.KindMessage {
		return
	}
	m := s.Message()
	for _, each := range Singles(m) {
		if each.Class == frame.Result || each.Class == frame.Error {
			key := frame.IDKey(each.ID)
			s.awaited = s.awaited || c.pending[key]
			delete(c.pending, key)
		}
	}
	if m.Class != frame.Result && m.Class != frame.Error {
		return
	}
	key := frame.IDKey(m.ID)
	a, known := c.asked[key]
	s.Request = a
	if known {
		s.Malformed = s.Malformed || c.malformedIDs[key]
	} else if !m.HasID || m.ID == "null" {
		s.Malformed = true
	}
}
