package sse

import (
	"context"
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// originCases show the server a web page of another site, also one whose name only
// begins like that of this machine.
func originCases() []suite.Case {
	var cases []suite.Case
	for _, v := range []struct{ slug, what, origin string }{
		{"foreign", "a foreign Origin", "http://evil.example"},
		{"lookalike", "an Origin that only begins with localhost", "http://localhost.evil.example"},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/sse-origin-stream-" + v.slug,
			Title:  "a GET with " + v.what + " opens no stream",
			Checks: []requirements.ID{"http-origin-validated"},
			Needs:  []suite.Need{suite.Over(requirements.SSE)},
			Fix:    "compare the Origin header with the origins you serve before you open a stream, and answer status 403 otherwise",
			Run:    func(ctx context.Context, c *probe.Client) error { return originOfStream(ctx, c, v.origin) },
		}, suite.Case{
			ID:     "http/sse-origin-post-" + v.slug,
			Title:  "a POST with " + v.what + " is rejected",
			Checks: []requirements.ID{"http-origin-validated"},
			Needs:  []suite.Need{suite.Over(requirements.SSE)},
			Fix:    "compare the Origin header with the origins you serve before you take a message, and answer status 403 otherwise",
			Lane:   suite.Fresh, // what is rejected so may cost the connection
			Run:    func(ctx context.Context, c *probe.Client) error { return originOfPost(ctx, c, v.origin) },
		})
	}
	return cases
}

func from(origin string) probe.Option { return probe.WithHeader(http.Header{"Origin": {origin}}) }

// The first request opens the stream, with the same headers.
func originOfStream(ctx context.Context, c *probe.Client, origin string) error {
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	reply, err := other.First(ctx, from(origin))
	if err != nil {
		return err
	}
	for _, s := range other.Since(0) {
		if s.Kind != frame.KindHead || s.Exchange != 0 || s.HTTP == nil {
			continue
		}
		if s.HTTP.Status >= http.StatusMultipleChoices {
			return nil
		}
		return nearby(c, probe.One(opening(other)).And(probe.One(s.Frame)).Violation(
			"a GET with the Origin %s is answered with status %d and a stream, want it rejected", origin, s.HTTP.Status))
	}
	return probe.Undecide("the GET that opens the stream got " + reply.Outcome())
}

func opening(c *probe.Client) frame.Frame {
	for _, s := range c.Since(0) {
		if s.Dir == frame.Sent && s.Exchange == 0 {
			return s.Frame
		}
	}
	return frame.Frame{}
}

func originOfPost(ctx context.Context, c *probe.Client, origin string) error {
	reply, err := c.Call(ctx, "ping", nil, from(origin))
	switch {
	case err != nil || reply.Refused() || reply.Died():
		return err
	case !reply.Answered():
		return probe.Undecide("ping with a foreign Origin got " + reply.Outcome())
	}
	return nearby(c, reply.Violation("a POST with the Origin %s got %s, want it rejected", origin, reply.Outcome()))
}

// nearby makes less of a server that no web page reaches through the machine of
// its user.
func nearby(c *probe.Client, v *probe.Violation) error {
	if !c.Nearby() {
		v.AtMostWarn()
	}
	return v
}
