package frame_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

func TestStderr(t *testing.T) {
	t.Parallel()
	end := frame.New(frame.Received, frame.KindEnd, nil)
	end.End = &frame.End{Exited: true, ExitCode: 1, Stderr: "the key is hush\n"}
	end = end.Redacted(func(s string) string { return strings.ReplaceAll(s, "hush", "***") })
	if got := end.Stderr(); got != "the key is ***\n" {
		t.Errorf("got %q", got)
	}
	if got := end.WithoutStderr().Text(); got != "exited with code 1" {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(end.Text(), "the key is ***") {
		t.Error("the frame itself has lost its stderr")
	}
	other := frame.New(frame.Received, frame.KindMessage, []byte("{}"))
	if other.Stderr() != "" || other.WithoutStderr().Text() != "{}" {
		t.Error("a message has something to do with stderr")
	}
}

func TestLastLines(t *testing.T) {
	t.Parallel()
	trace := "/srv/index.js:6\n  throw new Error()\n  ^\n\nError: boom\n" + strings.Repeat("    at f (index.js:1:1)\n", 10) + "\nNode.js v22.1.0\n"
	for _, row := range []struct {
		name, text string
		most       int
		want       []string
	}{
		{"empty", "", 10, nil},
		{"one", "why\n", 10, []string{"why"}},
		{"blank lines", "a\n\n  \r\nb", 10, []string{"a", "b"}},
		{"too many", "a\nb\nc\n", 2, []string{"b", "c"}},
		{"tabs", "a\n\tb\n", 10, []string{"a", "    b"}},
		{"colors", "\x1b[31m\x1b[39m\n\x1b[1;38:5:9mError:\x1b[0m no key\n\x1b[2J\n", 10, []string{"Error: no key", "\x1b[2J"}},
		{"a stack trace", trace, 7, []string{"  throw new Error()", "  ^", "Error: boom", "    at f (index.js:1:1)", "    at f (index.js:1:1)",
			"    ... 8 more lines", "Node.js v22.1.0"}},
		{"a short one", "E\n\tat a\n\tat b\n\tat c\n", 10, []string{"E", "    at a", "    at b", "    at c"}},
		{"two", "E\n\tat a\n\tat b\n\tat c\n\tat d\nCaused by: F\n\tat a\n\tat b\n\tat c\n\tat d\n", 10, []string{"E", "    at a", "    at b",
			"    ... 2 more lines", "Caused by: F", "    at a", "    at b", "    ... 2 more lines"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, frame.LastLines(row.text, row.most)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
