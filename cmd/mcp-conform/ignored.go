package main

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// ignored lists keys of a configuration without effect: keys that no code reads yet, and
// roles that no case needs.
func ignored(cfg config.Config) []string {
	var lines []string
	for _, each := range cfg.Ignored {
		lines = append(lines, fmt.Sprintf("%s:%d: %s is not used yet", cfg.File, each.Line, each.Key))
	}
	var unasked []string
	all := suites.All()
	for _, spec := range suites.Roles(all) {
		if filled, ok := cfg.Roles.Role(spec.Name); ok && filled.Source == roles.Config && len(usersOf(spec.Name, all, nil)) == 0 {
			unasked = append(unasked, string(spec.Name))
		}
	}
	if len(unasked) > 0 {
		lines = append(lines, cfg.File+": no case uses these roles yet: "+strings.Join(unasked, ", "))
	}
	return lines
}
