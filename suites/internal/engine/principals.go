package engine

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/internal/tolerance"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// principals lists the principals of the configuration that the selected cases of the
// column need. It is empty for a server that bears few conversations, since each principal
// takes one.
func principals(c *column) []string {
	if c.Transport != requirements.HTTP || c.server.locked || c.tolerance() != tolerance.Many {
		return nil
	}
	given := c.server.run.plan.Config.Roles
	var names []string
	for s := range c.server.run.plan.applying(c.Column) {
		for _, need := range s.Case.Needs {
			for _, word := range need.Any {
				name, ok := strings.CutPrefix(word.Value, string(roles.Principals)+".")
				if ok && word.Kind == suite.RoleKind && slices.Contains([]string{"first", "second", "limited"}, name) && given.Has(word.Value) {
					names = append(names, name, "first")
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
