package markdown_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/golden"
	"github.com/mcp-conform/mcp-conform/reports/internal/samples"
	"github.com/mcp-conform/mcp-conform/reports/markdown"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t *testing.T, r reports.Report, opts markdown.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := markdown.Write(&out, r, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			golden.Compare(t, s.Name+".md", []byte(written(t, s.Report, markdown.Options{})), *update)
		})
	}
	golden.Compare(t, "cut.md", []byte(written(t, samples.EveryStatus(), markdown.Options{Limit: 6000})), *update)
}

// Two thousand findings: nobody reads the file, so the golden files hold its sum and its
// beginning.
func TestGoldenHuge(t *testing.T) {
	t.Parallel()
	got := []byte(written(t, samples.Huge(), markdown.Options{}))
	short := fmt.Sprintf("%d bytes, sha256 %x\n\n%s\n", len(got), sha256.Sum256(got), got[:1500])
	golden.Compare(t, "huge.txt", []byte(short), *update)
}

// many is a report of several blocks for each status.
func many(n int) reports.Report {
	var r reports.Report
	for i := range n {
		f := samples.EveryStatus().Findings[2]
		f.Case, f.Requirements, f.Rule = fmt.Sprintf("tools/case-%d", i), nil, ""
		f.Status = []reports.Status{reports.Warn, reports.Fail, reports.Error}[i%3]
		f.Problem = fmt.Sprintf("problem %d", i)
		if f.Status == reports.Warn { // a warning may fit where no failure does
			f.Title, f.Fix, f.Link, f.Again, f.Frames = "", "", "", "", nil
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// In any room, the shown and the omitted findings add up to all, and no lesser problem
// stands where a worse one was left out.
func TestCut(t *testing.T) {
	t.Parallel()
	r := many(1500)
	total := reports.Tally(r.Findings)
	for _, limit := range []int{2000, 10_000, 100_000, 400_000, 0} {
		text := written(t, r, markdown.Options{Limit: limit})
		if most := max(limit, 2000); limit > 0 && len(text) > most || len(text) > markdown.Limit {
			t.Errorf("limit %d: %d bytes", limit, len(text))
		}
		shown := map[string]int{}
		for _, match := range regexp.MustCompile(`(?m)^### ([A-Z]+) `).FindAllStringSubmatch(text, -1) {
			shown[match[1]]++
		}
		left := map[string]int{}
		for _, match := range regexp.MustCompile(`([0-9,]+) (failure|error|warning)s?\b[^|]`).FindAllStringSubmatch(afterLeftOut(text), -1) {
			var n int
			if _, err := fmt.Sscan(strings.ReplaceAll(match[1], ",", ""), &n); err != nil {
				t.Fatal(err)
			}
			left[match[2]] = n
		}
		for status, row := range map[string]struct {
			noun string
			all  int
		}{"FAIL": {"failure", total.Fail}, "ERROR": {"error", total.Error}, "WARN": {"warning", total.Warn}} {
			if shown[status]+left[row.noun] != row.all {
				t.Errorf("limit %d: %d of status %s shown and %d left out, want %d", limit, shown[status], status, left[row.noun], row.all)
			}
		}
		if left["failure"] > 0 && shown["WARN"]+shown["ERROR"] > 0 {
			t.Errorf("limit %d: warnings are shown and failures left out", limit)
		}
	}
}

func afterLeftOut(text string) string {
	_, after, _ := strings.Cut(text, "> **Left out: ")
	line, _, _ := strings.Cut(after, "\n")
	return line
}

func TestMuch(t *testing.T) {
	t.Parallel()
	for _, r := range []reports.Report{samples.Huge(), samples.Large()} {
		if text := written(t, r, markdown.Options{}); len(text) > markdown.Limit {
			t.Errorf("%d bytes, want at most %d", len(text), markdown.Limit)
		}
	}
}

// Outside of code no text of a hostile server is a mark, and the server cannot end a
// code block.
func TestHostileStaysText(t *testing.T) {
	t.Parallel()
	text := written(t, samples.Hostile(), markdown.Options{})
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U stands in the file", r)
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " ")
		if strings.HasPrefix(line, "::") || regexp.MustCompile(`##(vso|teamcity)?\[`).MatchString(line) {
			t.Errorf("the log of a build obeys %q", line)
		}
	}
	outside := withoutCode(t, text)
	if strings.Count(outside, "<details>") != strings.Count(outside, "</details>") {
		t.Errorf("the details are not closed as they were opened")
	}
	ours := regexp.MustCompile(`</?(details|summary|sub)>|<!-- -->|<https://[^<>\s]+>`)
	foreign := ours.ReplaceAllString(strings.ReplaceAll(outside, "\n> ", "\n"), "")
	if left := regexp.MustCompile(`(?:^|[^\\])[<>]`).FindString(foreign); left != "" {
		t.Errorf("a tag of somebody else stands outside of code: %q", left)
	}
	for _, bad := range []string{`[^\\]\]\(`, `(^|[^\\])\$\{`, `@[a-z]`, `www\.[a-z]`, `[^<]https?://[a-z]`} {
		if found := regexp.MustCompile(bad).FindString(outside); found != "" {
			t.Errorf("%q acts outside of code", found)
		}
	}
}

// withoutCode removes code like a reader: fences first, then rows of backticks of one
// length.
func withoutCode(t *testing.T, text string) string {
	t.Helper()
	var kept []string
	fence := ""
	for line := range strings.Lines(text) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(marks) >= 3:
			fence = marks
		case fence != "" && len(marks) >= len(fence) && strings.Trim(line, "`\n") == "":
			fence = ""
		case fence == "":
			kept = append(kept, inline(t, line))
		}
	}
	if fence != "" {
		t.Error("a fence is not closed")
	}
	return strings.Join(kept, "")
}

func inline(t *testing.T, line string) string {
	t.Helper()
	var out strings.Builder
	for line != "" {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			break
		}
		if at > 0 && line[at-1] == '\\' {
			out.WriteString(line[:at+1])
			line = line[at+1:]
			continue
		}
		out.WriteString(line[:at])
		line = line[at:]
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		end := regexp.MustCompile("[^`]" + marks + "(?:[^`]|$)").FindStringIndex(line)
		if end == nil {
			t.Errorf("code is not closed: %.200q", line)
			return out.String()
		}
		line = line[end[0]+1+len(marks):]
	}
	return out.String() + line
}
