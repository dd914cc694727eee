package lifecycle

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func negotiationCases() []suite.Case {
	cases := slices.Concat(echoCases(), counterOfferCases())
	return append(cases,
		suite.Case{
			ID:     "lifecycle/counter-offer-latest",
			Title:  "an unknown revision is answered with the newest one the server supports",
			Checks: []requirements.ID{"lifecycle-version-counter-offer-latest"},
			Fix:    "answer an unknown protocolVersion with the newest handshake revision the server supports",
			Raw:    true,
			Run:    counterOfferLatest,
		},
		suite.Case{
			ID:     "lifecycle/counter-offer-usable",
			Title:  "the revision offered instead of an unknown one can be used",
			Checks: []requirements.ID{"lifecycle-version-counter-offer-usable"},
			Fix:    "offer only revisions that a second initialize can agree on",
			Raw:    true,
			Run:    counterOfferUsable,
		},
	)
}

func echoCases() []suite.Case {
	var cases []suite.Case
	for _, r := range protocol.Handshake() {
		cases = append(cases, suite.Case{
			ID:     "lifecycle/version-echo-" + string(r),
			Title:  "an initialize that names " + string(r) + " is answered with it if the server supports it",
			Checks: []requirements.ID{"lifecycle-version-echo-supported"},
			Fix:    "answer initialize with the protocolVersion it names whenever the server supports that revision",
			Raw:    true,
			Run:    func(c *probe.Client) error { return echo(c, r) },
		})
	}
	return cases
}

// echo judges the answers that discovery got, since discovery has asked for each revision
// on a connection of its own.
func echo(c *probe.Client, r requirements.Revision) error {
	spoken := c.Versions()
	if slices.Contains(spoken.Echoed, r) {
		return nil
	}
	c.NotSeenIf(!named(c, spoken, r), "nothing shows that the server supports "+string(r))
	reply := c.Handshake(c.InitializeParams(r))
	c.Must(reply.WantResult())
	return reply.Want("/result/protocolVersion", probe.Equal(string(r)))
}

// named reports whether the server offered a revision or lists it in its discovery. Over
// HTTP a listed revision without Streamable HTTP may be served at another endpoint.
func named(c *probe.Client, spoken probe.Versions, r requirements.Revision) bool {
	here := c.Transport() != requirements.HTTP || slices.Contains(protocol.Streamable(), r)
	return slices.Contains(spoken.Offered, string(r)) || slices.Contains(c.Survey().Supported, string(r)) && here
}

const noDate = "newest"

func counterOfferCases() []suite.Case {
	var cases []suite.Case
	for _, v := range []struct {
		slug, title, asked string
		rejectable         bool
		nearby             []string // dates that are asked for as well
	}{
		{"counter-offer-past", "an old revision that does not exist is answered with another", protocol.Bygone, false, protocol.NeverReleased()},
		{"counter-offer-future", "a future revision is answered with another", protocol.YetToCome, false, nil},
		{"counter-offer-no-date", "a revision that is not a date is answered with another", noDate, true, nil},
	} {
		cases = append(cases, suite.Case{
			ID:     "lifecycle/" + v.slug,
			Title:  v.title,
			Checks: []requirements.ID{"lifecycle-version-counter-offer"},
			Fix: "answer initialize with a result that names a revision the server supports, " +
				"instead of repeating or rejecting the requested one",
			Raw: true,
			Run: func(c *probe.Client) error {
				c.Must(counterOffer(c, v.asked, v.rejectable))
				return neverReleased(c, v.nearby)
			},
		})
	}
	return cases
}

// unknownVersions asks for revisions that no server supports. An answer that names
// another revision proves the same on any connection. Of dates without a revision any
// offer is remembered, because only neverReleased asks for them.
func unknownVersions(c *probe.Client) round {
	r := round{
		key: "lifecycle:unknown-versions",
		judge: func(name string, reply *probe.Reply) (offer string, kept, further bool) {
			offer = offered(reply)
			kept = offer != "" && (offer != name || slices.Contains(protocol.NeverReleased(), name))
			return offer, kept, kept
		},
	}
	for _, version := range slices.Concat([]string{protocol.Bygone, protocol.YetToCome, noDate}, protocol.NeverReleased()) {
		r.asked = append(r.asked, initialize{version, c.InitializeParams(requirements.Revision(version))})
	}
	return r
}

// counterOffer notes error -32602 and warns of any other error: the page asks for a
// counter-offer, but its own example of an error shows -32602 for the same occasion.
func counterOffer(c *probe.Client, asked string, rejectable bool) error {
	reply, offer := unknownVersions(c).ask(c, asked)
	if reply != nil {
		if reply.Refused() {
			if code, ok := reply.Code(); rejectable || ok && code == protocol.InvalidParams {
				c.Note(fmt.Sprintf("an initialize that names %q is rejected, where the page asks for a counter-offer", asked))
				return nil
			}
			return probe.AtMostWarn(reply.WantResult())
		}
		c.Must(reply.WantResult())
		c.Must(reply.Want("/result/protocolVersion", probe.That(fmt.Sprintf("a revision other than %q", asked), func(v any) bool {
			text, ok := v.(string)
			return ok && text != "" && text != asked
		})))
		offer = offered(reply)
	}
	if !requirements.Revision(offer).Known() {
		c.Note(fmt.Sprintf("the revision offered instead, %q, is not known to this kit", offer))
	}
	return nil
}

// neverReleased judges a server that repeats dates near those of the revisions only.
// Where a second initialize on one connection gets no offer, the dates are not judged
// over stdio: a process for each would take too long.
func neverReleased(c *probe.Client, dates []string) error {
	for _, asked := range dates {
		if c.Transport() == requirements.Stdio {
			if known, there := unknownVersions(c).remembered(c, asked); !there || known != asked {
				continue
			}
		}
		reply := c.Another().Handshake(c.InitializeParams(requirements.Revision(asked)))
		if offered(reply) == asked {
			return reply.Violation("$.result.protocolVersion is %q, want a revision other than that, which was never released", asked)
		}
	}
	return nil
}

func offered(reply *probe.Reply) string {
	v, _ := reply.At("/result/protocolVersion")
	return probe.TextOf(v)
}

// offerFor is the revision that the server offers instead, and the answer with the offer
// if this connection got it.
func offerFor(c *probe.Client, asked string) (string, *probe.Reply) {
	reply, offer := unknownVersions(c).ask(c, asked)
	if reply != nil {
		offer = offered(reply)
	}
	return offer, reply
}

// counterOfferLatest expects the newest revision with a handshake: 2026-07-28 has none,
// so a server cannot offer it here.
func counterOfferLatest(c *probe.Client) error {
	spoken := c.Versions()
	c.NotSeenIf(len(spoken.Echoed) == 0, "the server agreed to no revision that it was asked for")
	newest := string(slices.Max(spoken.Echoed))
	offer, reply := offerFor(c, protocol.Bygone)
	if reply == nil && offer < newest {
		reply = c.Handshake(c.InitializeParams(protocol.Bygone))
		offer = offered(reply)
	}
	switch {
	case !protocol.HasHandshake(offer):
		c.NotSeen("no known handshake revision is offered")
	case offer < newest:
		return reply.Violation("$.result.protocolVersion is %q, want %q, which the server agrees to when it is asked for it", offer, newest)
	}
	return nil
}

func counterOfferUsable(c *probe.Client) error {
	column := string(c.Revision())
	offer, first := offerFor(c, protocol.Bygone)
	stateless := requirements.Revision(offer).Known() && !protocol.HasHandshake(offer)
	c.NotSeenIf(offer == "" || offer == protocol.Bygone || stateless, "no handshake revision is offered")
	survey := c.Survey()
	spoken := c.Versions()
	if offer == column && slices.Contains(spoken.Echoed, requirements.Revision(offer)) && len(survey.Lists) > 0 {
		return nil // discovery agreed on the revision and read a list
	}
	next := c
	if first != nil {
		next = c.Another()
	}
	second := next.Handshake(c.InitializeParams(requirements.Revision(offer)))
	if got := offered(second); got != offer {
		first = shownOffer(c, first)
		return probe.Shown(first, second).Violation("an initialize that names the offered %q got %s, want the same protocolVersion",
			offer, second.Outcome())
	}
	next.Initialized()
	return works(next, second)
}

// shownOffer asks for the counter-offer again where the round only remembered it, so that
// a finding can show the answer.
func shownOffer(c *probe.Client, first *probe.Reply) *probe.Reply {
	if first != nil {
		return first
	}
	return c.Another().Handshake(c.InitializeParams(protocol.Bygone))
}

// works expects the server to serve a ping or a list; either shows that the conversation
// can continue in the offered revision.
func works(c *probe.Client, opening *probe.Reply) error {
	pong := c.Call("ping", nil)
	if pong.Message().Class == frame.Result {
		return nil // what the result has to be is the rule of others
	}
	for _, l := range protocol.Lists() {
		if _, declared := opening.At("/result/capabilities/" + l.Capability); !declared {
			continue
		}
		listed := c.Call(l.Method, nil)
		if listed.WantResult() == nil {
			return nil
		}
	}
	broken := pong.Violation("in the offered %q ping got %s, and no list is served either", offered(opening), pong.Outcome())
	broken.Frames = probe.Shown(opening, pong)
	return broken
}
