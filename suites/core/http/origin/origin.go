// Package origin holds the cases of the security section: web pages of other sites do
// not reach the server, and nobody from elsewhere a server that is run locally.
package origin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// attacker is a site that no server has reason to trust.
const attacker = "attacker.example"

const origin = "Origin"

// Cases are in the order of the section.
func Cases() []suite.Case { return slices.Concat(pageCases(), methodCases(), bindCases()) }

func pageCases() []suite.Case {
	validated := []requirements.ID{"http-origin-validated"}
	needs := []suite.Need{suite.Over(requirements.HTTP), suite.Answers()}
	return []suite.Case{
		{
			ID:     "http/origin-foreign",
			Title:  "a request from the web page of another site is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the header Origin, where there is one, with a list of allowed origins, and answer HTTP status 403 if it is not there",
			Run: func(c *probe.Client) error {
				return turnedAway(c, http.Header{origin: {"http://" + attacker}})
			},
		},
		{
			ID:     "http/origin-lookalike",
			Title:  "a request from a site whose name begins like the server's own is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the whole header Origin with the allowed ones, and not only how it begins",
			Run: looking(func(c *probe.Client) error {
				return turnedAway(c, http.Header{origin: {"http://" + lookalike(c)}})
			}),
		},
		{
			ID:     "http/origin-rebound",
			Title:  "a request from a site whose name was made to lead to the server is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the header Origin with a list of allowed origins, and not with the header Host, which names the same site then",
			Run:    looking(rebound),
		},
		{
			ID:     "http/origin-403",
			Title:  "a request that is rejected for its origin gets HTTP status 403",
			Checks: []requirements.ID{"http-origin-403"},
			Needs:  needs,
			Fix:    "answer a request with a header Origin that is not allowed with HTTP status 403",
			Run:    forbidden,
		},
	}
}

// lookalike begins as the server's own name does. An address with colons has no such
// form.
func lookalike(c *probe.Client) string {
	host := c.Survey().Given.Host
	if host == "" || strings.Contains(host, ":") {
		host = "localhost"
	}
	return host + "." + attacker
}

// looking makes the function of a case that judges how a server looks at origins. One
// that does not look at them at all is one finding, that of http/origin-foreign.
func looking(run func(*probe.Client) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		const rejected = "rejected"
		how := c.Learn("a foreign origin is", func() string {
			reply := ask(c, http.Header{origin: {"http://" + attacker}})
			if reply.Refused() {
				return rejected
			}
			return reply.Outcome()
		})
		if how != rejected {
			c.NotSeen("a request of any origin is served, which http/origin-foreign judges")
		}
		return run(c)
	}
}

// ask sends a harmless request with headers of a browser's. What a gateway says for a
// server that is away is no rejection: the request is made again, and decides nothing
// if the server stays away.
func ask(c *probe.Client, shown http.Header) *probe.Reply {
	for tries := 1; ; tries++ {
		reply := c.Ask(c.Compose(c.PlainMethod(), nil), probe.WithHeader(shown), probe.Patient())
		switch {
		case !away(reply.Status()):
			return reply
		case tries == 3:
			c.Undecide("the answer is " + reply.Outcome() + ", which says nothing of the origin")
		}
	}
}

// away reports whether a status is that of a gateway or of a limit.
func away(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// turnedAway expects that the request of a foreign page is not served.
func turnedAway(c *probe.Client, shown http.Header) error {
	reply := ask(c, shown)
	if reply.Refused() || reply.Died() {
		return nil
	}
	if _, ok := reply.Result(); !ok {
		c.NotSeen("the answer is " + reply.Outcome())
	}
	site := strings.TrimPrefix(shown.Get(origin), "http://")
	return graded(c, http.Header{origin: shown[origin], "Host": {site}},
		reply.Violation("a request with the header Origin: %s is served, want HTTP status 403", shown.Get(origin)))
}

// graded is a violation as it counts against a server at its address: out in the open
// web no name can be made to lead past a firewall, and a server may be there for all.
// One that looks at the header Host keeps out the names that were made to lead to it,
// which is what the rule is for, though not how it says. What is shown has a foreign
// host, and nothing else that the server was seen to reject.
func graded(c *probe.Client, shown http.Header, v *probe.Violation) error {
	if !c.Survey().Local() {
		return v.AtMostWarn()
	}
	const rejected = "rejected"
	how := c.Learn("a host "+shown.Get("Host")+" with the origin "+strconv.Quote(shown.Get(origin))+" is", func() string {
		foreign := ask(c, shown)
		if foreign.Refused() {
			return rejected
		}
		return foreign.Outcome()
	})
	if how == rejected {
		v.Problem += "; a foreign Host is rejected, so that this is a warning"
		return v.AtMostWarn()
	}
	return v
}

// In the open web a server of another name may answer to a foreign Host.
func rebound(c *probe.Client) error {
	if !c.Survey().Local() {
		c.NotSeen("no browser on another machine needs a false name to reach " + c.Survey().Given.Host)
	}
	return turnedAway(c, http.Header{origin: {"http://" + attacker}, "Host": {attacker}})
}

// Which status a rejection has is judged where there is one, and where the same
// request without an origin is served.
func forbidden(c *probe.Client) error {
	reply := ask(c, http.Header{origin: {"http://" + attacker}})
	switch status := reply.Status(); {
	case status == http.StatusForbidden:
		return nil
	case !reply.Refused():
		c.NotSeen("a request of a foreign origin is not rejected: " + reply.Outcome())
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		c.NotSeen("the request is rejected for something else: " + reply.Outcome())
	}
	usual := ask(c, nil)
	if _, ok := usual.Result(); !ok {
		c.NotSeen("the request is rejected without an origin too: " + usual.Outcome())
	}
	return probe.Shown(usual, reply).Violation("a request with the header Origin: http://%s is rejected with HTTP status %d, want %d",
		attacker, reply.Status(), http.StatusForbidden)
}

// methodCases try the other ways into a session.
func methodCases() []suite.Case {
	const fix = "look at the header Origin before the method of the request"
	validated := []requirements.ID{"http-origin-validated"}
	return []suite.Case{
		{
			ID:        "http/origin-foreign-get",
			Title:     "the web page of another site cannot open a stream by GET",
			Checks:    validated,
			Needs:     []suite.Need{suite.Over(requirements.HTTP), suite.Answers()},
			Fix:       fix,
			Revisions: sessions(),
			Run: looking(func(c *probe.Client) error {
				return closed(c, http.MethodGet, "text/event-stream")
			}),
		},
		{
			ID:        "http/origin-foreign-delete",
			Title:     "the web page of another site cannot end a session",
			Checks:    validated,
			Needs:     []suite.Need{suite.Over(requirements.HTTP), suite.Answers(), suite.Trait(probe.Sessions)},
			Fix:       fix,
			Revisions: sessions(),
			Lane:      suite.Fresh, // a server that does not look at the origin ends the session
			Run: looking(func(c *probe.Client) error {
				return closed(c, http.MethodDelete, "application/json, text/event-stream")
			}),
		},
	}
}

// closed expects that a foreign page gets nowhere by a method without a message.
func closed(c *probe.Client, method, accept string) error {
	reply := c.Fetch(method, probe.WithHeader(http.Header{origin: {"http://" + attacker}, "Accept": {accept}}))
	if reply.Status() == 0 || reply.Status() >= http.StatusMultipleChoices {
		return nil
	}
	return graded(c, http.Header{"Host": {attacker}}, reply.Violation("%s with the header Origin: http://%s gets HTTP status %d, want %d",
		method, attacker, reply.Status(), http.StatusForbidden))
}

// sessions are the revisions in which GET and DELETE mean something.
func sessions() []requirements.Revision {
	return slices.DeleteFunc(protocol.Streamable(), func(r requirements.Revision) bool { return slices.Contains(protocol.Stateless(), r) })
}
