package jsonrpc

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// textOne is 1 as a string.
const textOne = `"1"`

// opensWell opens one conversation for two cases, since each may cost the start of a
// process. The first request has the string "1" as its id, and notifications/initialized
// is followed only by the most harmless request. If either goes wrong, each case opens a
// conversation of its own.
func opensWell(c *probe.Client) bool {
	return c.Learn("jsonrpc:opening", func() string {
		well := false
		why := c.Try(func() {
			other, reply := openAs(c, textOne)
			well = wantID(c, reply, textOne) == nil && notAnswered(other) == nil
		})
		if open := (*probe.Undecided)(nil); why != nil && !errors.As(why, &open) {
			c.Stop(why)
		}
		if well {
			return "yes"
		}
		return "no"
	}) == "yes"
}

// openAs opens another conversation, with the given id on its first request.
func openAs(c *probe.Client, id string) (*probe.Client, *probe.Reply) {
	other := c.Another()
	return other, other.First(probe.WithID(id))
}

// notAnswered sends notifications/initialized at its proper time, and expects no response
// to it.
func notAnswered(c *probe.Client) error {
	from := c.Mark()
	c.Initialized()
	c.Settle(from)
	return noResponse(c, from)
}

// idOne judges this conversation, because the client numbers its requests from 1. It
// opens another one only where this one does not show the answer.
func idOne(c *probe.Client) error {
	if oneCameBack(c) {
		return nil
	}
	_, reply := openAs(c, "1")
	return wantID(c, reply, "1")
}

// idOneAsText opens another conversation: once a connection has used 1, a server may take
// "1" for it.
func idOneAsText(c *probe.Client) error {
	if opensWell(c) {
		return nil
	}
	_, reply := openAs(c, textOne)
	return wantID(c, reply, textOne)
}

func initializedUnanswered(c *probe.Client) error {
	if opensWell(c) {
		return nil
	}
	other, reply := openAs(c, "1")
	if err := reply.WantResult(); err != nil {
		c.NotSeen("the handshake was refused, so there is nothing to confirm")
	}
	return notAnswered(other)
}
