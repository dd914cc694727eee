package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// Any file gives a configuration, or a mistake with a place.
func FuzzParse(f *testing.F) {
	maximal, err := os.ReadFile(filepath.Join("testdata", "maximal.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(maximal)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "errors.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".yaml") {
			f.Add(file.Data)
		}
	}
	for _, seed := range []string{"", "\x00", "\xff\xfe", "&a [*a]", "a: &a\n  <<: *a", "{", "? ", "- - - -", "!!binary x", "%TAG", "a: |+\n", "...\n---\n", "a: *\x0e:\x03\n<\v"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse("c.yaml", data, environment, known())
		var mistake *config.Error
		switch {
		case err == nil:
			c.Redactor()(string(data))
		case !errors.As(err, &mistake):
			t.Errorf("got a %T: %v", err, err)
		case strings.Contains(mistake.Message, "\n"):
			t.Errorf("the message has several lines: %q", mistake.Message)
		}
	})
}

func FuzzSplitCommand(f *testing.F) {
	for _, seed := range []string{"a b", `'`, `"\"`, `\`, "a | b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if words, err := config.SplitCommand(text); err == nil && len(words) == 0 {
			t.Errorf("%q: no words and no error", text)
		}
	})
}
