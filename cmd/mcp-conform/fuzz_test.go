package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/annotations"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/reports/text"
)

// Whatever the texts of a report are, each format is what it claims to be: no text of a
// server becomes an output, a command of a build server, a control character on a terminal
// or a path out of the repository.
func FuzzFormats(f *testing.F) {
	for _, seed := range []string{
		"", "tidewater", "::error::x", "x\nverdict=pass\nexit-code=0", "\x1b[2J", "</script><script>alert(1)", "]]>", "../../etc",
		"javascript:alert(1)",
		"file:///x", "\xff\xfe", "##vso[task.complete]", "\u202e\u0085\u2028", "{{7*7}} ${HOME} $(x) `x`", "|a|b|\n|-|-|", "/a\\b:c", "%0A::error::",
	} {
		f.Add(seed, seed, uint8(len(seed)))
	}
	own := regexp.MustCompile(`^::(error|warning|notice) (file|title)=`)
	stepLines := regexp.MustCompile(`\A((verdict|exit-code|passed|failed|warnings|skipped|could-not-run|grade)=[A-Za-z0-9() ]*\n){8}\z`)
	f.Fuzz(func(t *testing.T, one, other string, statuses uint8) {
		r := spoken(one, other, statuses)
		written := map[string]string{}
		for _, o := range outputs() {
			about := outcome{strict: statuses&1 > 0, at: place{one, 1}}
			written[o.file] = twice(t, o.file, func(w io.Writer) error { return o.write(w, r, about) })
			if made := written[o.file]; made != "" && !ours(o, made) {
				t.Errorf("%s has no mark of ours: %.200q", o.file, made)
			}
		}
		wellFormed(t, written)
		for name, write := range map[string]func(io.Writer) error{
			"text":   func(w io.Writer) error { return text.Write(w, r, text.Options{Width: 80, Verbose: statuses&2 > 0}) },
			"github": func(w io.Writer) error { return annotations.Write(w, r, annotations.Options{File: one, Line: 1}) },
		} {
			shown := twice(t, name, write)
			if bad := strings.IndexFunc(shown, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); bad >= 0 {
				t.Errorf("%s: a terminal may act on %q", name, shown[bad:min(bad+20, len(shown))])
			}
			for line := range strings.Lines(shown) {
				if strings.HasPrefix(line, "::") && (name == "text" || !own.MatchString(line)) {
					t.Errorf("%s: a build server may act on %q", name, line)
				}
			}
		}
		steps := twice(t, "outputs", func(w io.Writer) error { return stepOutputs(w, r) })
		if !stepLines.MatchString(steps) {
			t.Errorf("the outputs are %q", steps)
		}
		if back, err := jsonfile.Read(strings.NewReader(written["report.json"])); err != nil || back.Verdict.ExitCode != r.Verdict.ExitCode {
			t.Errorf("report.json is read as %+v, %v", back.Verdict, err)
		}
	})
}

// spoken is a report with texts of a server wherever a server has a say.
func spoken(one, other string, statuses uint8) reports.Report {
	at := reports.Place{Revision: "2025-11-25", Transport: "stdio"}
	r := reports.Report{
		Format: reports.Format, Kit: reports.Kit{Name: program, Version: "1.0.0"}, Run: reports.Run{Config: one, ConfigLine: 3},
		Target: reports.Target{
			Name: one, Version: other, Given: other, Extensions: []reports.Extension{{Name: other, Claim: "weak", Where: one}},
		},
		Suites: []reports.Suite{{Name: "tools", Title: "tools", Grade: "Core"}}, Stderr: other,
	}
	for i, status := range []reports.Status{reports.Pass, reports.Fail, reports.Warn, reports.Error} {
		if statuses>>i&1 == 0 {
			continue
		}
		r.Findings = append(r.Findings, reports.Finding{
			Case: "tools/" + string(status), Suite: "tools", Title: one, Revision: at.Revision, Transport: at.Transport,
			Status: status, Level: "MUST",
			Problem: "x" + one, Rule: "a rule", Fix: other, Again: one, Notes: []string{other}, Stderr: one,
			Frames: []reports.Frame{{Dir: "received", Text: one}, {Dir: "sent", Text: other}},
		})
	}
	r.Suites = reports.CountBySuite(r.Findings, r.Suites)
	r.Verdict = reports.Verdict{Text: one, Columns: reports.Sum(r.Findings, []reports.Scope{{Place: at}}, r.Suites)}
	r.Verdict.Extensions = reports.SumExtensions(r)
	return reports.Settle(r, reports.Policy{})
}

// twice writes a format and checks that it is the same each time.
func twice(t *testing.T, name string, write func(io.Writer) error) string {
	t.Helper()
	var first, second bytes.Buffer
	if err := errors.Join(write(&first), write(&second)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("%s differs when it is written again", name)
	}
	return first.String()
}

// ours reports whether a text holds the mark of its file where replaceable looks for it.
func ours(o output, made string) bool {
	if len(made) > 2*markWithin {
		made = made[:markWithin] + made[len(made)-markWithin:]
	}
	return regexp.MustCompile(o.mark).MatchString(made)
}

func wellFormed(t *testing.T, written map[string]string) {
	t.Helper()
	for _, file := range []string{"report.json", "report.sarif", "proposal-report.json", "badge.json"} {
		if !json.Valid([]byte(written[file])) {
			t.Errorf("%s is not JSON: %.300q", file, written[file])
		}
	}
	for _, file := range []string{"junit.xml", "badge.svg"} {
		for decoder := xml.NewDecoder(strings.NewReader(written[file])); ; {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s is not XML: %v", file, err)
			}
		}
	}
	for _, found := range regexp.MustCompile(`"uri": "([^"]*)"`).FindAllStringSubmatch(written["report.sarif"], -1) {
		if uri := found[1]; !fs.ValidPath(uri) || strings.ContainsAny(uri, ":\\") {
			t.Errorf("a place in report.sarif is %q", uri)
		}
	}
	if html := written["report.html"]; regexp.MustCompile(`(?i)<script>alert|href="(javascript|file):|<base|<iframe`).MatchString(html) {
		t.Error("report.html holds an element of the server's")
	}
}
