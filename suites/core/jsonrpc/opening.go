package jsonrpc

import (
	"context"
	"errors"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// textOne is 1 as a string.
const textOne = `"1"`

// opensWell opens one conversation for two cases, since each may cost the start
// of a process: under the string "1", with nothing after notifications/initialized
// but the most harmless of requests. Where something is wrong with either, each
// case looks at a conversation of its own.
func opensWell(ctx context.Context, c *probe.Client) (bool, error) {
	well, err := c.Learn("jsonrpc:opening", func() (string, error) {
		other, reply, err := openAs(ctx, c, textOne)
		if err != nil || wantID(reply, textOne) != nil {
			return "no", err
		}
		err = notAnswered(ctx, other)
		var broken *probe.Violation
		var open *probe.Undecided
		switch {
		case err == nil:
			return "yes", nil
		case errors.As(err, &broken), errors.As(err, &open):
			return "no", nil
		default:
			return "", err
		}
	})
	return well == "yes", err
}

// openAs opens another conversation, with that id on its first request.
func openAs(ctx context.Context, c *probe.Client, id string) (*probe.Client, *probe.Reply, error) {
	other, err := c.Another(ctx)
	if err != nil {
		return nil, nil, err
	}
	reply, err := other.First(ctx, probe.WithID(id))
	return other, reply, err
}

// notAnswered sends notifications/initialized where it belongs, and expects no
// response to it.
func notAnswered(ctx context.Context, c *probe.Client) error {
	from := c.Mark()
	if err := c.Initialized(ctx); err != nil {
		return err
	}
	if err := c.Settle(ctx, from); err != nil {
		return err
	}
	return noResponse(c, from)
}

// The client numbers its requests from 1, so every conversation shows what
// becomes of it. Another one is opened only where this one does not show it.
func idOne(ctx context.Context, c *probe.Client) error {
	if oneCameBack(c) {
		return nil
	}
	_, reply, err := openAs(ctx, c, "1")
	if err != nil {
		return err
	}
	return wantID(reply, "1")
}

// Once 1 was used on a connection, a server may take "1" for it.
func idOneAsText(ctx context.Context, c *probe.Client) error {
	if well, err := opensWell(ctx, c); err != nil || well {
		return err
	}
	_, reply, err := openAs(ctx, c, textOne)
	if err != nil {
		return err
	}
	return wantID(reply, textOne)
}

func initializedUnanswered(ctx context.Context, c *probe.Client) error {
	if well, err := opensWell(ctx, c); err != nil || well {
		return err
	}
	other, reply, err := openAs(ctx, c, "1")
	if err != nil {
		return err
	}
	if err := reply.WantResult(); err != nil {
		return probe.NotSeen("the handshake was refused, so there is nothing to confirm")
	}
	return notAnswered(ctx, other)
}
