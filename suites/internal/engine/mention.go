package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// listOf says where things of a kind are listed.
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

// unlisted finds what the file names and no column lists: a case that was given
// it would judge the refusal of something that does not exist. Where a list could
// not be read, or is empty, nothing is known. A resource need not be listed to be
// there, so it must look like one that is; and what somebody is denied may be
// hidden from them.
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

// listed is what a list holds in any column, and whether it was read to its end
// in each and holds anything.
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

// lists tells whether the column lists a tool, or may: a list that was not read
// to its end says nothing.
func (c *column) lists(tool string) bool {
	known, whole := listed([]*column{c}, protocol.Tools())
	return !whole || slices.Contains(known, tool)
}
