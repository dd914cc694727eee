package suites_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The examples, one of them a suite with its own rule and role, compile and run
// outside this repository: they need nothing internal.
func TestForeignModule(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// Our own requirements, so that nothing has to be looked up.
	foreign := "module foreign.example/suite\n" + string(mod[len("module github.com/mcp-conform/mcp-conform\n"):]) +
		"\nrequire github.com/mcp-conform/mcp-conform v0.0.0\nreplace github.com/mcp-conform/mcp-conform => " + filepath.ToSlash(root) + "\n"
	for name, data := range map[string][]byte{"example_test.go": source, "go.sum": sums, "go.mod": []byte(foreign)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "-v", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: ExampleJudge_ownSuite") {
		t.Fatalf("%v\n%s", err, out)
	}
}
