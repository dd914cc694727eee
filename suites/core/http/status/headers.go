package status

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/core/http/internal/exchanges"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// headerCases write the headers of a request in forms that mean the same.
func headerCases() []suite.Case {
	rows := []struct {
		slug, title   string
		rule          requirements.ID
		header, value string
		fix           string
	}{
		{"accept-order", "a request whose Accept names event streams before JSON is served", "http-accept-as-list",
			"Accept", "text/event-stream, application/json", "read Accept as a list: the order of its types says nothing"},
		{"accept-weights", "a request whose Accept gives its types weights is served", "http-accept-as-list",
			"Accept", "application/json;q=0.9, text/event-stream;q=0.8", "read Accept as a list, and cut each type at its first semicolon"},
		{"content-type-charset", "a request whose Content-Type names the charset UTF-8 is served", "http-content-type-charset",
			"Content-Type", "application/json; charset=utf-8",
			"compare the media type alone, up to the semicolon: many HTTP libraries add the charset"},
	}
	var cases []suite.Case
	for _, row := range rows {
		cases = append(cases, suite.Case{
			ID:     "http/" + row.slug,
			Title:  row.title,
			Checks: []requirements.ID{row.rule},
			Needs:  []suite.Need{suite.Answers()},
			Fix:    row.fix,
			Run:    func(c *probe.Client) error { return sameMeaning(c, row.header, row.value) },
		})
	}
	return cases
}

// sameMeaning asks once more with the headers that every other request of the kit has: a server
// that refuses the method, or is busy, says nothing of the header.
func sameMeaning(c *probe.Client, name, value string) error {
	method := protocol.Harmless().At(c.Revision())
	reply := c.Call(method, nil, probe.WithHeader(http.Header{name: {value}}), probe.Patient())
	if reply.Served() {
		return nil
	}
	c.UndecideIf(exchanges.Troubled(reply.Status()), "the request got "+reply.Outcome()+", which says nothing of its headers")
	usual := c.Call(method, nil, probe.Patient())
	c.UndecideIf(!usual.Served(), method+" is not served with the usual headers either: "+usual.Outcome())
	return probe.Shown(reply, usual).Violation("%s with %s: %s gets %s, want it served like the request with %s: %s",
		method, name, value, reply.Outcome(), name, usually(name))
}

// usually is the value of a header in the other requests of the kit.
func usually(name string) string {
	if name == "Accept" {
		return "application/json, text/event-stream"
	}
	return "application/json"
}
