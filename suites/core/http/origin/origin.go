// Package origin holds the cases of the security section: web pages of other sites cannot
// reach the server, and other machines cannot reach a server that runs locally.
package origin

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// stranger is a site that no server has reason to trust.
const stranger = "attacker.example"

// attacker is the host of that site, with the port of the server: a site whose name is made
// to lead to the server has that port.
func attacker(c *probe.Client) string { return withPort(c, stranger) }

// withPort adds the port of the server to a host, unless it is the usual port.
func withPort(c *probe.Client, host string) string {
	if port, err := strconv.Atoi(c.Survey().Given.Port); err == nil {
		return host + ":" + strconv.Itoa(port)
	}
	return host
}

// ownName is the name of the server's host. Browsers take no name that ends like an
// address, so localhost stands in for an address.
func ownName(c *probe.Client) string {
	host := c.Survey().Given.Host
	if host == "" || net.ParseIP(host) != nil {
		return "localhost"
	}
	return host
}

const origin = "Origin"

// Cases returns the cases in the order of the section.
func Cases() []suite.Case { return slices.Concat(pageCases(), methodCases()) }

func pageCases() []suite.Case {
	validated := []requirements.ID{"http-origin-validated"}
	needs := []suite.Need{suite.Answers()}
	return []suite.Case{
		{
			ID:     "http/origin-foreign",
			Title:  "a request from the web page of another site is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the header Origin, where there is one, with a list of allowed origins, and answer HTTP status 403 if it is not there",
			Run: func(c *probe.Client) error {
				return turnedAway(c, http.Header{origin: {"http://" + attacker(c)}})
			},
		},
		{
			ID:     "http/origin-foreign-call",
			Title:  "a call of a tool from the web page of another site is rejected",
			Checks: validated,
			Needs:  append(needs[:len(needs):len(needs)], suite.Role(roles.ReadOnlyTool)),
			Fix:    "look at the header Origin before the method of the message",
			Run:    comparingOrigins(foreignCall),
		},
		{
			ID:     "http/origin-foreign-https",
			Title:  "a request from a web page that another site serves over HTTPS is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the whole header Origin with the allowed ones: https in front of it says nothing of the site",
			Run: comparingOrigins(func(c *probe.Client) error {
				return turnedAway(c, http.Header{origin: {"https://" + stranger}})
			}),
		},
		{
			ID:     "http/origin-lookalike",
			Title:  "a request from a site whose name begins like the server's own is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the whole header Origin with the allowed ones, and not only how it begins",
			Run: comparingOrigins(func(c *probe.Client) error {
				return turnedAway(c, http.Header{origin: {"http://" + lookalike(c)}})
			}),
		},
		{
			ID:     "http/origin-lookalike-end",
			Title:  "a request from a site whose name ends like the server's own is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the whole header Origin with the allowed ones, and not only how it ends",
			Run: comparingOrigins(func(c *probe.Client) error {
				return turnedAway(c, http.Header{origin: {"http://" + withPort(c, "attacker-"+ownName(c))}})
			}),
		},
		{
			ID:     "http/origin-null",
			Title:  "a request from a page without an origin, such as a sandboxed frame, is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "reject Origin: null unless you serve pages that send it; any site can put a page into a sandboxed frame",
			Run:    comparingOrigins(noOrigin),
		},
		{
			ID:     "http/origin-rebound",
			Title:  "a request from a site whose name was made to lead to the server is rejected",
			Checks: validated,
			Needs:  needs,
			Fix:    "compare the header Origin with a list of allowed origins, and not with the header Host, which names the same site then",
			Run:    comparingOrigins(rebound),
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

// lookalike is a host that begins with the server's own host name. An IPv6 address cannot
// begin a name, so localhost stands in for it.
func lookalike(c *probe.Client) string {
	host := c.Survey().Given.Host
	if host == "" || strings.Contains(host, ":") {
		host = "localhost"
	}
	return host + "." + stranger
}

// comparingOrigins makes the Run function of a case about how a server compares origins. A server
// that does not check origins at all gets one finding, from http/origin-foreign.
func comparingOrigins(run func(*probe.Client) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		const rejected = "rejected"
		how := c.Learn("a foreign origin is", func() string {
			reply := ask(c, http.Header{origin: {"http://" + attacker(c)}})
			if reply.Refused() {
				return rejected
			}
			return reply.Outcome()
		})
		c.NotSeenIf(how != rejected, "a request of any origin is served, which http/origin-foreign judges")
		return run(c)
	}
}

// foreignCall expects that a call of a tool that only reads is turned away as any other
// request.
func foreignCall(c *probe.Client) error {
	call := c.Role(roles.ReadOnlyTool).Call()
	return turnedAwayWith(c, "tools/call", call.Params(nil), http.Header{origin: {"http://" + attacker(c)}})
}

// ask sends a harmless request with headers of a browser.
func ask(c *probe.Client, shown http.Header) *probe.Reply {
	return askFor(c, c.PlainMethod(), nil, shown)
}

// noOrigin warns: a server may have reason to serve pages without an origin, such as files.
func noOrigin(c *probe.Client) error {
	reply := ask(c, http.Header{origin: {"null"}})
	if reply.Served() && !reply.Refused() {
		return reply.Violation("a request with the header Origin: null is served, want it rejected").AtMostWarn()
	}
	return nil
}

// askFor sends a request with headers of a browser. A gateway's answer for an
// absent server is no rejection: the request is repeated, and the case stays undecided if
// the server stays away.
func askFor(c *probe.Client, method string, params probe.Object, shown http.Header) *probe.Reply {
	for tries := 1; ; tries++ {
		reply := c.Ask(c.Compose(method, params), probe.WithHeader(shown), probe.Patient())
		switch {
		case !fromGateway(reply.Status()):
			return reply
		case tries == 3:
			c.Undecide("the answer is " + reply.Outcome() + ", which says nothing of the origin")
		}
	}
}

// fromGateway reports whether a status comes from a gateway or a rate limit.
func fromGateway(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// turnedAway expects that the request of a foreign page is not served.
func turnedAway(c *probe.Client, shown http.Header) error {
	return turnedAwayWith(c, c.PlainMethod(), nil, shown)
}

func turnedAwayWith(c *probe.Client, method string, params probe.Object, shown http.Header) error {
	reply := askFor(c, method, params, shown)
	if reply.Refused() || reply.Died() {
		return nil
	}
	c.NotSeenIf(!reply.Served(), "the answer is "+reply.Outcome())
	_, site, _ := strings.Cut(shown.Get(origin), "://")
	return graded(c, http.Header{origin: shown[origin], "Host": {site}},
		reply.Violation("%s with the header Origin: %s is served, want it rejected", what(c, method), shown.Get(origin)))
}

// what names a request in findings.
func what(c *probe.Client, method string) string {
	if method == c.PlainMethod() {
		return "a request"
	}
	return method
}

// graded reduces a violation to a warning where the rule protects little. No browser
// needs DNS rebinding to reach a server on the open web, and such a server may be open to
// all sites. A local server that checks the header Host keeps rebound names out, which is
// the aim of the rule, although not by the means that it names. The request that decides
// has a foreign Host and nothing else that the server was seen to reject.
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

// rebound binds local servers only: on the open web a server of another name may answer
// to a foreign Host.
func rebound(c *probe.Client) error {
	c.NotSeenIf(!c.Survey().Local(), "no browser on another machine needs a false name to reach "+c.Survey().Given.Host)
	return turnedAway(c, http.Header{origin: {"http://" + attacker(c)}, "Host": {attacker(c)}})
}

// forbidden judges the status of a rejection, provided that the same request without an
// origin is served.
func forbidden(c *probe.Client) error {
	reply := ask(c, http.Header{origin: {"http://" + attacker(c)}})
	switch status := reply.Status(); {
	case status == http.StatusForbidden:
		return nil
	case !reply.Refused():
		c.NotSeen("a request of a foreign origin is not rejected: " + reply.Outcome())
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		c.NotSeen("the request is rejected for something else: " + reply.Outcome())
	}
	usual := ask(c, nil)
	c.NotSeenIf(!usual.Served(), "the request is rejected without an origin too: "+usual.Outcome())
	return probe.Shown(usual, reply).Violation("a request with the header Origin: http://%s is rejected with HTTP status %d, want %d",
		attacker(c), reply.Status(), http.StatusForbidden)
}

// methodCases try GET and DELETE, the other ways into a session, and the address that the
// server listens on.
func methodCases() []suite.Case {
	const fix = "look at the header Origin before the method of the request"
	validated := []requirements.ID{"http-origin-validated"}
	return []suite.Case{
		{
			ID:        "http/origin-foreign-get",
			Title:     "the web page of another site cannot open a stream by GET",
			Checks:    validated,
			Needs:     []suite.Need{suite.Answers()},
			Fix:       fix,
			Revisions: sessions(),
			Run: comparingOrigins(func(c *probe.Client) error {
				return wantTurnedAway(c, http.MethodGet, "text/event-stream")
			}),
		},
		{
			ID:        "http/origin-foreign-delete",
			Title:     "the web page of another site cannot end a session",
			Checks:    validated,
			Needs:     []suite.Need{suite.Answers(), suite.Trait(probe.Sessions)},
			Fix:       fix,
			Revisions: sessions(),
			Lane:      suite.Fresh, // a server that does not check the origin ends the session
			Run: comparingOrigins(func(c *probe.Client) error {
				return wantTurnedAway(c, http.MethodDelete, "application/json, text/event-stream")
			}),
		},
		{
			ID:     "http/localhost-bind",
			Title:  "a server that is run locally listens on the loopback address only",
			Checks: []requirements.ID{"http-localhost-bind"},
			Fix:    "listen on 127.0.0.1 unless told otherwise, and not on all addresses of the machine",
			Run:    localhostBind,
		},
	}
}

// wantTurnedAway expects that a foreign page is refused when it sends a method without a message.
func wantTurnedAway(c *probe.Client, method, accept string) error {
	reply := c.Fetch(method, probe.WithHeader(http.Header{origin: {"http://" + attacker(c)}, "Accept": {accept}}))
	if reply.Status() == 0 || reply.Status() >= http.StatusMultipleChoices {
		return nil
	}
	broken := reply.Violation("%s with the header Origin: http://%s gets HTTP status %d, want %d",
		method, attacker(c), reply.Status(), http.StatusForbidden)
	kind, _, _ := mime.ParseMediaType(reply.Header("Content-Type"))
	switch streams := kind == "text/event-stream"; {
	case !streams && ask(c, http.Header{origin: {"http://" + attacker(c)}}).Status() == reply.Status():
		broken = broken.Unless(probe.Elsewhere{Case: "http/origin-403", Why: "a request of a foreign origin is rejected with the same status"})
	case !streams && method == http.MethodGet:
		broken = broken.Unless(probe.Elsewhere{Case: "http/get-stream-or-405", Why: "GET opens no stream for anybody"})
	}
	return graded(c, http.Header{"Host": {attacker(c)}}, broken)
}

// sessions are the revisions in which GET and DELETE have a meaning.
func sessions() []requirements.Revision {
	return slices.DeleteFunc(protocol.Streamable(), func(r requirements.Revision) bool { return slices.Contains(protocol.Stateless(), r) })
}

// localhostBind passes over a server that is reached at another address: it has reason to
// listen there. It tries a server that somebody else started as well.
func localhostBind(c *probe.Client) error {
	given := c.Survey().Given
	at, err := netip.ParseAddr(given.Host)
	c.NotSeenIf(given.Host != "localhost" && (err != nil || !at.IsLoopback()), "the server is reached at "+given.Host)
	elsewhere, err := addresses()
	if err != nil {
		c.Undecide("the addresses of this machine are not known: " + err.Error())
	}
	port, err := net.DefaultResolver.LookupPort(c.Context(), "tcp", given.Port)
	if err != nil {
		c.Undecide("the port of the server is not known: " + err.Error())
	}
	for _, address := range elsewhere {
		there := net.JoinHostPort(address, strconv.Itoa(port))
		reply := c.Fetch(http.MethodGet, probe.To("http://"+there+"/"))
		switch {
		case reply.Status() > 0:
			return reply.Violation("the server answers at %s too, want it to be reached at %s only", there, given.Host)
		case !reply.Unreached():
			// A busy server, or a program that does not speak HTTP.
			c.Undecide("something listens at " + there + " and does not answer; run this case alone")
		}
	}
	return nil
}

// addresses are some addresses of this machine that other machines may reach. A machine
// without any gives another loopback address, which reaches only a server that listens on
// all addresses.
func addresses() ([]string, error) {
	const most, otherLoopback = 3, "127.0.0.2"
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, each := range all {
		prefix, err := netip.ParsePrefix(each.String())
		if at := prefix.Addr(); err == nil && !at.IsLoopback() && !at.IsLinkLocalUnicast() && len(found) < most {
			found = append(found, at.String())
		}
	}
	if len(found) == 0 {
		found = append(found, otherLoopback)
	}
	return found, nil
}
