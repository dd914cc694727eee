package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A place is where a repository names the server: build servers show findings
// there, since a black box has no other source.
type place struct {
	file string // from the root of the repository, with slashes
	line int
}

// placeOf is the line of the configuration that names the server; without one, the
// first line of the file that most likely tells of it.
func placeOf(cfg config.Config, env config.Environment) place {
	if cfg.File != "" {
		if file, inside := withinRepository(cfg.File, env); inside {
			return place{file, max(cfg.TargetLine, 1)}
		}
	}
	for _, name := range []string{
		".mcp.json", "server.json", "package.json", "pyproject.toml", "go.mod", "Cargo.toml", "README.md",
	} {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if file, inside := withinRepository(name, env); inside {
			return place{file, 1}
		}
	}
	return place{config.FileName, 1}
}

// withinRepository is the path from the root of the repository, as far as the build
// server says where that is, else from the working directory.
func withinRepository(file string, env config.Environment) (path string, inside bool) {
	root := "."
	for _, name := range []string{"GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"} {
		if dir, set := env(name); set && dir != "" {
			root = dir
			break
		}
	}
	from, err := filepath.Abs(root)
	if err != nil {
		return "", false
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	path, err = filepath.Rel(from, to)
	path = filepath.ToSlash(path)
	return path, err == nil && path != ".." && !strings.HasPrefix(path, "../") && !filepath.IsAbs(path)
}
