package engine

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/mentions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// mistaken finds names and arguments in the configuration that the target does not take.
func (r *Run) mistaken(ctx context.Context, columns []*column) error {
	var all []mentions.Column
	for _, col := range columns {
		all = append(all, mentions.Column{Revision: col.Revision, Survey: col.survey})
	}
	err := mentions.Unlisted(r.plan.Config, all, func(list protocol.List, m config.Mention) bool {
		return elsewhere(ctx, r.servers, columns, list, m)
	})
	if err != nil {
		return err
	}
	return mentions.Refused(r.plan.Config, all, r.plan.Secrets.Hide)
}

// elsewhere reports whether the server lists a name at a revision outside of the run, or
// reads a resource that it does not list. It asks only where the name would be a mistake.
func elsewhere(ctx context.Context, servers []*server, columns []*column, of protocol.List, m config.Mention) bool {
	for _, s := range servers {
		if s.locked {
			continue
		}
		_, _ = s.found.Versions(ctx) // asks for the revisions that discovery left out
		for _, revision := range s.found.Revisions() {
			judged := slices.ContainsFunc(columns, func(c *column) bool { return c.server == s && c.Revision == revision })
			if judged && m.Kind != roles.KindResource {
				continue
			}
			survey, control, err := s.look().Survey(ctx, revision, s.found)
			if err != nil || control == nil {
				continue
			}
			known, _ := mentions.Listed([]mentions.Column{{Survey: survey}}, of)
			there := slices.Contains(known, m.Name)
			if judged {
				there = control.Run(ctx, func(c *probe.Client) error { //nolint:contextcheck // a client carries the context
					return c.Call("resources/read", probe.Object{"uri": m.Name}).WantResult()
				}) == nil
			}
			_ = control.Close(ctx)
			if there {
				return true
			}
		}
	}
	return false
}
