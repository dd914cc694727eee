package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func versionCases() []suite.Case {
	cases := slices.Concat(echoCases(), counterOfferCases())
	return append(cases,
		suite.Case{
			ID:     "lifecycle/counter-offer-latest",
			Title:  "the newest revision the server has is offered in place of one it has not",
			Checks: []requirements.ID{"lifecycle-version-counter-offer-latest"},
			Fix:    "answer an unknown protocolVersion with the newest handshake revision the server speaks",
			Raw:    true,
			Lane:   suite.Fresh,
			Run:    counterOfferLatest,
		},
		suite.Case{
			ID:     "lifecycle/counter-offer-usable",
			Title:  "the revision offered in place of another is really spoken",
			Checks: []requirements.ID{"lifecycle-version-counter-offer-usable"},
			Fix:    "offer only revisions that a second handshake can agree on",
			Raw:    true,
			Lane:   suite.Fresh,
			Run:    counterOfferUsable,
		},
	)
}

func echoCases() []suite.Case {
	var cases []suite.Case
	for _, r := range requirements.Revisions() {
		if r.Modern() {
			continue // no handshake agrees on it
		}
		cases = append(cases, suite.Case{
			ID:     "lifecycle/version-echo-" + string(r),
			Title:  "an initialize that names " + string(r) + " is answered with it if the server has it",
			Checks: []requirements.ID{"lifecycle-version-echo-supported"},
			Fix:    "answer initialize with the protocolVersion it names whenever the server speaks that revision",
			Raw:    true,
			Lane:   suite.Fresh,
			Run:    func(ctx context.Context, c *probe.Client) error { return echo(ctx, c, r) },
		})
	}
	return cases
}

func echo(ctx context.Context, c *probe.Client, r requirements.Revision) error {
	if !implements(c, r) {
		return probe.NotSeen("nothing shows that the server has " + string(r))
	}
	reply, err := c.Handshake(ctx, c.InitializeParams(r))
	if err != nil {
		return err
	}
	if err := reply.WantResult(); err != nil {
		return err
	}
	return reply.Want("/result/protocolVersion", probe.Equal(string(r)))
}

// A revision is the server's own when it was agreed on or offered before, or
// stands in its discovery. There 2024-11-05 may be meant for the older HTTP
// transport, whose endpoint is another one.
func implements(c *probe.Client, r requirements.Revision) bool {
	seen := c.Survey().Versions
	elsewhere := c.Transport() == requirements.HTTP && r == requirements.R20241105
	return slices.Contains(seen.Echoed, r) || slices.Contains(seen.Offered, string(r)) ||
		slices.Contains(seen.Supported, string(r)) && !elsewhere
}

func counterOfferCases() []suite.Case {
	var cases []suite.Case
	for _, variant := range []struct {
		slug, title, asked string
		refusable          bool
	}{
		{"counter-offer-past", "a revision from before the protocol is answered with another", bygone, false},
		{"counter-offer-future", "a revision that is yet to come is answered with another", yetToCome, false},
		{"counter-offer-no-date", "a revision that is no date is answered with another", "newest", true},
	} {
		cases = append(cases, suite.Case{
			ID:     "lifecycle/" + variant.slug,
			Title:  variant.title,
			Checks: []requirements.ID{"lifecycle-version-counter-offer"},
			Fix:    "answer initialize with a result that names a revision the server speaks, instead of repeating or refusing the one it was asked for",
			Raw:    true,
			Lane:   suite.Fresh,
			Run: func(ctx context.Context, c *probe.Client) error {
				return counterOffer(ctx, c, variant.asked, variant.refusable)
			},
		})
	}
	return cases
}

// The text wants a counter-offer, the page's own sample of an error shows
// -32602 for the same occasion: that one is told, any other is warned about.
func counterOffer(ctx context.Context, c *probe.Client, asked string, refusable bool) error {
	reply, err := c.Handshake(ctx, c.InitializeParams(requirements.Revision(asked)))
	if err != nil {
		return err
	}
	if reply.Refused() {
		if code, ok := reply.Code(); refusable || ok && code == probe.InvalidParams {
			c.Note(fmt.Sprintf("an initialize that names %q is refused, where the text of the page asks for a counter-offer", asked))
			return nil
		}
		return probe.AtMostWarn(reply.WantResult())
	}
	if err := reply.WantResult(); err != nil {
		return err
	}
	err = reply.Want("/result/protocolVersion", probe.That(fmt.Sprintf("a revision other than %q", asked), func(v any) bool {
		text, ok := v.(string)
		return ok && text != "" && text != asked
	}))
	if err != nil {
		return err
	}
	if offer := offered(reply); !requirements.Revision(offer).Known() {
		c.Note(fmt.Sprintf("the revision offered instead, %q, is not known here", offer))
	}
	return nil
}

func offered(reply *probe.Reply) string {
	v, _ := reply.At("/result/protocolVersion")
	text, _ := v.(string)
	return text
}

// 2026-07-28 has no handshake, so a server that speaks it too has nothing newer
// to offer here than its newest revision that has one.
func counterOfferLatest(ctx context.Context, c *probe.Client) error {
	echoed := c.Survey().Versions.Echoed
	if len(echoed) == 0 {
		return probe.NotSeen("the server agreed to no revision that it was asked for")
	}
	reply, err := c.Handshake(ctx, c.InitializeParams(bygone))
	if err != nil {
		return err
	}
	offer, newest := requirements.Revision(offered(reply)), slices.Max(echoed)
	switch {
	case !offer.Known() || offer.Modern():
		return probe.NotSeen("no handshake revision known here is offered")
	case offer.Before(newest):
		return reply.Violation("$.result.protocolVersion is %q, want %q, which the server agrees to when it is asked for it", offer, newest)
	}
	return nil
}

func counterOfferUsable(ctx context.Context, c *probe.Client) error {
	first, err := c.Handshake(ctx, c.InitializeParams(bygone))
	if err != nil {
		return err
	}
	offer := offered(first)
	if offer == "" || offer == bygone || requirements.Revision(offer).Modern() {
		return probe.NotSeen("no handshake revision is offered")
	}
	next, err := c.Another(ctx)
	if err != nil {
		return err
	}
	second, err := next.Handshake(ctx, c.InitializeParams(requirements.Revision(offer)))
	if err != nil {
		return err
	}
	if got := offered(second); got != offer {
		return probe.Broken(append(first.Evidence(), second.Evidence()...),
			"the answer to an initialize that names the offered %q is %s, want the same protocolVersion", offer, second.Outcome())
	}
	if err := next.Initialized(ctx); err != nil {
		return err
	}
	return works(ctx, next, second)
}

// works expects a ping or a list to be served; either shows that the server
// can go on in the revision it offered.
func works(ctx context.Context, c *probe.Client, opening *probe.Reply) error {
	pong, err := c.Call(ctx, "ping", nil)
	if err != nil {
		return err
	}
	if pong.WantResult() == nil {
		return nil
	}
	for _, l := range lists() {
		if _, declared := opening.At("/result/capabilities/" + l.capability); !declared {
			continue
		}
		listed, err := c.Call(ctx, l.method, nil)
		if err != nil || listed.WantResult() == nil {
			return err
		}
	}
	return probe.Broken(append(opening.Evidence(), pong.Evidence()...),
		"in the offered %q the answer to ping is %s, and no list is served either", offered(opening), pong.Outcome())
}
