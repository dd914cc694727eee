package jsonrpc

import (
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// textOne is 1 as a string.
const textOne = `"1"`

// opensWell opens one conversation for two cases, since each may cost the start
// of a process: under the string "1", with nothing after notifications/initialized
// but the most harmless of requests. Where something is wrong with either, each
// case looks at a conversation of its own.
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

// openAs opens another conversation, with that id on its first request.
func openAs(c *probe.Client, id string) (*probe.Client, *probe.Reply) {
	other := c.Another()
	reply := other.First(probe.WithID(id))
	return other, reply
}

// notAnswered sends notifications/initialized where it belongs, and expects no
// response to it.
func notAnswered(c *probe.Client) error {
	from := c.Mark()
	c.Initialized()
	c.Settle(from)
	return noResponse(c, from)
}

// The client numbers its requests from 1, so every conversation shows what
// becomes of it. Another one is opened only where this one does not show it.
func idOne(c *probe.Client) error {
	if oneCameBack(c) {
		return nil
	}
	_, reply := openAs(c, "1")
	return wantID(c, reply, "1")
}

// Once 1 was used on a connection, a server may take "1" for it.
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
