package probe

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// A suspicion is an error without an id that is about one of the requests in flight when it
// came.
type suspicion struct{ others []string } // the keys of those requests but one

// suspect keeps an error without an id that came after the request was sent. It may be about
// something else that was sent: then it says nothing of this request.
func (p *Pending) suspect(unnamed Seen) {
	c := p.reply.client
	if c.setup.Patience == nil || c.setup.Thorough {
		return
	}
	flying, own := c.inFlight(), frame.IDKey(p.reply.id)
	if !flying[own] {
		return
	}
	var others []string
	for _, s := range slices.Backward(c.Since(0)) {
		if s.Dir != frame.Sent || s.Seq > unnamed.Seq {
			continue
		}
		m := s.Message()
		switch key := frame.IDKey(m.ID); {
		case m.Class != frame.Request:
			return
		case key == own:
		case flying[key]:
			others = append(others, key)
		default: // it was answered before: the server had read all that was sent before it
			p.unnamed = append(p.unnamed, suspicion{others})
			return
		}
	}
}

// blamed reports whether an error without an id can be about this request only, since all
// others that it may have been about have their answers.
func (p *Pending) blamed() bool {
	if len(p.unnamed) == 0 {
		return false
	}
	flying := p.reply.client.inFlight()
	return slices.ContainsFunc(p.unnamed, func(one suspicion) bool {
		return !slices.ContainsFunc(one.others, func(key string) bool { return flying[key] })
	})
}
