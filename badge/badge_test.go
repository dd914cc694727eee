package badge

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func column(revision requirements.Revision, transport requirements.Transport, grade string, counts reports.Counts) reports.Column {
	return reports.Column{Revision: revision, Transport: transport, Grade: grade, Counts: counts}
}

type row struct {
	name    string
	verdict reports.Verdict
	message string
	color   string
}

func rows() []row {
	kept, broken, unseen := reports.Counts{Pass: 9}, reports.Counts{Pass: 8, Fail: 1}, reports.Counts{Skip: 9}
	verdict := func(s reports.VerdictStatus, columns ...reports.Column) reports.Verdict {
		return reports.Verdict{Status: s, Columns: columns}
	}
	evil := "</title><script>alert(1)</script>\"'&\x1b[31m\u202e" + strings.Repeat("x", 100)
	return []row{
		{"pass", verdict(reports.Passed, column("2025-11-25", "stdio", "Core", kept)), "2025-11-25 stdio Core", "brightgreen"},
		{"full", verdict(reports.Passed, column("2025-11-25", "stdio", "Full", kept), column("2025-06-18", "stdio", "Core", kept)),
			"2025-11-25 stdio Full", "brightgreen"},
		{"lowest", verdict(reports.Passed, column("2025-11-25", "stdio", "Full", kept), column("2025-11-25", "http", "Extended", kept)),
			"2025-11-25 stdio+http Extended", "brightgreen"},
		{"no-grade", verdict(reports.Passed, column("2026-07-28", "http", "", kept)), "2026-07-28 http no grade", "lightgrey"},
		{"newest-unseen", verdict(reports.Passed, column("2026-07-28", "http", "", unseen), column("2025-11-25", "http", "Core", kept)),
			"2025-11-25 http Core", "brightgreen"},
		{"one-transport-unseen", verdict(reports.Passed, column("2025-11-25", "http", "Core", unseen), column("2025-11-25", "stdio", "Core", kept)),
			"2025-11-25 stdio Core", "brightgreen"},
		{"pass-partial", verdict(reports.Passed, column("2025-11-25", "stdio", "Core (partial)", kept)),
			"2025-11-25 stdio Core (partial)", "yellowgreen"},
		{"pass-partial-over-http", verdict(reports.Passed, column("2025-11-25", "stdio", "Core", kept), column("2025-11-25", "http", "Core (partial)", kept)),
			"2025-11-25 stdio+http Core (partial)", "yellowgreen"},
		{"partial", verdict(reports.Partial, column("2025-11-25", "stdio", "Core (partial)", kept), column("2025-11-25", "http", "Core", kept)),
			"2025-11-25 stdio+http Core (partial)", "yellowgreen"},
		{"partial-elsewhere", verdict(reports.Partial, column("2025-11-25", "stdio", "Core", kept), column("2025-06-18", "stdio", "Core (partial)", kept)),
			"2025-11-25 stdio Core (partial)", "yellowgreen"},
		{"partial-no-grade", verdict(reports.Partial, column("2025-11-25", "stdio", "", kept)), "2025-11-25 stdio partial", "yellowgreen"},
		{"fail", verdict(reports.Failed, column("2025-11-25", "stdio", "Core", broken)), "fails at 2025-11-25 stdio", "red"},
		{"fail-older", verdict(reports.Failed, column("2025-11-25", "stdio", "Core", kept), column("2025-06-18", "stdio", "", broken)),
			"fails at 2025-06-18 stdio", "red"},
		{"fail-http", verdict(reports.Failed, column("2025-11-25", "stdio", "Core", kept), column("2025-11-25", "http", "", broken)),
			"fails at 2025-11-25 http", "red"},
		{"fail-strict", verdict(reports.Failed, column("2025-11-25", "stdio", "Core", kept)), "fails at 2025-11-25 stdio", "red"},
		{"fail-partial", reports.Verdict{Status: reports.Partial, ExitCode: reports.ExitFailed, Columns: []reports.Column{
			column("2025-11-25", "stdio", "Core", kept),
		}}, "2025-11-25 stdio Core (partial)", "red"},
		{"error", reports.Verdict{Status: reports.Partial, ExitCode: reports.ExitUnjudged, Columns: []reports.Column{
			column("2025-11-25", "stdio", "", reports.Counts{Pass: 1, Error: 1}),
		}}, "2025-11-25 stdio partial", "yellowgreen"},
		{"unjudged", verdict(reports.Unjudged), "not judged", "lightgrey"},
		{"interrupted", verdict(reports.Stopped, column("2025-11-25", "stdio", "", broken)), "interrupted", "lightgrey"},
		{"cut-short", verdict(reports.Unjudged, column("2025-11-25", "stdio", "Core", kept)), "not judged", "lightgrey"},
		{"empty", verdict(reports.Passed), "not judged", "lightgrey"},
		{"hostile", verdict(reports.Passed, column("2025-11-25", "stdio", evil, kept)),
			`2025-11-25 stdio </title><script>alert(1)</scri…`, "yellowgreen"},
		{"non-ascii", verdict(reports.Passed, column("2025-11-25", "stdio", "予約 Ö", kept)), "2025-11-25 stdio 予約 Ö", "yellowgreen"},
	}
}

func written(t *testing.T, write func(io.Writer, reports.Verdict) error, v reports.Verdict) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, v); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

func TestGolden(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			compare(t, r.name+".svg", written(t, SVG, r.verdict))
			compare(t, r.name+".json", written(t, Endpoint, r.verdict))
		})
	}
}

func TestEndpoint(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			var got map[string]any
			if err := json.Unmarshal(written(t, Endpoint, r.verdict), &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"schemaVersion": 1.0, "label": "MCP conform", "message": r.message, "color": r.color}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSVG(t *testing.T) {
	ids := map[string]string{}
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			data := written(t, SVG, r.verdict)
			dec := xml.NewDecoder(bytes.NewReader(data))
			var texts []string
			for {
				token, err := dec.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("not well-formed: %v", err)
				}
				switch token := token.(type) {
				case xml.CharData:
					if s := strings.TrimSpace(string(token)); s != "" {
						texts = append(texts, s)
					}
				case xml.StartElement:
					check(t, token, r, ids)
				}
			}
			want := []string{Label + ": " + r.message, Label, Label, r.message, r.message}
			if diff := cmp.Diff(want, texts); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func check(t *testing.T, e xml.StartElement, r row, ids map[string]string) {
	t.Helper()
	if !strings.Contains("svg title linearGradient stop clipPath rect g text", e.Name.Local) {
		t.Errorf("element %s has no place in a badge", e.Name.Local)
	}
	for _, a := range e.Attr {
		switch {
		case a.Name.Local == "id":
			if before, taken := ids[a.Value]; taken && before != r.message {
				t.Errorf("id %s stands in the badges of %q and %q", a.Value, before, r.message)
			}
			ids[a.Value] = r.message
		case a.Name.Local == "aria-label" && a.Value != Label+": "+r.message:
			t.Errorf("aria-label is %q", a.Value)
		}
	}
}

// The badge of a failed run never looks like the badge of a passed run: over all
// statuses, exit codes, grades and counts.
func TestFailingRunsAreRed(t *testing.T) {
	codes := []int{reports.ExitPassed, reports.ExitFailed, reports.ExitUsage, reports.ExitUnjudged, reports.ExitInterrupted}
	counts := []reports.Counts{{}, {Pass: 1}, {Warn: 1}, {Skip: 1}, {Error: 1}, {Pass: 1, Error: 1}, {Fail: 1}, {Pass: 9, Fail: 1, Warn: 1}}
	tried := map[color]int{}
	for _, status := range reports.VerdictStatuses() {
		for _, code := range codes {
			for _, grade := range append(append([]string{""}, grades("")...), grades(reports.PartialGrade)...) {
				for _, count := range counts {
					v := reports.Verdict{Status: status, ExitCode: code, Columns: []reports.Column{
						column("2025-11-25", "stdio", "Full", reports.Counts{Pass: 1}), column("2025-11-25", "http", grade, count),
					}}
					message, c := face(v)
					tried[c]++
					failed := status == reports.Failed || code == reports.ExitFailed || count.Fail > 0 && status != reports.Stopped
					if failed != (c == red()) {
						t.Errorf("%s, exit code %d, %q, %+v: %q in %s", status, code, grade, count, message, c.name)
					}
					open := status != reports.Passed || code != reports.ExitPassed || count.Error > 0
					if open && c == green() {
						t.Errorf("%s, exit code %d, %q, %+v: %q is green", status, code, grade, count, message)
					}
				}
			}
		}
	}
	for _, c := range []color{green(), partial(), red(), grey()} {
		if tried[c] == 0 {
			t.Errorf("no verdict is %s", c.name)
		}
	}
}

// The badge of a partly judged server is never as green as the badge of a fully judged
// one.
func TestOnlyWholeGradesAreGreen(t *testing.T) {
	for _, grade := range append([]string{"", "whatever"}, grades(reports.PartialGrade)...) {
		for _, status := range reports.VerdictStatuses() {
			v := reports.Verdict{Status: status, Columns: []reports.Column{column("2025-11-25", "stdio", grade, reports.Counts{Pass: 1})}}
			if _, c := face(v); c == green() {
				t.Errorf("%s with the grade %q is green", status, grade)
			}
		}
	}
	for _, grade := range grades("") {
		v := reports.Verdict{Status: reports.Passed, Columns: []reports.Column{column("2025-11-25", "stdio", grade, reports.Counts{Pass: 1})}}
		if _, c := face(v); c != green() {
			t.Errorf("a pass with the grade %q is not green", grade)
		}
	}
}

func grades(suffix string) []string {
	var all []string
	for _, g := range requirements.Grades() {
		all = append(all, string(g)+suffix)
	}
	return all
}

// The widths of shields.io badges, as given by its badge-maker 5.
func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{
		"build":                 27,
		"passing":               41,
		"":                      1,
		"漢":                     11,
		"MCP conform":           73,
		"not judged":            59,
		"failing":               33,
		"2025-11-25 stdio Core": 125,
		"2025-11-25 stdio+http Extended (partial)": 233,
		"2026-07-28 http Full":                     115,
		"2024-11-05 stdio passed, no grade":        195,
		"Ünïcödé …":                                57,
		"iiiiiiii":                                 25,
		"WWWWWWWW":                                 87,
		"@%&":                                      31,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("%q is %d px wide, want %d", text, got, want)
		}
	}
}

func TestOddWidths(t *testing.T) {
	lengths := regexp.MustCompile(`textLength="(\d+)"`)
	for _, r := range rows() {
		for _, m := range lengths.FindAllStringSubmatch(string(written(t, SVG, r.verdict)), -1) {
			if n, err := strconv.Atoi(m[1]); err != nil || n%20 != 10 {
				t.Errorf("%s: textLength %s is not ten times an odd width", r.name, m[1])
			}
		}
	}
}
