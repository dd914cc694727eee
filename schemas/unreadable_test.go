package schemas_test

import (
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/schemas"
)

func TestUnreadable(t *testing.T) {
	for _, pattern := range []string{"(", "^(a|b$", "a)", "[a-z", "^[^", "*.png", "+1", "?", `a\)(`, `([)]`, `[)](`} {
		if got := compiledPattern(t, pattern); !slices.Equal(got, []string{pattern}) {
			t.Errorf("of %q: %q, want it", pattern, got)
		}
	}
}

// TestReadable has patterns that some dialect can read, and those of which this cannot be
// said for sure.
func TestReadable(t *testing.T) {
	for _, pattern := range []string{
		"", "a*", `\(`, `[(]`, `[)]`, `\[`, "[]]", "[]", "[^]", "[]()]", "[^]()]", `[[:alpha:]]`, "[a[b(]]", `[a&&[^(]]`,
		`(?P<year>\d+)`, `(?<year>\d+)`, `(?i)a`, `^(?=a)`, `(?<!a)b`, `\p{Letter}`, `\p{L}`, `a++`, `(?>a)`, `a{,3}`, `a{`, `}`, `]`,
		`\Q(\E`, `(?#()`, "(?x)a # (", `\c(`, `[\]`, `[\](`, `\h+`, `(?|a|b)`, `(?&name)`, `[z-a]`, `(*UTF8)a`, `a\`, `\u{1F6A2}`, "(?x: [ ] )",
	} {
		if got := compiledPattern(t, pattern); len(got) > 0 {
			t.Errorf("%q is judged unreadable", pattern)
		}
	}
}

func compiledPattern(t *testing.T, pattern string) []string {
	t.Helper()
	schema, err := schemas.Compile(map[string]any{"properties": map[string]any{"a": map[string]any{"pattern": pattern}}})
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return schema.Unreadable()
}
