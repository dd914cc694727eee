package lifecycle

import (
	"encoding/json"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A round is several initialize requests that cases judge one by one. Over stdio a
// connection costs a process, so the first case sends the other requests too, on its own
// connection and after its own request. The column remembers which requests got a correct
// answer. The case of any other request sends it again, as the first request of a new
// connection.
type round struct {
	key   string // names the remembered answers
	asked []initialize

	// judge reports of an answer whether it keeps the rule on any connection, with a
	// note, and whether the next request on this connection proves as much as the first
	// request of a new connection.
	judge func(name string, reply *probe.Reply) (note string, kept, further bool)
}

// An initialize is one request of a round.
type initialize struct {
	name   string
	params probe.Object
}

// ask returns the answer to one request of the round for the case to judge. If the answer
// is already known to keep the rule, ask returns nil and the remembered note.
func (r round) ask(c *probe.Client, name string) (*probe.Reply, string) {
	at := slices.IndexFunc(r.asked, func(i initialize) bool { return i.name == name })
	own := r.asked[at]
	// Over HTTP a connection is cheap, but each handshake may open a session.
	if c.Transport() != requirements.Stdio {
		return c.Handshake(own.params), ""
	}
	var reply *probe.Reply
	remembered := c.Learn(r.key, func() (learned string) {
		reply, learned = r.askAll(c, own)
		return learned
	})
	if reply != nil {
		return reply, ""
	}
	kept := map[string]string{}
	c.Must(json.Unmarshal([]byte(remembered), &kept))
	if note, ok := kept[name]; ok {
		return nil, note
	}
	return c.Handshake(own.params), ""
}

// askAll sends the case's own initialize first. It stops after an answer that shows the
// connection is no longer as good as new.
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
