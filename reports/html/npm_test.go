package html_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports/fleet"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
)

// fromNpm is the folder of modules with a tool, which npm fetches into a cache once.
// Without npm the test is skipped, and says so.
func fromNpm(t *testing.T, tool string) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skipf("npm is not installed, so the page was not judged by %s", tool)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("%s has nowhere to be put: %v", tool, err)
	}
	dir := filepath.Join(cache, "mcp-conform-tests", tool)
	name, _, _ := strings.Cut(tool, "@")
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, name, "package.json")); err == nil {
		return modules
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	install := []string{"install", "--prefix", dir, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", tool}
	if out, err := exec.CommandContext(t.Context(), npm, install...).CombinedOutput(); err != nil {
		t.Skipf("npm did not install %s, so the page was not judged by it: %s", tool, out)
	}
	return modules
}

// The standard rules of html-validate: the page is HTML without errors that browsers
// repair.
func TestValid(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: html-validate is not run")
	}
	validator := filepath.Join(fromNpm(t, "html-validate@9.7.1"), ".bin", "html-validate")
	dir := t.TempDir()
	files := map[string]string{".htmlvalidate.json": `{"root": true, "extends": ["html-validate:standard"]}`}
	for _, s := range samples.All() {
		files[s.Name+".html"] = written(t, s.Report)
	}
	files["index.html"], files["none.html"] = fleetPage(t, manyServers(2)), fleetPage(t, fleet.Index{}.Settled(false))
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), validator, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
