package streams

import (
	"net/http"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func listenCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/get-stream-or-405",
		Title:  "GET opens an event stream, or gets status 405",
		Checks: []requirements.ID{"http-get-stream-or-405"},
		Needs:  httpNeeds(),
		Lane:   suite.Fresh, // a session may have one GET stream, and the server may notice late that the last one is gone
		Fix:    "answer GET with an event stream, or with status 405 where you offer none",
		Run:    streamOr405,
	}}
}

func streamOr405(c *probe.Client) error {
	stream := c.Begin(probe.Outgoing{Method: http.MethodGet})
	head, came := stream.Head()
	shown := probe.Shown(stream)
	stream.Abort()
	if !came {
		// Some servers send the head with the first event.
		c.Undecide("GET is not answered, so that it does not show whether a stream was opened")
	}
	switch status := head.HTTP.Status; {
	case head.Streams(), status == http.StatusMethodNotAllowed:
		return nil
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests,
		status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout,
		status >= 300 && status < 400:
		c.Undecide("GET got status " + strconv.Itoa(status) + ", which says nothing of streams")
		return nil
	case status < 300:
		return shown.Violation("GET got status %d with the type %s, want text/event-stream, or status 405",
			status, probe.Show(head.HTTP.Header.Get("Content-Type")))
	default:
		return shown.Violation("GET got status %d, want an event stream, or status 405", status)
	}
}
