package sse

import (
	"context"
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

// originCases show the server a web page of another site, and one whose name only
// begins like that of this machine. Who lets the first in does so with the second,
// which is told once.
func originCases() []suite.Case {
	const fix = "compare the whole Origin header with the origins you serve, before you "
	var cases []suite.Case
	for _, v := range []struct {
		slug, title, fix string
		lane             suite.Lane
		shows            func(ctx context.Context, c *probe.Client, origin string) (*probe.Violation, error)
	}{
		{"stream", "a GET with %s opens no stream", fix + "open a stream, and answer status 403 otherwise", suite.Shared, originOfStream},
		// What is rejected so may cost the connection.
		{"post", "a POST with %s is rejected", fix + "take a message, and answer status 403 otherwise", suite.Fresh, originOfPost},
	} {
		each := suite.Case{
			Checks: []requirements.ID{"http-origin-validated"},
			Needs:  []suite.Need{suite.Over(requirements.SSE)},
			Fix:    v.fix,
			Lane:   v.lane,
		}
		plain, like := each, each
		plain.ID, plain.Title = "http/sse-origin-"+v.slug, fmt.Sprintf(v.title, "a foreign Origin")
		plain.Run = func(ctx context.Context, c *probe.Client) error {
			broken, err := v.shows(ctx, c, foreign)
			return judged(c, broken, err)
		}
		like.ID, like.Title = plain.ID+"-lookalike", fmt.Sprintf(v.title, "an Origin that only begins with localhost")
		like.Run = func(ctx context.Context, c *probe.Client) error {
			open, err := v.shows(ctx, c, foreign)
			if err != nil {
				return err
			}
			if open != nil {
				return probe.NotSeen("any foreign Origin is let in, which " + plain.ID + " judges")
			}
			broken, err := v.shows(ctx, c, lookalike)
			return judged(c, broken, err)
		}
		cases = append(cases, plain, like)
	}
	return cases
}

// judged makes less of a server that no web page reaches through the machine of
// its user.
func judged(c *probe.Client, broken *probe.Violation, err error) error {
	switch {
	case err != nil || broken == nil:
		return err
	case !c.Nearby():
		return broken.AtMostWarn()
	}
	return broken
}

func from(origin string) probe.Option { return probe.WithHeader(http.Header{"Origin": {origin}}) }

// The first request opens the stream, with the same headers.
func originOfStream(ctx context.Context, c *probe.Client, origin string) (*probe.Violation, error) {
	opened, head, err := stream(ctx, c, from(origin))
	switch {
	case err != nil:
		return nil, err
	case head.Status < http.StatusMultipleChoices:
		return opened.Violation("a GET with the Origin %s is answered with status %d and a stream, want it rejected", origin, head.Status), nil
	}
	if _, head, err = stream(ctx, c); err == nil && head.Status >= http.StatusMultipleChoices {
		err = probe.Undecide("a further stream is refused without an Origin, too")
	}
	return nil, err
}

// stream opens a further stream, and returns the head of the answer.
func stream(ctx context.Context, c *probe.Client, options ...probe.Option) (probe.Evidence, *frame.HTTP, error) {
	other, err := c.Another(ctx)
	if err != nil {
		return nil, nil, err
	}
	reply, err := other.First(ctx, options...)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range other.Since(0) {
		if s.Kind == frame.KindHead && s.Exchange == 0 && s.HTTP != nil {
			return probe.One(opening(other)).And(probe.One(s.Frame)), s.HTTP, nil
		}
	}
	return nil, nil, probe.Undecide("the GET that opens the stream got " + reply.Outcome())
}

func opening(c *probe.Client) frame.Frame {
	for _, s := range c.Since(0) {
		if s.Dir == frame.Sent && s.Exchange == 0 {
			return s.Frame
		}
	}
	return frame.Frame{}
}

func originOfPost(ctx context.Context, c *probe.Client, origin string) (*probe.Violation, error) {
	reply, err := c.Call(ctx, "ping", nil, from(origin))
	switch {
	case err != nil || reply.Refused() || reply.Died():
		return nil, err
	case !reply.Answered():
		return nil, probe.Undecide("ping with a foreign Origin got " + reply.Outcome())
	}
	return reply.Violation("a POST with the Origin %s got %s, want it rejected", origin, reply.Outcome()), nil
}
