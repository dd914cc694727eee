package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config/redact"
)

func TestHide(t *testing.T) {
	t.Parallel()
	hide := redact.New([]string{"abcdef", "abcdefghi", "abc", `say "hi" & <bye>/é😀`, "dark", "C:\\new\\table", "100%25 a+b", "two\r\nlines of it\r\n"}).Hide
	for text, want := range map[string]string{
		"":                              "",
		"nothing here":                  "nothing here",
		"x abcdef y":                    "x [redacted] y",
		"abcdefghi and abcdefgh":        "[redacted] and [redacted]",
		"abc is too short":              "abc is too short",
		"abcdefabcdef":                  "[redacted][redacted]",
		"a dar k room":                  "a dar k room",
		"a darkroom":                    "a [redacted]room",
		`{"a":"say \"hi\" & <bye>/é😀"}`: `{"a":"[redacted]"}`,
		`{"a":"say \"hi\" \u0026 \u003cbye\u003e\/é\ud83d\ude00"}`: `{"a":"[redacted]"}`,
		`{"a":"say \"hi\" \u0026 \u003Cbye\u003E\/\u00E9😀"}`:       `{"a":"[redacted]"}`,
		`"{\"a\":\"say \\\"hi\\\" & <bye>\\/\\u00e9😀\"}"`:          `"{\"a\":\"[redacted]\"}"`,
		"?q=say+%22hi%22+%26+%3Cbye%3E%2F%C3%A9%F0%9F%98%80":       "?q=[redacted]",
		"/say%20%22hi%22%20&%20%3cbye%3e/%c3%a9%f0%9f%98%80":       "/[redacted]",
		"?q=say%2520%2522hi%2522%2520%2526%2520%253Cbye%253E/é😀":   "?q=[redacted]",
		"<p>say &quot;hi&#34; &amp; &lt;bye&#x3E;/é😀</p>":          "<p>[redacted]</p>",
		`C:\new\table and C:\\new\\table and C%3A%5cnew%5Ctable`:   "[redacted] and [redacted] and [redacted]",
		`CORP\abcdefghi, %abcdefghi, \u00abcdefghi`:                `CORP\[redacted], %[redacted], \u00[redacted]`,
		"100%25 a+b, 100%2525%20a%2Bb":                             "[redacted], [redacted]",
		"two\nlines of it":                                         "[redacted]",
	} {
		if got := hide(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNothingToHide(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]string{nil, {""}, {"abc"}, {"ééé"}} {
		if got := redact.New(secrets).Hide("abc ééé as it was"); got != "abc ééé as it was" {
			t.Errorf("%q: got %q", secrets, got)
		}
	}
}

// secret makes a text of special and ordinary characters.
func secret(random *rand.Rand, n int) string {
	alphabet := []rune("abcdenrtuxABCDEF0123456789/+=&<>\"'\\% \n\té漢😀-_.;#")
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(runes)
}

// escapings write text as servers do, alone and combined.
func escapings() map[string]func(string) string {
	quote := func(s string) string {
		quoted, _ := json.Marshal(s)
		return string(quoted[1 : len(quoted)-1])
	}
	ascii := func(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) }
	lower := func(s string) string {
		parts := strings.Split(url.QueryEscape(s), "%")
		for i, p := range parts[1:] {
			parts[i+1] = strings.ToLower(p[:2]) + p[2:]
		}
		return strings.Join(parts, "%")
	}
	return map[string]func(string) string{
		"plain":         func(s string) string { return s },
		"JSON":          quote,
		"PHP":           func(s string) string { return strings.ReplaceAll(quote(s), "/", `\/`) },
		"JSON in JSON":  func(s string) string { return quote(quote(s)) },
		"ASCII":         ascii,
		"query":         url.QueryEscape,
		"lower query":   lower,
		"path":          func(s string) string { return strings.ReplaceAll(url.PathEscape(s), "%2F", "/") },
		"query twice":   func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"HTML":          html.EscapeString,
		"query in JSON": func(s string) string { return quote(url.QueryEscape(s)) },
		"JSON in query": func(s string) string { return url.QueryEscape(quote(s)) },
	}
}

// A secret in any form, at any place, is hidden; the text around it is not.
func TestEveryForm(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		s := "k" + secret(random, 4+random.IntN(60)) + "z"
		r := redact.New([]string{s})
		for name, escape := range escapings() {
			for _, text := range []string{escape(s), inCase(escape(s), 'A', 'Z'), inCase(escape(s), 'a', 'z')} {
				if got := r.Hide("<<" + text + ">>"); got != "<<[redacted]>>" {
					t.Fatalf("%d, %s of %q: %q becomes %q", round, name, s, text, got)
				}
			}
		}
	}
}

// inCase changes the case of the letters between two letters, all of ASCII.
func inCase(s string, from, to byte) string {
	out := []byte(s)
	for i, c := range out {
		if c >= from && c <= to {
			out[i] = c ^ ' '
		}
	}
	return string(out)
}

// A key of hexadecimal digits, a UUID or base32 is the key in either case, in whatever
// form it is written.
func TestEitherCase(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		"0f8fad5b-d9cb-469f-a165-70867728950e", "DEADBEEF0042CAFE", "JBSWY3DPEHPK3PXP", "Ab", "Key/With=Signs+And Blanks", `C:\New\Table`, "dArK",
	} {
		hide := redact.New([]string{secret}).Hide
		for name, escape := range escapings() {
			for _, text := range []string{inCase(escape(secret), 'A', 'Z'), inCase(escape(secret), 'a', 'z'), strings.Title(escape(secret))} { //nolint:staticcheck // ASCII
				want := "[redacted]"
				if len(secret) < redact.Shortest {
					want = text
				}
				if got := hide("<<" + text + ">>"); got != "<<"+want+">>" {
					t.Errorf("%s of %q: %q becomes %q", name, secret, text, got)
				}
			}
		}
	}
}

func TestBase64(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{4, 5, 6, 7, 8, 12, 20, 100, 2000} {
		s := secret(random, n)
		r := redact.New([]string{s})
		for before := range 6 {
			for after := range 3 {
				for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
					text := strings.Repeat("u", before) + s + strings.Repeat("v", after)
					encoded := encoding.EncodeToString([]byte(text))
					for _, written := range []string{encoded, strings.ReplaceAll(encoded, "/", `\/`), url.QueryEscape(encoded), wrapped(encoded)} {
						rest := strings.ReplaceAll(r.Hide("Basic "+written+"."), redact.Mark, "")
						if most := len("Basic .") + 4*(before+after+2)/3 + 12; len(rest) > most {
							t.Errorf("%d characters behind %d in %q: %q is left", n, before, written, rest)
						}
					}
				}
			}
		}
	}
}

func wrapped(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + `\n`)
		s = s[76:]
	}
	return b.String() + s
}

// Wherever a text is cut, in any form, at most six characters of a secret are
// left at the cut.
func TestCuts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{10, 20, 100} {
		s := secret(random, n)
		r := redact.New([]string{s})
		for name, escape := range escapings() {
			whole := escape(s)
			for at := range whole {
				for _, text := range []string{
					"before" + whole[:at] + "...", "before " + whole[:at] + ` ... after`, `"` + whole[:at] + `"..., want`,
					"..." + whole[at:] + " after", "before ... " + whole[at:], "before…" + whole[at:],
				} {
					if part, leaks := left(r.Hide(text), s, escape); leaks {
						t.Fatalf("%s of %q: %q of %q is left in %q", name, s, part, text, r.Hide(text))
					}
				}
			}
		}
	}
}

// left finds seven consecutive characters of a secret.
func left(text, secret string, escape func(string) string) (string, bool) {
	runes := []rune(secret)
	for i := range len(runes) - 6 {
		if part := escape(string(runes[i : i+7])); strings.Contains(text, part) {
			return part, true
		}
	}
	return "", false
}

// Words that a secret shares with a text stay visible.
func TestPartsByChance(t *testing.T) {
	t.Parallel()
	hide := redact.New([]string{"conformance-test-token", "postgres://localhost:5432/conformance"}).Hide
	for _, text := range []string{
		"mcp-conform run --case tools/list -- ./conformance-server",
		"the answer to tools/list is an error, want a result",
		"dial tcp localhost:5432: connection refused",
	} {
		if got := hide(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// Near a cut too, words that a secret has in its middle stay visible; what a cut leaves of a
// secret does not.
func TestWordsAtCuts(t *testing.T) {
	t.Parallel()
	hide := redact.New([]string{"conformance-test-token", "postgres://localhost:5432/harbour", "Bearer abcdefgh-berths"}).Hide
	for _, text := range []string{
		`{"name": "token"...`, "the tool answers with a token…", "dial tcp localhost...", "... localhost refused it",
		`"harbour"... is no berth`, `... "Bearer" is missing`, "its berths...",
	} {
		if got := hide(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"got confo...": "got [redacted]...", `"confor"..., want`: `"[redacted]"..., want`, "...token is": "...[redacted] is",
		"... bour": "... bour", "...arbour": "...[redacted]", "...ocalh...": "...[redacted]...", "Bearer abcde…": "[redacted]…",
	} {
		if got := hide(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Parts of long secrets are hidden anywhere, but not parts so short that they
// may be chance.
func TestLongParts(t *testing.T) {
	t.Parallel()
	s := secret(rand.New(rand.NewPCG(7, 8)), 400)
	half := s[:len(s)/2]
	if got := redact.New([]string{s}).Hide("your key " + half + " is not known"); strings.Contains(got, half[:8]) {
		t.Errorf("got %q", got)
	}
}

// shown fails if more is changed in a text than that marks stand in the place of parts.
func shown(t *testing.T, whole, hidden string) {
	t.Helper()
	rest := whole
	for i, kept := range strings.Split(hidden, redact.Mark) {
		_, after, there := strings.Cut(rest, kept)
		if !there || i == 0 && !strings.HasPrefix(rest, kept) {
			t.Errorf("%q became %q", whole, hidden)
			return
		}
		rest = after
	}
}

// Whatever the secret is, and whatever stands around it, it is hidden in either case, and
// the rest stays.
func FuzzHide(f *testing.F) {
	f.Add("secret-value", "text with secret-value")
	f.Add(`\\\\`, `\\\\\\\\`)
	f.Add("%41%42", "%2541%2542")
	f.Add("    ", " ")
	f.Add(" \x80\x00 ", "%Q")
	f.Add("\f\f\f\f", "6")
	f.Add("\x01abcd", `\u0001abcd`)
	f.Add(`\U0001F600 of the pier`, `\u0001f600`)
	f.Fuzz(func(t *testing.T, secret, text string) {
		r := redact.New([]string{secret})
		for _, written := range []string{secret, inCase(secret, 'A', 'Z'), inCase(secret, 'a', 'z')} {
			whole := text + "\n" + written + "\n" + text
			hidden := r.Hide(whole)
			got := strings.ReplaceAll(hidden, redact.Mark, "\uFFFF")
			if len([]rune(secret)) >= redact.Shortest && strings.Contains(got, written) {
				t.Errorf("%q is in %q", written, got)
			}
			if hidden != r.Hide(whole) || len([]rune(secret)) < redact.Shortest && hidden != whole {
				t.Errorf("%q becomes %q, for the secret %q", whole, hidden, secret)
			}
			shown(t, whole, hidden)
		}
	})
}

// The text is a list of tools as servers send it.
func BenchmarkHide(b *testing.B) {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, `{"name":"tool_%d","description":"Reads \"one\" thing & writes another.\nAlways.","inputSchema":{"type":"object"}},`, i)
	}
	escaped := text.String()
	plain := strings.NewReplacer(`\`, "", "\n", "", "%", "").Replace(escaped)
	random := rand.New(rand.NewPCG(9, 10))
	few := []string{secret(random, 20), secret(random, 100), secret(random, 2000)}
	var many []string
	for range 200 {
		many = append(many, secret(random, 40))
	}
	for _, row := range []struct {
		name    string
		secrets []string
		text    string
	}{{"plain", few, plain}, {"escaped", few, escaped}, {"many secrets", many, escaped}, {"short secret", []string{"dark"}, escaped}, {"none", nil, escaped}} {
		b.Run(row.name, func(b *testing.B) {
			r := redact.New(row.secrets)
			b.SetBytes(int64(len(row.text)))
			for b.Loop() {
				r.Hide(row.text)
			}
		})
	}
}
