package main

import (
	"os"
	"path/filepath"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// slip is a name that is easily taken for that of the configuration.
const slip = "mcp-conform.yml"

// overlooked is a configuration that a run does not read by itself: one with a slip in its
// name, or one in a folder above, up to that of the repository. Empty where there is none.
func overlooked() string {
	if isFile(slip) {
		return slip
	}
	dir, err := os.Getwd()
	for up := ""; err == nil && !exists(filepath.Join(dir, ".git")) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		up = filepath.Join("..", up)
		for _, name := range []string{config.FileName, slip} {
			if file := filepath.Join(up, name); isFile(file) {
				return filepath.ToSlash(file)
			}
		}
	}
	return ""
}
