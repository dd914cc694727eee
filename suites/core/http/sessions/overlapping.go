package sessions

import (
	"strconv"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func overlappingCases() []suite.Case {
	return []suite.Case{{
		ID:        "http/session-ids-own",
		Title:     "a request in one session and a call that runs in another, with the same id, get their own answers",
		Checks:    []requirements.ID{"jsonrpc-ids-scoped-to-sender"},
		Revisions: protocol.Between(requirements.R20250326, requirements.R20251125),
		Needs:     []suite.Need{suite.Lists(), suite.Role(roles.SlowTool)},
		Lane:      suite.Waits,
		Contends:  true,
		Disturbs:  roles.SlowTool,
		Fix:       "key pending requests by session and id",
		Run:       idsOwn,
	}}
}

// idsOwn asks for a list in one session while a call of the slow tool runs in another under
// the same id. Where either gets no answer, or that of the other, both are asked again under
// ids of their own: only a server that answers these well has mixed the sessions up.
func idsOwn(c *probe.Client) error {
	other := c.Opened()
	c.UndecideIf(other.Session() == "" || other.Session() == c.Session(), "a second handshake brings no session of its own")
	id := c.Nonce()
	called, listed := both(c, other, id, id)
	lost := called
	switch {
	case called.Served() && holdsList(c, called), called.Silent():
	case listed.Served() && !holdsList(c, listed), listed.Silent():
		lost = listed
	default:
		c.UndecideIf(!called.Served() || !listed.Served(), "the call got "+called.Outcome()+", and the list "+listed.Outcome())
		return nil
	}
	again, relisted := both(c, other, c.Nonce(), c.Nonce())
	c.UndecideIf(!again.Served() || holdsList(c, again) || !relisted.Served() || !holdsList(c, relisted),
		"a call of the slow tool and a list in another session are not both answered under different ids either")
	return probe.Shown(called, listed).Violation(
		"two sessions used the same id at the same time, and the answer to %s went to the other one or nowhere, want each its own answer",
		lost.Method)
}

// both calls the slow tool in one session, and asks for a list in another one meanwhile.
func both(c, other *probe.Client, id, otherID string) (called, listed *probe.Reply) {
	patience := c.Role(roles.SlowTool).Fields().Duration("duration", 5*time.Second) + c.Waits().Answer
	slow := c.StartTool(c.Role(roles.SlowTool).Call(), nil, probe.WithID(strconv.Quote(id)), probe.Within(patience))
	c.Barrier() // the call travels by a connection of its own, and has to be there first
	listed = other.Call(other.AnyList().Method, nil, probe.WithID(strconv.Quote(otherID)), probe.Within(patience))
	return slow.Reply(), listed
}

// holdsList reports whether a result is that of the list.
func holdsList(c *probe.Client, reply *probe.Reply) bool {
	_, list := reply.At("/result/" + c.AnyList().Items)
	return list
}
