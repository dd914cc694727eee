package lifecycle

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A round is several initialize requests that cases judge one by one. Over
// stdio a connection is a process, so the first case asks for the others too,
// on its own connection and behind its own request; it remembers for the column
// which of them kept their rule there. What did not is asked again, by its own
// case and as the first request of a connection.
type round struct {
	key   string // of what is remembered
	asked []initialize

	// judge says of an answer whether it keeps the rule wherever it was asked,
	// with a note, and whether a further request on that connection shows as
	// much as the first one of another.
	judge func(name string, reply *probe.Reply) (note string, kept, further bool)
}

// An initialize is one request of a round.
type initialize struct {
	name   string
	params probe.Object
}

// ask gives the answer to one request of the round, for the case to judge; nil
// when its rule is known to be kept, with the note that belongs to it.
func (r round) ask(ctx context.Context, c *probe.Client, name string) (*probe.Reply, string, error) {
	at := slices.IndexFunc(r.asked, func(i initialize) bool { return i.name == name })
	own := r.asked[at]
	// Over HTTP a connection is cheap, and each handshake may open a session.
	if c.Transport() != requirements.Stdio {
		reply, err := c.Handshake(ctx, own.params)
		return reply, "", err
	}
	var reply *probe.Reply
	remembered, err := c.Learn(r.key, func() (learned string, err error) {
		reply, learned, err = r.askAll(ctx, c, own)
		return learned, err
	})
	if err != nil || reply != nil {
		return reply, "", err
	}
	kept := map[string]string{}
	if err := json.Unmarshal([]byte(remembered), &kept); err != nil {
		return nil, "", err
	}
	if note, ok := kept[name]; ok {
		return nil, note, nil
	}
	reply, err = c.Handshake(ctx, own.params)
	return reply, "", err
}

// askAll asks for the case's own initialize first. It stops where an answer
// makes the connection another one than a new one.
func (r round) askAll(ctx context.Context, c *probe.Client, own initialize) (*probe.Reply, string, error) {
	kept := map[string]string{}
	reply, err := c.Handshake(ctx, own.params)
	if err != nil {
		return nil, "", err
	}
	note, well, further := r.judge(own.name, reply)
	if well {
		kept[own.name] = note
	}
	for _, each := range r.asked {
		if each.name == own.name {
			continue
		}
		if !further {
			break
		}
		// The process has started by now, so silence need not be waited out.
		next, err := c.Ask(ctx, c.Compose("initialize", each.params))
		if err != nil {
			return nil, "", err
		}
		note, well, further = r.judge(each.name, next)
		if well {
			kept[each.name] = note
		}
	}
	return reply, probe.JSON(kept), nil
}
