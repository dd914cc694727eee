// Package npm installs published packages for tests: programs that check, independently,
// the output of a writer, and servers to judge. It keeps them in a cache outside the tree,
// and skips a test where it cannot install them.
package npm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Node runs scripts that find some packages.
type Node struct{ program, modules string }

// NewNode installs packages, named with their exact versions, unless they are there
// already.
func NewNode(t *testing.T, packages ...string) Node {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("node is not installed, and so there is no %s", strings.Join(packages, " and "))
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skipf("npm is not installed, and so there is no %s", strings.Join(packages, " and "))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("there is no cache folder for packages of npm: %v", err)
	}
	all := filepath.Join(cache, "mcp-conform", "npm")
	dir := filepath.Join(all, strings.NewReplacer("/", "-").Replace(strings.Join(packages, "+")))
	n := Node{node, filepath.Join(dir, "node_modules")}
	if _, err := os.Stat(n.modules); err == nil {
		return n
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		t.Fatal(err)
	}
	// The folder gets its name when it is complete: neither a test that was stopped nor
	// a parallel one that installs the same packages leaves half of it behind.
	draft, err := os.MkdirTemp(all, ".draft-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(draft) }() // the draft is of no further use
	args := append([]string{"install", "--prefix", draft, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"}, packages...)
	if out, err := exec.CommandContext(t.Context(), npm, args...).CombinedOutput(); err != nil {
		t.Skipf("npm cannot install %s: %v: %.300s", strings.Join(packages, " and "), err, out)
	}
	if err := os.Rename(draft, dir); err != nil {
		if _, there := os.Stat(n.modules); there != nil {
			t.Fatal(err)
		}
	}
	return n
}

// Folder is the folder below which node finds the packages.
func (n Node) Folder() string { return filepath.Dir(n.modules) }

// Run runs a script with the folder of the packages as its first argument, and
// returns what it printed.
func (n Node) Run(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), n.program, append([]string{path, n.modules}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, stderr.String())
	}
	return out
}
