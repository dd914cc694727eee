package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A place is the line of a repository that names the server: build servers show findings
// there, since a black box has no other source.
type place struct {
	file string // from the root of the repository, with slashes
	line int
}

// placeOf is the line of the configuration that names the server; without one, the first
// line of the file that most likely mentions it. Without an existing file the place is
// empty, and formats leave it out.
func placeOf(cfg config.Config, env config.Environment) place {
	if cfg.File != "" {
		if file, inside := withinRepository(cfg.File, env); inside {
			return place{file, max(cfg.TargetLine, 1)}
		}
	}
	if file, ok := workflow(env); ok {
		return place{file, 1}
	}
	for _, name := range likely() {
		if !isFile(name) {
			continue
		}
		if file, inside := withinRepository(name, env); inside {
			return place{file, 1}
		}
	}
	return place{}
}

// likely are the files that may mention the server, the likeliest first.
func likely() []string {
	return []string{
		".mcp.json", "server.json", ".gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile",
		"package.json", "pyproject.toml", "go.mod", "Cargo.toml", "README.md", "LICENSE",
	}
}

// workflow is the file of the running workflow, which names the server where no
// configuration does. GitHub gives it as owner/repository/path@ref.
func workflow(env config.Environment) (file string, ok bool) {
	root, inCheckout := env("GITHUB_WORKSPACE")
	given, running := env("GITHUB_WORKFLOW_REF")
	named, _, _ := strings.Cut(given, "@")
	parts := strings.SplitN(named, "/", 3)
	if !inCheckout || !running || len(parts) < 3 || !filepath.IsLocal(filepath.FromSlash(parts[2])) {
		return "", false
	}
	return parts[2], isFile(filepath.Join(root, filepath.FromSlash(parts[2])))
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// withinRepository is the path from the root of the repository, if the build server
// names that root, else from the working directory.
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
