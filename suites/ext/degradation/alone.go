package degradation

import (
	"context"

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
	shows     func(ctx context.Context, g probe.Guise) (shown probe.Evidence, it bool, err error)
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
func (a ability) alone(ctx context.Context, c *probe.Client) error {
	if !proposal.Explicit(c, a.extension) {
		return probe.NotSeen("the server does not claim " + a.extension + " by name")
	}
	var keys []string
	for _, name := range append([]string{a.extension}, a.with...) {
		keys = append(keys, proposal.Extension(name).Key())
	}
	guise, err := c.Declaring(ctx, keys...)
	if err != nil {
		return err
	}
	shown, works, err := a.shows(ctx, guise)
	if err != nil || works {
		return err
	}
	usual, works, err := a.shows(ctx, probe.Guise{Client: c})
	switch {
	case err != nil:
		return err
	case !works:
		return probe.NotSeen(a.extension + " does not show for a client that declares all extensions either; ext-" + a.extension + " judges that")
	}
	return shown.And(usual).Violation("%s does not show for a client that declares it alone, want what a client gets that declares all",
		a.extension)
}

func handsOver(ctx context.Context, g probe.Guise) (probe.Evidence, bool, error) {
	a, err := proposal.GetManifest().Ask(ctx, g.Client, g.Clothe(nil))
	if err != nil {
		return nil, false, err
	}
	return probe.Shown(a.Reply), proposal.IsManifest(a.Object), nil
}

func saysAllowed(ctx context.Context, g probe.Guise) (probe.Evidence, bool, error) {
	params := probe.Object{"tool": proposal.SomeTool(g.Client), "scopes_held": []string{}}
	a, err := proposal.CheckPermission().Ask(ctx, g.Client, g.Clothe(params))
	if err != nil {
		return nil, false, err
	}
	_, told := a.Object["allowed"].(bool)
	return probe.Shown(a.Reply), told, nil
}

// marksKeys repeats a call under its key, since some mark replays only. The key goes
// to all places where servers read it.
func marksKeys(ctx context.Context, g probe.Guise) (shown probe.Evidence, it bool, err error) {
	call, err := g.Role(roles.StateChange).Call()
	if err != nil {
		return nil, false, err
	}
	key := "kit" + g.Nonce()
	keyed, beside, headers := (proposal.Bare + proposal.Prefixed + proposal.Beside + proposal.Header).Placed(call, proposal.Members{
		Values: probe.Object{"idempotency_key": key}, Spelling: map[string]string{"idempotency_key": "idempotencyKey"},
		Headers: map[string]string{"idempotency_key": "X-Idempotency-Key"},
	})
	for range 2 {
		reply, err := g.Call(ctx, "tools/call", keyed.Params(beside), probe.WithHeader(headers))
		if err != nil {
			return nil, false, err
		}
		if shown == nil {
			defer g.Undo(ctx, call, reply)
		}
		shown = shown.And(reply)
		result, _ := reply.Result()
		for _, name := range []string{"idempotency_key", "was_replay"} {
			_, found := proposal.Locate(result, name, "idempotency", func(map[string]any) bool { return true })
			it = it || found
		}
		if it || !done(reply) {
			return shown, it, nil
		}
	}
	return shown, it, nil
}

func begins(ctx context.Context, g probe.Guise) (probe.Evidence, bool, error) {
	id := "kit-" + g.Nonce()
	a, err := proposal.BeginTransaction().Ask(ctx, g.Client, g.Clothe(probe.Object{"transaction_id": id, "timeout_seconds": 10}))
	if err != nil {
		return nil, false, err
	}
	if a.Unknown || !done(a.Reply) {
		return probe.Shown(a.Reply), false, nil
	}
	_, err = proposal.RollbackTransaction().Ask(ctx, g.Client, g.Clothe(probe.Object{"transaction_id": id}))
	return probe.Shown(a.Reply), true, err
}

// called makes the call of a role with properties in all places where servers read
// them, and gives what came before the answer, too.
func called(ctx context.Context, g probe.Guise, role roles.Name, values probe.Object) (*probe.Reply, []probe.Seen, error) {
	call, err := g.Role(role).Call()
	if err != nil {
		return nil, nil, err
	}
	mark := g.Mark()
	placed, params, _ := (proposal.Bare + proposal.Prefixed + proposal.Beside).Placed(call, proposal.Members{Values: values})
	meta, _ := params["_meta"].(probe.Object)
	reply, err := g.Call(ctx, "tools/call", placed.Params(params.With("_meta", meta.With("progressToken", "kit-"+g.Nonce()))))
	if err != nil {
		return nil, nil, err
	}
	return reply, operations.Before(reply, g.Since(mark)), nil
}

func reports(ctx context.Context, g probe.Guise) (probe.Evidence, bool, error) {
	reply, before, err := called(ctx, g, roles.ProgressTool, nil)
	if err != nil {
		return nil, false, err
	}
	for _, n := range operations.Progress(before) {
		if n.Fields != nil {
			return probe.Shown(reply, n.Seen), true, nil
		}
	}
	return probe.Shown(reply), false, nil
}

func streams(ctx context.Context, g probe.Guise) (probe.Evidence, bool, error) {
	reply, before, err := called(ctx, g, roles.StreamTool, probe.Object{"stream": true})
	if err != nil {
		return nil, false, err
	}
	chunks := operations.Chunks(before)
	if len(chunks) == 0 {
		return probe.Shown(reply), false, nil
	}
	return probe.Shown(reply, chunks[0].Seen), true, nil
}

func tellsRecord(ctx context.Context, g probe.Guise) (probe.Evidence, bool, error) {
	call, err := g.Role(roles.Failure).Call()
	if err != nil {
		return nil, false, err
	}
	reply, err := g.Call(ctx, "tools/call", call.Params(nil))
	if err != nil {
		return nil, false, err
	}
	_, _, found := proposal.Record(reply)
	return probe.Shown(reply), found, nil
}
