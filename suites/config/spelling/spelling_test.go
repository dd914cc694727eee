package spelling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
)

func TestNear(t *testing.T) {
	t.Parallel()
	known := []string{"ping/empty-result", "ping/prompt", "tools/list-answered"}
	for written, want := range map[string][]string{
		"ping/emty-result": {"ping/empty-result"},
		"prompt":           {"ping/prompt"},
		"PING/PROMPT":      {"ping/prompt"},
		"wholly-different": nil,
		"":                 nil,
	} {
		if diff := cmp.Diff(want, spelling.Near(written, known)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", written, diff)
		}
	}
	if diff := cmp.Diff([]string{"aa", "ab", "ac"}, spelling.Near("a", []string{"ad", "ac", "ab", "aa"})); diff != "" {
		t.Errorf("of many (-want +got):\n%s", diff)
	}
}

func TestOr(t *testing.T) {
	t.Parallel()
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := spelling.Or(words); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
