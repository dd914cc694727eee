package lifecycle

import (
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
func (r round) ask(c *probe.Client, name string) (*probe.Reply, string, error) {
	at := slices.IndexFunc(r.asked, func(i initialize) bool { return i.name == name })
	own := r.asked[at]
	// Over HTTP a connection is cheap, and each handshake may open a session.
	if c.Transport() != requirements.Stdio {
		reply := c.Handshake(own.params)
		return reply, "", nil
	}
	var reply *probe.Reply
	remembered := c.Learn(r.key, func() (learned string) {
		reply, learned = r.askAll(c, own)
		return learned
	})
	if reply != nil {
		return reply, "", nil
	}
	kept := map[string]string{}
	if err := json.Unmarshal([]byte(remembered), &kept); err != nil {
		return nil, "", err
	}
	if note, ok := kept[name]; ok {
		return nil, note, nil
	}
	reply = c.Handshake(own.params)
	return reply, "", nil
}

// askAll asks for the case's own initialize first. It stops where an answer
// makes the connection another one than a new one.
func (r round) askAll(c *probe.Client, own initialize) (*probe.Reply, string) {
	kept := map[string]string{}
	reply := c.Handshake(own.params)
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
		next := c.Ask(c.Compose("initialize", each.params))
		note, well, further = r.judge(each.name, next)
		if well {
			kept[each.name] = note
		}
	}
	return reply, probe.JSON(kept)
}
