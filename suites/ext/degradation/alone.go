package degradation

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// alone look whether a client that declares one extension gets it: who has added
// one to a client need not know the others.
func alone() []suite.Case {
	var cases []suite.Case
	for _, a := range abilities() {
		cases = append(cases, suite.Case{
			ID:       "ext-degradation/alone-" + a.extension,
			Title:    a.extension + " works for a client that declares no other extension",
			Checks:   []requirements.ID{"ext-degrade-independent"},
			Needs:    append([]suite.Need{suite.Claim(a.extension)}, a.needs...),
			Lane:     a.lane,
			Observes: a.observes,
			Fix:      "make an extension depend on its own declaration at most, and on nothing that was asked before",
			Run:      a.alone,
		})
	}
	return cases
}

// An ability is what shows of an extension first.
type ability struct {
	extension string
	with      []string // what is declared beside, since it is part of the extension
	needs     []suite.Need
	observes  roles.Name
	lane      suite.Lane
	shows     func(g *probe.Client) (shown probe.Evidence, it bool)
}

func abilities() []ability {
	return []ability{
		{extension: "manifest", shows: handsOver},
		{extension: "permissions", shows: saysAllowed},
		{
			extension: "idempotency", needs: []suite.Need{suite.Role(roles.StateChange)}, observes: roles.StateChange, shows: marksKeys,
		},
		// A server may have one transaction at a time.
		{extension: "transactions", with: []string{"idempotency"}, lane: suite.Alone, shows: begins},
		{extension: "progress", needs: []suite.Need{suite.Role(roles.ProgressTool)}, shows: reports},
		{extension: "streaming", needs: []suite.Need{suite.Role(roles.StreamTool)}, shows: streams},
		{extension: "structured-errors", needs: []suite.Need{suite.Role(roles.Failure, "tool")}, shows: tellsRecord},
	}
}

// alone compares with a client that declares everything: what does not work there
// either is judged by the extension's own suite.
func (a ability) alone(c *probe.Client) error {
	c.NotSeenIf(!proposal.Explicit(c, a.extension), "the server does not claim "+a.extension+" by name")
	var keys []string
	for _, name := range append([]string{a.extension}, a.with...) {
		keys = append(keys, proposal.Extension(name).Key())
	}
	shown, works := a.shows(c.Declaring(keys...))
	if works {
		return nil
	}
	usual, works := a.shows(c)
	c.NotSeenIf(!works,
		a.extension+" does not show for a client that declares all extensions either; ext-"+a.extension+" judges that")
	return shown.And(usual).Violation("%s does not show for a client that declares it alone, want what a client gets that declares all",
		a.extension)
}

func handsOver(g *probe.Client) (probe.Evidence, bool) {
	a := proposal.GetManifest().Ask(g, nil)
	return probe.Shown(a.Reply), proposal.IsManifest(a.Object)
}

func saysAllowed(g *probe.Client) (probe.Evidence, bool) {
	params := probe.Object{"tool": proposal.SomeTool(g), "scopes_held": []string{}}
	a := proposal.CheckPermission().Ask(g, params)
	_, told := a.Object["allowed"].(bool)
	return probe.Shown(a.Reply), told
}

// marksKeys repeats a call under its key, since some mark replays only. The key goes
// to all places where servers read it.
func marksKeys(g *probe.Client) (shown probe.Evidence, it bool) {
	call := g.Role(roles.StateChange).Call()
	key := "kit" + g.Nonce()
	keyed, beside, headers := (proposal.Bare + proposal.Prefixed + proposal.Beside + proposal.Header).Placed(call,
		probe.Object{"idempotency_key": key})
	for range 2 {
		reply := g.Call("tools/call", keyed.Params(beside), probe.WithHeader(headers))
		if shown == nil {
			g.Cleanup(func() { g.Undo(call, reply) })
		}
		shown = shown.And(reply)
		result, _ := reply.Result()
		for _, name := range []string{"idempotency_key", "was_replay"} {
			_, found := proposal.Locate(result, name, "idempotency", func(map[string]any) bool { return true })
			it = it || found
		}
		if it || !reply.Succeeded() {
			return shown, it
		}
	}
	return shown, it
}

func begins(g *probe.Client) (probe.Evidence, bool) {
	id := "kit-" + g.Nonce()
	a := proposal.BeginTransaction().Ask(g, probe.Object{"transaction_id": id, "timeout_seconds": 10})
	if a.Unknown || !a.Reply.Succeeded() {
		return probe.Shown(a.Reply), false
	}
	proposal.RollbackTransaction().Ask(g, probe.Object{"transaction_id": id})
	return probe.Shown(a.Reply), true
}

// called makes the call of a role with properties in all places where servers read
// them, and gives what came before the answer, too.
func called(g *probe.Client, role roles.Name, values probe.Object) (*probe.Reply, []probe.Seen) {
	call := g.Role(role).Call()
	mark := g.Mark()
	placed, params, _ := (proposal.Bare + proposal.Prefixed + proposal.Beside).Placed(call, values)
	meta, _ := params["_meta"].(probe.Object)
	reply := g.Call("tools/call", placed.Params(params.With("_meta", meta.With("progressToken", "kit-"+g.Nonce()))))
	return reply, operations.Before(reply, g.Since(mark))
}

func reports(g *probe.Client) (probe.Evidence, bool) {
	reply, before := called(g, roles.ProgressTool, nil)
	for _, n := range operations.Progress(before) {
		if n.Fields != nil {
			return probe.Shown(reply, n.Seen), true
		}
	}
	return probe.Shown(reply), false
}

func streams(g *probe.Client) (probe.Evidence, bool) {
	reply, before := called(g, roles.StreamTool, probe.Object{"stream": true})
	chunks := operations.Chunks(before)
	if len(chunks) == 0 {
		return probe.Shown(reply), false
	}
	return probe.Shown(reply, chunks[0].Seen), true
}

func tellsRecord(g *probe.Client) (probe.Evidence, bool) {
	call := g.Role(roles.Failure).Call()
	reply := g.Call("tools/call", call.Params(nil))
	_, _, found := proposal.Record(reply)
	return probe.Shown(reply), found
}
