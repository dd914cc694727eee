package cancellation

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// falsyCase cancels calls whose ids are false where a program tests them for truth. Many
// clients count their requests from 0.
func falsyCase() suite.Case {
	return suite.Case{
		ID:       "cancellation/zero-no-response",
		Title:    "calls with the id 0 and with an empty string as id are not answered once they are cancelled",
		Checks:   []requirements.ID{"cancellation-no-response"},
		Needs:    []suite.Need{suite.Role(roles.SlowTool, "cancellable")},
		Lane:     suite.Waits,
		Contends: true,
		Disturbs: roles.SlowTool,
		Fix:      "take any string or integer as requestId of a cancellation, also 0 and the empty string",
		Run:      zeroNoResponse,
	}
}

// zeroNoResponse looks twice before it speaks, as noResponse does.
func zeroNoResponse(c *probe.Client) error {
	reachable(c)
	if cancelFalsy(c.Opened()) == nil {
		return nil
	}
	return cancelFalsy(c.Opened())
}

// cancelFalsy needs a connection of its own, on which nothing has these ids yet. The calls
// with usual ids show that the server acts on cancellations at all.
func cancelFalsy(c *probe.Client) error {
	began, all := time.Now(), []*work{start(c, "kit-"+c.Nonce())}
	for _, id := range []string{`"kit-` + c.Nonce() + `"`, "0", `""`} {
		all = append(all, start(c, "kit-"+c.Nonce(), probe.WithID(id)))
	}
	running(c, all...)
	for _, w := range all {
		w.giveUp("it takes too long")
	}
	all[0].inTime(c) // it began first
	for i, w := range all {
		answer, came := w.despite(c)
		c.NotSeenIf(came && i < 2, "a call with a usual id is answered although it was cancelled")
		if came {
			crossed(c, began, answer)
			return probe.Shown(w, probe.One(answer.Frame)).Violation(
				"a call with the id %s that was cancelled is answered, and those with usual ids are not, want no response", w.ID())
		}
	}
	return nil
}
