package engine

import (
	"fmt"
	"slices"
	"strings"

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
// resembles a listed one. A server may hide a tool from a principal that is denied it.
func (r *Run) unlisted(columns []*column) error {
	for _, m := range r.plan.Config.Mentions() {
		list, noun := listOf(m.Kind)
		known, whole := listed(columns, list)
		if !whole || slices.Contains(known, m.Name) || strings.HasPrefix(m.Key, roles.Key(string(roles.Denied))+".") {
			continue
		}
		if m.Kind == roles.KindResource && !m.Near(known) {
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
