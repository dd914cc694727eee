package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestDocumentsAreListed: the index has every page, and every link to a file leads to one.
func TestDocumentsAreListed(t *testing.T) {
	t.Parallel()
	docs := filepath.Join("..", "..", "docs")
	index, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(docs, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(docs, link[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link[1])
			}
		}
	}
}

// TestManual: the page has every command and flag, and man reads it without a complaint.
func TestManual(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := world{out: &out, err: &out, env: func(string) (string, bool) { return "", false }}
	if code := run(t.Context(), []string{"man"}, w); code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	root, _ := rootCommand(w)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && !strings.Contains(out.String(), "\n.SS "+roff(c.UseLine())+"\n") {
			t.Errorf("%s is not described", c.Name())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(out.String(), `\-\-`+roff(f.Name)+` "`) {
				t.Errorf("--%s of %s is not described", f.Name, c.Name())
			}
		})
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	c := exec.CommandContext(t.Context(), groff, "-man", "-Tascii", "-ww", "-z")
	c.Stdin = strings.NewReader(out.String())
	if said, err := c.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("%v: %s", err, said)
	}
}

// TestTroubleshootingMessages: what the page quotes is what the kit says.
func TestTroubleshootingMessages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	var advice []byte
	for _, name := range []string{filepath.Join("discover", "advice.go"), filepath.Join("connect", "start.go")} {
		source, err := os.ReadFile(filepath.Join("..", "..", "suites", "internal", name))
		if err != nil {
			t.Fatal(err)
		}
		advice = append(advice, source...)
	}
	first, _, _ := strings.Cut(string(text), "A server that asks for a login")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(first, -1)
	if len(rows) < 10 {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		if !strings.Contains(string(advice), row[1]) {
			t.Errorf("nothing says %q", row[1])
		}
	}
}
