package config_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each pair in errors.txtar is a file with one mistake and the message about it.
func TestMistakes(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "errors.txtar")
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range archive.Files {
		name, isYAML := strings.CutSuffix(file.Name, ".yaml")
		if !isYAML {
			continue
		}
		_, err := config.Parse("mcp-conform.yaml", file.Data, environment, known())
		var mistake *config.Error
		if !errors.As(err, &mistake) {
			t.Errorf("%s: got %v, want a mistake", name, err)
			continue
		}
		got := err.Error() + "\n"
		if *update {
			answer := txtar.File{Name: name + ".err", Data: []byte(got)}
			if i+1 < len(archive.Files) && archive.Files[i+1].Name == answer.Name {
				archive.Files[i+1] = answer
			} else {
				t.Errorf("%s.err does not follow", name)
			}
			continue
		}
		if diff := cmp.Diff(string(archive.Files[i+1].Data), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if lines := bytes.Count([]byte(mistake.Message), []byte("\n")); lines != 0 {
			t.Errorf("%s: the message has %d line breaks", name, lines)
		}
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A terminal shows the file, so control characters must not reach it.
func TestExcerptIsHarmless(t *testing.T) {
	t.Parallel()
	_, err := config.Parse("c.yaml", []byte("# é\n\"\x1b[31m\tünknown\": 1\n"), environment, known())
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\t") {
		t.Errorf("got %q", err)
	}
	long := "wait: {max: 1s, event: " + strings.Repeat("x", 500) + "}"
	_, err = config.Parse("c.yaml", []byte(long), environment, known())
	var mistake *config.Error
	if !errors.As(err, &mistake) {
		t.Fatalf("got %v", err)
	}
	for _, line := range strings.Split(mistake.Excerpt, "\n") {
		if len(line) > 110 {
			t.Errorf("the excerpt is %d wide", len(line))
		}
	}
}

// Anchors must not let a small file stand for an endless one.
func TestLargeTreesAreRefused(t *testing.T) {
	t.Parallel()
	laughs := "roles:\n  session-state:\n    expect:\n      - &a [x,x,x,x,x,x,x,x,x,x]\n"
	for _, pair := range []string{"ab", "bc", "cd", "de", "ef"} {
		laughs += "      - &" + pair[1:] + " [" + strings.Repeat("*"+pair[:1]+",", 9) + "*" + pair[:1] + "]\n"
	}
	for name, yaml := range map[string]string{
		"wide": laughs, "deep": "roles: " + strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		if _, err := config.Parse("c.yaml", []byte(yaml), environment, known()); err == nil || !strings.Contains(err.Error(), "too deep or too large") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
