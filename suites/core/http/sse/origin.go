package sse

import (
	"fmt"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const (
	foreign   = "http://evil.example"
	lookalike = "http://localhost.evil.example"
)

// originCases send requests from a web page of another site, and from a site whose name
// only begins like this machine's. A server that accepts the first accepts the second
// too, which gives one finding.
func originCases() []suite.Case {
	const fix = "compare the whole Origin header with the origins you serve, before you "
	var cases []suite.Case
	for _, v := range []struct {
		slug, title, fix string
		lane             suite.Lane
		shows            func(c *probe.Client, origin string) *probe.Violation
	}{
		{"stream", "a GET with %s opens no stream", fix + "open a stream, and answer status 403 otherwise", suite.Shared, originOfStream},
		// A server may close the connection when it rejects the request.
		{"post", "a POST with %s is rejected", fix + "take a message, and answer status 403 otherwise", suite.Fresh, originOfPost},
	} {
		each := suite.Case{
			Checks: []requirements.ID{"http-origin-validated"},
			Fix:    v.fix,
			Lane:   v.lane,
		}
		plain, like := each, each
		plain.ID, plain.Title = "http/sse-origin-"+v.slug, fmt.Sprintf(v.title, "a foreign Origin")
		plain.Run = func(c *probe.Client) error {
			return judged(c, v.shows(c, foreign))
		}
		like.ID, like.Title = plain.ID+"-lookalike", fmt.Sprintf(v.title, "an Origin that only begins with localhost")
		like.Run = func(c *probe.Client) error {
			open := v.shows(c, foreign)
			if open != nil {
				c.NotSeen("any foreign Origin is let in, which " + plain.ID + " judges")
			}
			return judged(c, v.shows(c, lookalike))
		}
		cases = append(cases, plain, like)
	}
	return cases
}

// judged reduces a violation to a warning where no web page can reach the server through
// the machine of its user.
func judged(c *probe.Client, broken *probe.Violation) error {
	switch {
	case broken == nil:
		return nil
	case !c.Nearby():
		return broken.AtMostWarn()
	}
	return broken
}

func from(origin string) probe.Option { return probe.WithHeader(http.Header{"Origin": {origin}}) }

// originOfStream opens a stream; its first request carries the same headers.
func originOfStream(c *probe.Client, origin string) *probe.Violation {
	opened, head := stream(c, from(origin))
	if head.Status < http.StatusMultipleChoices {
		return opened.Violation("a GET with the Origin %s is answered with status %d and a stream, want it rejected", origin, head.Status)
	}
	if _, head = stream(c); head.Status >= http.StatusMultipleChoices {
		c.Undecide("a further stream is refused without an Origin, too")
	}
	return nil
}

// stream opens another stream and returns the head of the response.
func stream(c *probe.Client, options ...probe.Option) (probe.Evidence, *frame.HTTP) {
	other := c.Another()
	reply := other.First(options...)
	for _, s := range other.Since(0) {
		if s.Kind == frame.KindHead && s.Exchange == 0 && s.HTTP != nil {
			return probe.One(opening(other)).And(probe.One(s.Frame)), s.HTTP
		}
	}
	c.Undecide("the GET that opens the stream got " + reply.Outcome())
	return nil, nil
}

func opening(c *probe.Client) frame.Frame {
	for _, s := range c.Since(0) {
		if s.Dir == frame.Sent && s.Exchange == 0 {
			return s.Frame
		}
	}
	return frame.Frame{}
}

func originOfPost(c *probe.Client, origin string) *probe.Violation {
	reply := c.Call("ping", nil, from(origin))
	switch {
	case reply.Refused() || reply.Died():
		return nil
	case !reply.Answered():
		c.Undecide("ping with a foreign Origin got " + reply.Outcome())
	}
	return reply.Violation("a POST with the Origin %s got %s, want it rejected", origin, reply.Outcome())
}
