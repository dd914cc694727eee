package markdown

import (
	"strings"
	"testing"
)

func TestCode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ping":       "`ping`",
		"a`b``c":     "```a`b``c```",
		"`a":         "`` `a ``",
		" a ":        "`  a  `",
		"a|b":        "`a\\x7cb`",
		"a\nb":       "`a\\x0ab`",
		"":           "`none`",
		"##[error]a": "`\\x23#[error]a`",
	} {
		if got := code(in, "none"); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a sentence, as it is.": "a sentence, as it is.",
		"*a* _b_ [c](d) <e>":    `\*a\* \_b\_ \[c\]\(d\) \<e\>`,
		"- a":                   `\- a`,
		"# a":                   "&#35; a",
		"a | b & c":             `a \| b &amp; c`,
		"@everyone":             "@<!-- -->everyone",
		"http://a.example":      "http:<!-- -->//a.example",
		"WWW.a.example":         "WWW.<!-- -->a.example",
		"::error::a":            "&#58;:error&#58;:a",
	} {
		if got := prose(in, 100); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

func TestFenced(t *testing.T) {
	t.Parallel()
	for in, fence := range map[string]string{"a": "```", "```\n</details>": "````", "a ````` b": "``````"} {
		got := fenced(in)
		if !strings.HasPrefix(got, fence+"text\n") || !strings.HasSuffix(got, "\n"+fence+"\n") || strings.HasPrefix(got, fence+"`") {
			t.Errorf("%q stands between other fences than %s: %s", in, fence, got)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.example/b#c":     "<https://a.example/b#c>",
		"javascript:alert(1)":       "`javascript:alert(1)`",
		"https://a.example/>b":      "`https://a.example/>b`",
		"https://a.example/\u202eb": "`https://a.example/\\u{202e}b`",
	} {
		if got := link(in); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}
