package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestSafe(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"plain", `{"a":"\u001b"}`, `{"a":"\u001b"}`},
		{"escape", "\x1b[2J\a", `\x1b[2J\x07`},
		{"line break and tab", "a\r\n\tb", `a\x0d\x0a\x09b`},
		{"delete", "\x7f", `\x7f`},
		{"C1 as a character", "\u009b31m", `\u{9b}31m`},
		{"C1 as a byte", "\x9b31m", `\x9b31m`},
		{"bidi", "\u202e\u2066\u200f\u061c", `\u{202e}\u{2066}\u{200f}\u{61c}`},
		{"zero width", "a\u200b\u200d\ufeff\u2060\u00ad", `a\u{200b}\u{200d}\u{feff}\u{2060}\u{ad}`},
		{"separators", "\u2028\u2029\u00a0\u3000", `\u{2028}\u{2029}\u{a0}\u{3000}`},
		{"drawn as nothing", "\u115f\u3164\ufe0f\U000e0100\u034f", `\u{115f}\u{3164}\u{fe0f}\u{e0100}\u{34f}`},
		{"tags", "\U000e0041", `\u{e0041}`},
		{"broken UTF-8", "é\xff\xc3", `é\xff\xc3`},
		{"replacement character", "\ufffd", "\ufffd"},
		{"scripts", "Καΐκι 予約 🚢", "Καΐκι 予約 🚢"},
		{"two marks", "a\u0301\u0302", "a\u0301\u0302"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := Safe(row.in)
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
			if again := Safe(got); again != got {
				t.Errorf("not stable: %s became %s", got, again)
			}
		})
	}
}

func TestMarksAreLimited(t *testing.T) {
	got := Safe("a" + strings.Repeat("\u0301", 1000))
	if marks := strings.Count(got, "\u0301"); marks > maxMarks {
		t.Errorf("%d marks on one letter, want at most %d", marks, maxMarks)
	}
}

func TestWidth(t *testing.T) {
	for in, want := range map[string]int{"abc": 3, "予約": 4, "e\u0301": 1, "🚢": 2, "\x1b": 4, "…": 1, "ｱ": 1, "": 0} {
		if got := Width(in); got != want {
			t.Errorf("width of %q is %d, want %d", in, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, row := range []struct {
		in    string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abc..."},
		{"予約予約", 7, "予約..."},
		{"a\x1bbcdefgh", 8, `a\x1b...`},
		{`abc\u00e9defgh`, 10, "abc..."},
	} {
		if got := Clip(row.in, row.width); got != row.want {
			t.Errorf("%q in %d: got %s, want %s", row.in, row.width, got, row.want)
		}
	}
}

func TestRows(t *testing.T) {
	for _, row := range []struct {
		name  string
		in    string
		limit int
		want  []string
	}{
		{"empty", "", 5, []string{""}},
		{"fits", "0123456789", 5, []string{"0123456789"}},
		{"wraps", "0123456789ab", 5, []string{"0123456789", "ab"}},
		{"breaks", "GET /\nHost: a\n\nx", 5, []string{"GET /", "Host: a", "", "x"}},
		{"trailing break", "ab\n", 5, []string{"ab"}},
		{"only breaks", "\n\n", 5, []string{"", ""}},
		{"wide", "予約予約予約", 5, []string{"予約予約予", "約"}},
		{"escape kept whole", "01234567\x1b", 5, []string{"01234567", `\x1b`}},
		{"no limit", strings.Repeat("a", 40), 0, []string{"aaaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaa"}},
		{"exactly the limit", strings.Repeat("a", 50), 5, []string{"aaaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaa"}},
		{"cut", strings.Repeat("a", 50) + "b", 5, []string{"aaaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaa", "... 11 bytes ...", "aaaaaaaaab"}},
		{"cut escapes", strings.Repeat("\x1b", 2000), 5, []string{`\x1b\x1b`, `\x1b\x1b`, `\x1b\x1b`, "... 1,992 bytes ...", `\x1b\x1b`}},
		{"cut between characters", strings.Repeat("約", 2000), 5, []string{"約約約約約", "約約約約約", "約約約約約", "... 5,946 bytes ...", "約約約"}},
		{"between tokens", `{"a":"b","c":12}`, 5, []string{`{"a":"b",`, `"c":12}`}},
		{"between words", "two words here", 5, []string{"two words ", "here"}},
		{"amid a long token", `{"a":"bcdefghijklm"}`, 5, []string{`{"a":`, `"bcdefghij`, `klm"}`}},
		{"JSON escape kept whole", `01234567\n89\u00e9x`, 5, []string{`01234567\n`, `89\u00e9x`}},
		{"JSON escape at the edge", `0123456\u00e9`, 5, []string{"0123456", `\u00e9`}},
		{"our escape kept whole", `01234567\x1b9`, 5, []string{"01234567", `\x1b9`}},
		{"pair of surrogates", `01234\ud83d\ude00`, 5, []string{"01234", `\ud83d\ude00`}},
		{"cut before a token", `[` + strings.Repeat(`"abcde",`, 20) + `"end"]`, 5,
			[]string{`["abcde",`, `"abcde",`, `"abcde",`, "... 136 bytes ...", `"end"]`}},
		{"cut JSON escapes", `"` + strings.Repeat(`\n`, 50) + `"`, 5,
			[]string{`"\n\n\n\n`, `\n\n\n\n\n`, `\n\n\n\n\n`, "... 64 bytes ...", `\n\n\n\n"`}},
		{"cut broken UTF-8", strings.Repeat("\x80", 30), 5, []string{`\x80\x80`, `\x80\x80`, `\x80\x80`, "... 22 bytes ...", `\x80\x80`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, Rows(row.in, 10, row.limit)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestProse(t *testing.T) {
	for _, row := range []struct {
		in   string
		want []string
	}{
		{"", []string{""}},
		{"a short one", []string{"a short", "one"}},
		{"unbreakably long", []string{"unbreakab", "ly long"}},
		{"two\nlines", []string{"two", "lines"}},
		{"予約 予約 予約", []string{"予約 予約", "予約"}},
	} {
		if diff := cmp.Diff(row.want, Prose(row.in, 9)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", row.in, diff)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", 1234567: "1,234,567"} {
		if got := Number(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The parts of a finding always stand in one order, and an empty part leaves no line
// behind.
func TestOrder(t *testing.T) {
	page := Page{Width: 80}
	got := page.Finding(reports.Group{
		Finding: reports.Finding{
			Case: "s/c", Title: "title", Status: reports.Fail, Level: requirements.Must,
			Notes: []string{"n"}, Again: "a", Fix: "f", Link: "l", Rule: "r", Problem: "p",
			Frames: []reports.Frame{{Dir: "sent", Text: "x"}, {Dir: "received", Text: "y"}},
		},
		Places: []reports.Place{{Revision: "2025-11-25", Transport: "stdio"}},
	})
	want := []string{
		"FAIL  s/c    MUST    2025-11-25 over stdio", "  expected  title",
		"  sent      x", "  received  y", "  problem   p", "  rule      r", "            l", "  fix       f", "  again     a", "  note      n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	bare := page.Finding(reports.Group{Finding: reports.Finding{Case: "s/c", Title: "title", Status: reports.Pass}})
	if len(bare) != 2 && len(bare) != 3 {
		t.Errorf("empty parts were set: %q", bare)
	}
}

func TestStatusInk(t *testing.T) {
	seen := map[Ink]bool{Plain: true}
	for _, s := range reports.Statuses() {
		if seen[StatusInk(s)] {
			t.Errorf("%s has no ink of its own", s)
		}
		seen[StatusInk(s)] = true
	}
}

func TestPlaces(t *testing.T) {
	at := func(revision requirements.Revision, transport requirements.Transport) reports.Place {
		return reports.Place{Revision: revision, Transport: transport}
	}
	for want, places := range map[string][]reports.Place{
		"":                                  nil,
		"2025-11-25 over stdio":             {at("2025-11-25", "stdio")},
		"2025-11-25 over stdio and http":    {at("2025-11-25", "stdio"), at("2025-11-25", "http")},
		"2025-11-25, 2025-06-18 over stdio": {at("2025-11-25", "stdio"), at("2025-06-18", "stdio")},
		"2025-11-25 over stdio and http, 2025-06-18 over stdio": {
			at("2025-11-25", "stdio"), at("2025-06-18", "stdio"), at("2025-11-25", "http")},
	} {
		if got := Places(places); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
