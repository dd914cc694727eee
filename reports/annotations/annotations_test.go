package annotations_test

import (
	"bytes"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/annotations"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var at = annotations.Options{File: "mcp-conform.yaml", Line: 2}

func written(t *testing.T, r reports.Report, opts annotations.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := annotations.Write(&out, r, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, s := range append(samples.All(), samples.Sample{Name: "huge", Report: samples.Huge()}) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			golden.Compare(t, s.Name+".txt", []byte(written(t, s.Report, at)), *update)
		})
	}
	golden.Compare(t, "every-status-strict.txt", []byte(written(t, samples.EveryStatus(), annotations.Options{Strict: true})), *update)
}

// Every line is our own command, whatever the server wrote.
func TestEveryLineIsOurs(t *testing.T) {
	t.Parallel()
	ours := regexp.MustCompile(`^::(error|warning|notice) (file=[^:,]+,line=[0-9]+,)?title=[^:,]+::[^\r\n]*$`)
	for _, r := range []reports.Report{samples.Hostile(), samples.Large(), samples.Huge(), samples.EveryStatus(), samples.Unjudged()} {
		for _, file := range []string{"", "mcp-conform.yaml", samples.Evil} {
			text := written(t, r, annotations.Options{File: file})
			if text == "" {
				t.Error("nothing is annotated")
			}
			kinds := map[string]int{}
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				match := ours.FindStringSubmatch(line)
				if match == nil {
					t.Fatalf("%.200q is no command of ours", line)
				}
				kinds[match[1]]++
				if regexp.MustCompile(`%(25|0A|0D|3A|2C)?`).ReplaceAllStringFunc(line, func(s string) string {
					if s == "%" {
						t.Errorf("a percent sign stands alone in %.200q", line)
					}
					return s
				}); len(line) > 16<<10 {
					t.Errorf("a line has %d bytes", len(line))
				}
				if strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
					t.Errorf("%.200q acts on a terminal", line)
				}
				for _, command := range []string{"##[", "##vso[", "##teamcity["} {
					if strings.Contains(line, command) {
						t.Errorf("%s stands in %.200q", command, line)
					}
				}
			}
			for kind, n := range kinds {
				if n > 10 {
					t.Errorf("%d of kind %s, GitHub shows 10", n, kind)
				}
			}
		}
	}
}

// The shown and the omitted findings add up to all findings.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	for _, n := range []int{9, 10, 11, 37} {
		var r reports.Report
		for i := range n {
			r.Findings = append(r.Findings, reports.Finding{
				Case: fmt.Sprintf("ping/case-%02d", i), Status: reports.Fail, Level: "MUST", Problem: fmt.Sprintf("problem %d", i),
				Revision: "2025-11-25", Transport: "stdio",
			})
		}
		text := written(t, r, at)
		told, rest := strings.Count(text, "title=FAIL"), 0
		if match := regexp.MustCompile(`title=([0-9]+) more errors`).FindStringSubmatch(text); match != nil {
			if _, err := fmt.Sscan(match[1], &rest); err != nil {
				t.Fatal(err)
			}
		}
		if told+rest != n || strings.Count(text, "\n") > 10 || n <= 10 && rest > 0 {
			t.Errorf("of %d, %d are told and %d counted:\n%s", n, told, rest, text)
		}
	}
}

func TestFailedWithoutFailure(t *testing.T) {
	t.Parallel()
	r := samples.Pass()
	if text := written(t, r, at); text != "" {
		t.Errorf("a clean run is annotated: %s", text)
	}
	r.Verdict.ExitCode, r.Verdict.Text = reports.ExitFailed, "baseline: 100% stale\nremove it"
	want := "::error file=mcp-conform.yaml,line=2,title=the run failed::baseline: 100%25 stale%0Aremove it\n"
	if got := written(t, r, at); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
