package main

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// ignored says which roles of a configuration have no effect, since no case needs them.
func ignored(cfg config.Config) []string {
	var unasked []string
	all := suites.All()
	for _, spec := range suites.Roles(all) {
		if filled, ok := cfg.Roles.Role(spec.Name); ok && filled.Source == roles.Config && len(usersOf(spec.Name, all, nil)) == 0 {
			unasked = append(unasked, string(spec.Name))
		}
	}
	if len(unasked) == 0 {
		return nil
	}
	return []string{cfg.File + ": no case uses these roles yet: " + strings.Join(unasked, ", ")}
}
