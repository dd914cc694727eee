package origin

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func bindCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/localhost-bind",
		Title:  "a server that is run locally listens on the loopback address only",
		Checks: []requirements.ID{"http-localhost-bind"},
		Needs:  []suite.Need{suite.Over(requirements.HTTP)},
		Fix:    "listen on 127.0.0.1 unless told otherwise, and not on all addresses of the machine",
		Run:    localhostBind,
	}}
}

// localhostBind passes over a server that is reached at another address: it has reason to
// listen there. It tries a server that somebody else started as well.
func localhostBind(c *probe.Client) error {
	given := c.Survey().Given
	at, err := netip.ParseAddr(given.Host)
	if given.Host != "localhost" && (err != nil || !at.IsLoopback()) {
		c.NotSeen("the server is reached at " + given.Host)
	}
	elsewhere, err := addresses()
	if err != nil {
		c.Undecide("the addresses of this machine are not known: " + err.Error())
	}
	port, err := net.LookupPort("tcp", given.Port)
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
