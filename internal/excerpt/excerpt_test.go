package excerpt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
)

func TestUnit(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"abc":                       "a",
		"é1":                        "é",
		"\xff\xfe":                  "\xff",
		`\"x`:                       `\"`,
		`\\n`:                       `\\`,
		`\u00e9x`:                   `\u00e9`,
		`\ud83d\ude00x`:             `\ud83d\ude00`,
		`\uD83D\uDE00x`:             `\uD83D\uDE00`,
		`\ud83d\u0041`:              `\ud83d`,
		`\ude00\ud83d`:              `\ude00`,
		`\u12`:                      `\`,
		`\x1b[2J`:                   `\x1b`,
		`\u{202e}gnp`:               `\u{202e}`,
		`\u{}`:                      `\`,
		`\u{zz}`:                    `\`,
		`\u{1234567890}`:            `\`,
		`\`:                         `\`,
		`\q`:                        `\`,
		`\x1`:                       `\`,
		"\\" + "予":                  `\`,
		`\u` + "{" + "10ffff" + `}`: `\u{10ffff}`,
	} {
		if got := in[:excerpt.Unit(in)]; got != want {
			t.Errorf("unit of %q is %q, want %q", in, got, want)
		}
	}
}

// From any place, a unit begins at the result and no earlier one was skipped.
func TestFrom(t *testing.T) {
	for _, s := range []string{
		`{"a":"\u00e9\n\\\\n\ud83d\ude00","b":"予約 \"x\""}`, `\\\\\\\n`, `\\\\\\\\n`, "plain", "\x80\x80\x80\x80\x80\x80\x80", `a\u00`, "é\xffé\\",
	} {
		begins := map[int]bool{len(s): true}
		for at := 0; at < len(s); at += excerpt.Unit(s[at:]) {
			begins[at] = true
		}
		for i := range len(s) + 1 {
			want := i
			for !begins[want] {
				want++
			}
			if got := excerpt.From(s, i); got != want {
				t.Errorf("from %d of %q: got %d, want %d", i, s, got, want)
			}
		}
	}
}

func TestCutAt(t *testing.T) {
	for _, row := range []struct {
		before, after string
		want          excerpt.Cut
	}{
		{`{"a":1,`, `"b":2}`, excerpt.Between},
		{`[1,`, `2]`, excerpt.Between},
		{`{"a":`, `{"b":2}}`, excerpt.Between},
		{`{"a":`, `"text"`, excerpt.Between},
		{`"two `, `words"`, excerpt.Blank},
		{`"semi`, `colon"`, excerpt.Amid},
		{`"a,`, `b"`, excerpt.Amid},
		{`"https:`, `//host"`, excerpt.Amid},
		{`"c:`, `"x"`, excerpt.Amid},
		{`{`, `"a"`, excerpt.Amid},
		{``, `"a"`, excerpt.Amid},
		{`,`, ``, excerpt.Amid},
	} {
		if got := excerpt.CutAt(row.before+row.after, len(row.before)); got != row.want {
			t.Errorf("between %s and %s: %d, want %d", row.before, row.after, got, row.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	short := strings.Repeat("x", 400)
	if got, cut := excerpt.Middle(short, 400); got != short || cut {
		t.Errorf("a text that fits is cut: %s", got)
	}
	for _, unit := range []string{`\u00e9`, `\n`, `\ud83d\ude00`, "予", "é", `{"name":"berth","n":1},`} {
		whole := `{"text":"` + strings.Repeat(unit, 300) + `"}`
		for most := 200; most < 224; most++ {
			got, cut := excerpt.Middle(whole, most)
			head, rest, _ := strings.Cut(got, " ... ")
			_, tail, _ := strings.Cut(rest, " ... ")
			if !cut || len(head)+len(tail) > most+len(unit) || len(head)+len(tail) < most/2 {
				t.Fatalf("%d of %d bytes are kept: %s", len(head)+len(tail), most, got)
			}
			if at := len(whole) - len(tail); excerpt.From(whole, at) != at || excerpt.From(whole, len(head)) != len(head) {
				t.Errorf("cut inside of %s: %s", unit, got)
			}
			if !utf8.ValidString(got) {
				t.Errorf("cut inside of a character: %q", got)
			}
			if strings.HasPrefix(unit, "{") && (excerpt.CutAt(whole, len(head)) < excerpt.Between || excerpt.CutAt(whole, len(whole)-len(tail)) < excerpt.Between) {
				t.Errorf("not cut between tokens: %s", got)
			}
		}
	}
}
