package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// tryTools calls the tools that discovery chose for roles.read-only-tool. Most of the cases that
// need the role show nothing where its tool fails by itself, as one does that misses a key or a
// file; where another tool works, they call that one.
func tryTools(ctx context.Context, columns []*column) {
	var trying sync.WaitGroup
	for _, col := range columns {
		trying.Go(func() { tryToolsOf(ctx, col) })
	}
	trying.Wait()
}

// tryToolsOf uses the connection of discovery. Where nothing can replace that connection, or it
// is closed already, the first tool stays.
func tryToolsOf(ctx context.Context, c *column) {
	candidates := discover.Candidates(c.survey, c.ground.Roles)
	if len(candidates) == 0 || c.idle == nil || c.tolerance().Irreplaceable() || !c.server.run.plan.callsTools(c.Column) {
		return
	}
	tried := discover.Try(ctx, c.idle, candidates)
	if tried.Spoiled {
		c.idle, c.spent = nil, c.idle
	}
	first, other := candidates[0].Tool, tried.Works.Tool
	if other == "" || other == first {
		return
	}
	fill(c, discover.Prefer(c.ground.Roles, tried.Works))
	c.chosen = fmt.Sprintf("discovery chose %s as the read-only tool that cases call, since a call of %s with made-up arguments got %s; "+
		"roles.read-only-tool names another", probe.Show(other), probe.Show(first), tried.Fails)
}

// callsTools reports whether a selected case of the column may call the read-only tool, or
// watches calls: again has to come to the same tool for each of them.
func (p Plan) callsTools(col Column) bool {
	tools := suite.Capability("tools").Any[0]
	for s := range p.applying(col) {
		if s.Case.Watch != nil || slices.ContainsFunc(s.Case.Needs, func(n suite.Need) bool {
			return n.Asks(roles.ReadOnlyTool) || slices.Contains(n.Any, tools)
		}) {
			return true
		}
	}
	return false
}

// notesOf are what discovery has to say of a case: on the case that proves that the read-only
// tool is answered also why that is not the first tool.
func notesOf(c *column, of suite.Case) []string {
	notes := c.ground.Notes(of.Needs)
	if c.chosen != "" && slices.ContainsFunc(of.Proves, func(n suite.Need) bool { return n.Asks(roles.ReadOnlyTool) }) {
		notes = append(notes, c.chosen)
	}
	return notes
}
