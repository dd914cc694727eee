// Package sessions holds the cases of session management and of the version header: how a
// server ties requests together, and how it knows their revision.
package sessions

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases returns the cases of these sections, in their order.
func Cases() []suite.Case {
	sessions := []suite.Need{suite.Trait(probe.Sessions)}
	return slices.Concat(issuedCases(), suite.Needing(sessions, idCases(), ownerCases(), endCases(), overlappingCases()),
		alikeCases(), versionCases())
}

func idCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "http/session-id-visible-ascii",
			Title:  "a session id is made of visible ASCII characters",
			Checks: []requirements.ID{"http-session-id-visible-ascii"},
			Fix:    "build session ids from letters and digits, such as a UUID or base64url",
			Sees:   "an Mcp-Session-Id",
			Watch:  func() probe.Watcher { return probe.WatchFunc(visibleASCII) },
		},
		{
			ID:     "http/session-id-unpredictable",
			Title:  "session ids are unique, and too long to guess",
			Checks: []requirements.ID{"http-session-id-unpredictable"},
			Fix:    "take session ids from a cryptographic source of random numbers, with 128 bits, such as a random UUID",
			Run:    unpredictable,
		},
		{
			ID:     "http/session-id-missing",
			Title:  "a request without the session id that it needs is rejected with status 400",
			Checks: []requirements.ID{"http-session-missing-400"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "answer a request other than initialize that lacks the Mcp-Session-Id header with status 400",
			Run:    missing,
		},
	}
}

// visibleASCII judges the characters of session ids. Clients send the id in a header of
// every request, and some proxies and libraries change or refuse other characters.
func visibleASCII(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir != frame.Received || s.Kind != frame.KindHead || s.HTTP == nil {
		return probe.Nothing()
	}
	given := s.HTTP.Header.Values(protocol.HeaderSession)
	if len(given) == 0 {
		return probe.Nothing()
	}
	for _, id := range given {
		for _, c := range []byte(id) {
			if c <= ' ' || c > '~' {
				return probe.Breaks("the session id %s contains the byte 0x%02X, want 0x21 to 0x7E only", probe.Show(id), c)
			}
		}
	}
	return probe.Kept()
}

// These are the number of sessions that are compared, and the least number of bits in
// which their ids have to differ. A shorter id can be guessed by trying.
const (
	compared   = 4
	enoughBits = 60
)

func unpredictable(c *probe.Client) error {
	ids, shown := make([]string, 0, compared), probe.Evidence{}
	for range compared {
		other := c.Another()
		reply := other.Initialize()
		other.UndecideIf(other.Session() == "", "a further handshake brings no session id: "+reply.Outcome())
		head, _ := other.Find(0, func(s probe.Seen) bool {
			return s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Header.Get(protocol.HeaderSession) != ""
		})
		ids, shown = append(ids, other.Session()), shown.And(probe.One(head.Frame))
	}
	for i, id := range ids {
		for _, other := range ids[:i] {
			if id == other {
				return shown.Violation("two sessions have the same id, want a new one for each")
			}
		}
	}
	if bits := varying(ids); bits < enoughBits {
		return shown.Violation("the ids of %d sessions differ in a part of about %d bits, want %d at least", len(ids), bits, enoughBits)
	}
	return nil
}

// varying estimates the bits in the part of the ids between their common beginning and
// their common end. A character counts as many bits as its alphabet can hold.
func varying(ids []string) int {
	prefix, suffix := shared(ids, false), shared(ids, true)
	bits := 0
	for i, id := range ids {
		part := ""
		if len(id) > prefix+suffix {
			part = id[prefix : len(id)-suffix]
		}
		if own := len(part) * perCharacter(part) / 10; i == 0 || own < bits {
			bits = own
		}
	}
	return bits
}

func shared(ids []string, fromEnd bool) int {
	at := func(id string, i int) byte {
		if fromEnd {
			i = len(id) - 1 - i
		}
		return id[i]
	}
	for n := 0; ; n++ {
		for _, id := range ids {
			if n >= len(id) || at(id, n) != at(ids[0], n) {
				return n
			}
		}
	}
}

// perCharacter is how many tenths of a bit one character of the text can hold.
func perCharacter(text string) int {
	digits, hex := true, true
	for _, c := range text {
		digits = digits && (c >= '0' && c <= '9' || c == '-')
		hex = hex && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == '-')
	}
	switch {
	case digits:
		return 33
	case hex:
		return 40
	default:
		return 60 // base64; base62 has 5.95
	}
}

// with sets a header of a request to one value, or leaves it out where no value is given.
func with(name string, values ...string) probe.Option {
	return probe.WithHeader(http.Header{http.CanonicalHeaderKey(name): values})
}

// missing accepts status 401 where the same request is served with the id: the server
// takes the session for a part of the credentials, which another case judges.
func missing(c *probe.Client) error {
	method := c.AnyList().Method
	reply := c.Call(method, nil, with(protocol.HeaderSession))
	c.NotSeenIf(reply.Served(), "the server serves requests without a session id, so that it needs none")
	if reply.Status() == http.StatusUnauthorized && c.Call(method, nil).WantResult() == nil {
		// The credentials were the same, so the session id is what is missing.
		c.Note("a request without a session id is rejected with status 401, not 400")
		return nil
	}
	if reply.Status() == http.StatusBadRequest {
		return nil
	}
	undecideIfTroubled(c, reply)
	return reply.Violation("%s without a session id got %s, want status 400", method, statusOf(reply))
}

// undecideIfTroubled leaves a case undecided where the answer has another cause than the header.
func undecideIfTroubled(c *probe.Client, reply *probe.Reply) {
	c.UndecideIf(exchanges.Troubled(reply.Status()) || reply.Silent() || reply.Died(),
		"the request got "+statusOf(reply)+", which says nothing of its headers")
}

// statusOf describes a reply, with its status first.
func statusOf(reply *probe.Reply) string {
	outcome := reply.Outcome()
	if reply.Status() == 0 || !reply.Answered() {
		return outcome
	}
	return "status " + strconv.Itoa(reply.Status()) + " and " + outcome
}

// named ends a case about the session where the server gave the connection no session id.
func named(c *probe.Client) {
	c.NotSeenIf(c.Session() == "", "the server gave this connection no Mcp-Session-Id")
}
