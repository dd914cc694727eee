package mentions

import (
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

// maybeHidden reports whether a server may offer what it does not list.
func maybeHidden(m config.Mention) bool {
	return m.Kind == roles.KindResource || asks(m)
}

// asks reports whether a mention is of a tool that asks the client for something.
func asks(m config.Mention) bool {
	below, ofTasks := strings.CutPrefix(m.Key, roles.Key(string(roles.TaskTool))+".")
	field, _, _ := strings.Cut(below, ".")
	return ofTasks && slices.Contains([]string{"input", "two-inputs", "input-first"}, field) ||
		of(m, roles.ClientRequest) || of(m, roles.InputRequired)
}

// of reports whether a mention stands below a role.
func of(m config.Mention, role roles.Name) bool {
	return strings.HasPrefix(m.Key, roles.Key(string(role))+".")
}

// Unlisted finds a name in the configuration that no column lists: a case that used the
// name would judge how the server refuses an unknown name. An empty or unreadable list
// proves nothing. elsewhere reports whether the server has a name although no column lists
// it. A server need not list every resource, so a resource counts only if it resembles a
// listed one and cannot be read, unless its role says that it fails. A server may hide a
// tool from a principal that is denied it, may list a tool that asks the client only for
// clients that declare what it asks for, and may list it at revisions that are not judged.
func Unlisted(cfg config.Config, columns []Column, elsewhere func(protocol.List, config.Mention) bool) error {
	for _, m := range cfg.Mentions() {
		list, noun := listOf(m.Kind)
		known, whole := Listed(columns, list)
		if !whole || slices.Contains(known, m.Name) || of(m, roles.Denied) || m.Kind == roles.KindResource && of(m, roles.Failure) {
			continue
		}
		if maybeHidden(m) && !m.Near(known) {
			continue
		}
		if elsewhere(list, m) {
			continue
		}
		var at []string
		for _, col := range columns {
			if revision := string(col.Revision); !slices.Contains(at, revision) {
				at = append(at, revision)
			}
		}
		message := fmt.Sprintf("the server lists no %s %q at %s", noun, m.Name, strings.Join(at, ", "))
		return cfg.Mistaken(m, message+m.InPlace(), known)
	}
	return nil
}

// Listed gives the names on a list in all columns. whole reports whether the list was
// read to its end in each column, and is not empty.
func Listed(columns []Column, list protocol.List) (known []string, whole bool) {
	seen := map[string]bool{}
	for _, col := range columns {
		if _, declared := col.Survey.Capabilities[list.Capability]; declared && !col.Survey.Whole[list.Method] {
			return nil, false
		}
		for _, item := range col.Survey.Lists[list.Method] {
			if name, ok := probe.ObjectOf(item)[list.Key].(string); ok && !seen[name] {
				seen[name] = true
				known = append(known, name)
			}
		}
	}
	return known, len(known) > 0
}
