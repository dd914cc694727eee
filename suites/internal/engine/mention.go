package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// listOf gives the list that holds roles of a kind, and the noun for an item.
func listOf(kind roles.Kind) (protocol.List, string) {
	switch kind {
	case roles.KindPrompt:
		return protocol.Prompts(), "prompt"
	case roles.KindResource:
		return protocol.Resources(), "resource"
	default:
		return protocol.Tools(), "tool"
	}
}

// unlisted finds a name in the configuration that no column lists: a case that used the
// name would judge how the server refuses an unknown name. An empty or unreadable list
// proves nothing. A server need not list every resource, so a resource counts only if it
// resembles a listed one and cannot be read. A server may hide a tool from a principal that
// is denied it, and may list it at revisions that are not judged.
func (r *Run) unlisted(ctx context.Context, columns []*column) error {
	for _, m := range r.plan.Config.Mentions() {
		list, noun := listOf(m.Kind)
		known, whole := listed(columns, list)
		if !whole || slices.Contains(known, m.Name) || strings.HasPrefix(m.Key, roles.Key(string(roles.Denied))+".") {
			continue
		}
		if m.Kind == roles.KindResource && !m.Near(known) {
			continue
		}
		if elsewhere(ctx, r.servers, columns, list, m) {
			continue
		}
		var at []string
		for _, col := range columns {
			if revision := string(col.Revision); !slices.Contains(at, revision) {
				at = append(at, revision)
			}
		}
		message := fmt.Sprintf("the server lists no %s %q at %s", noun, m.Name, strings.Join(at, ", "))
		return r.plan.Config.Mistaken(m, message, known)
	}
	return nil
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
			if judged != (m.Kind == roles.KindResource) {
				continue
			}
			survey, control, err := s.look().Survey(ctx, revision, s.found)
			if err != nil || control == nil {
				continue
			}
			known, _ := listed([]*column{{survey: survey}}, of)
			there := slices.Contains(known, m.Name)
			if m.Kind == roles.KindResource {
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

// listed gives the names on a list in all columns. whole reports whether the list was
// read to its end in each column, and is not empty.
func listed(columns []*column, list protocol.List) (known []string, whole bool) {
	for _, col := range columns {
		if _, declared := col.survey.Capabilities[list.Capability]; declared && !col.survey.Whole[list.Method] {
			return nil, false
		}
		for _, item := range col.survey.Lists[list.Method] {
			o, _ := item.(map[string]any)
			if name, ok := o[list.Key].(string); ok && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	return known, len(known) > 0
}

// lists reports whether the column lists a tool, or may list it: a list that was not read
// to its end proves nothing.
func (c *column) lists(tool string) bool {
	known, whole := listed([]*column{c}, protocol.Tools())
	return !whole || slices.Contains(known, tool)
}
