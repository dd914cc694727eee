package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

// Any file gives a configuration, or a mistake at a place in the file, and the same one
// each time. What it says is one line, and a terminal may show all of it.
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
		again, errAgain := config.Parse("c.yaml", data, environment, known())
		if !reflect.DeepEqual(c, again) || (err == nil) != (errAgain == nil) {
			t.Errorf("equal files are read in different ways: %+v, %v, then %+v, %v", c, err, again, errAgain)
		}
		var mistake *config.Error
		switch {
		case err == nil:
			c.Redactor()(string(data))
		case !errors.As(err, &mistake):
			t.Errorf("got a %T: %v", err, err)
		case strings.Contains(mistake.Message, "\n"):
			t.Errorf("the message has several lines: %q", mistake.Message)
		case mistake.Line < 0 || mistake.Line > 1+lineEnds(data) || mistake.Column < 0 || mistake.Column > 2+len(data):
			t.Errorf("%d:%d is not in the file: %s", mistake.Line, mistake.Column, mistake.Message)
		case err.Error() != errAgain.Error():
			t.Errorf("%v, then %v", err, errAgain)
		case strings.ContainsFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }):
			t.Errorf("a terminal may act on %q", err)
		}
	})
}

// lineEnds counts what YAML 1.1 or 1.2 takes for the end of a line.
func lineEnds(data []byte) int {
	n := 0
	for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		n += strings.Count(string(data), end)
	}
	return n
}

// A command is split into words that hold no more than the text does.
func FuzzSplitCommand(f *testing.F) {
	for _, seed := range []string{"a b", `'`, `"\"`, `\`, "a | b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := config.SplitCommand(text)
		if err == nil && len(words) == 0 {
			t.Errorf("%q: no words and no error", text)
		}
		if joined := strings.Join(words, ""); len(joined) > len(text) {
			t.Errorf("%q: the words %q hold more", text, words)
		}
	})
}
