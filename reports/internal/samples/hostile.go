package samples

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Evil is a text that tries to act on every medium: terminal titles and colours,
// bidi overrides, zero-width and control characters, markup, workflow commands and
// expressions, files to attach, broken UTF-8, a lone surrogate, and marks that
// paint over their neighbours.
const Evil = "\x1b]0;owned\x07\x1b[2J\x9b31m \u202egnp.exe\u2066 a\u200bb\ufeff \x00\x08\x7f\u0085\u2028 ]]> <script>alert(1)</script>" +
	" &amp; \"'` | [x](javascript:alert(1))\r\n::error::owned\n ##[error]owned " +
	"##vso[task.complete] ##teamcity[buildStop]\n  FAIL  forged/line    MUST \xff\xfe\ufffe" +
	" z\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 {{7*7}} ${HOME} %0A" +
	" ${{ github.token }} [[ATTACHMENT|/etc/hostname]] \\ud800 \xed\xa0\x80 ```\n~~~~\n</details></pre> www.evil.example @everyone $x$"

// Hostile is a server that attacks the reader in every text it can write.
func Hostile() reports.Report {
	f := cursor(newest())
	f.Status, f.Level = reports.Fail, requirements.Must
	f.Title, f.Problem, f.Rule, f.Fix, f.Again = Evil, Evil, Evil, Evil, Evil
	f.Notes = []string{Evil, strings.Repeat("A", 5000)}
	f.Frames = []reports.Frame{
		{Dir: "sent", AtMs: 1, Text: Evil},
		{Dir: "received", AtMs: 2, Text: Evil},
		{Dir: "received", AtMs: 3, Text: `{"blob":"` + strings.Repeat("QUJD", 20_000) + `"}`},
		{Dir: "received", AtMs: 4, Text: strings.Repeat("\x1b[31m\n", 400), Truncated: true},
		{Dir: "received", AtMs: 5, Text: ""},
	}
	warn := f
	warn.Frames = f.Frames[:2]
	warn.Status, warn.Level, warn.Case = reports.Warn, requirements.Should, "evil/warned"
	broken := warn
	broken.Status, broken.Level, broken.Case = reports.Error, requirements.Must, "evil/broken"
	skip := skipped(warn, reports.Reason{Kind: reports.Undecided, Text: Evil, BlockedBy: Evil, Role: Evil})
	skip.Case = "evil/" + Evil
	r := judged(report(f, warn, broken, skip), Evil, Evil)
	r.Target.Name, r.Target.Version, r.Target.Given = Evil, Evil, Evil
	r.Target.Extensions = []reports.Extension{{Name: Evil, Claim: "explicit", Where: Evil, Dialect: Evil}}
	r.Suites = append(r.Suites, reports.Suite{Name: Evil, Title: Evil, Extension: Evil})
	r.Verdict.Extensions = []reports.ExtensionVerdict{{Name: Evil, Claim: "explicit", Status: reports.Partial, Why: Evil}}
	r.Verdict.Status, r.Verdict.ExitCode, r.Verdict.Text = reports.Failed, reports.ExitFailed, Evil
	return r
}

// Large is a server that means no harm but fills every text with a megabyte, more than
// any writer but JSON shows in full.
func Large() reports.Report {
	long := strings.Repeat("harbour ", 1<<20/8)
	f := cursor(newest())
	f.Status, f.Level, f.Problem = reports.Fail, requirements.Must, long
	f.Notes, f.Frames[1].Text = []string{long}, long
	warn := f
	warn.Status, warn.Level, warn.Case = reports.Warn, requirements.Should, "pagination/warned"
	skip := skipped(warn, reports.Reason{Kind: reports.Undecided, Text: long})
	skip.Case = "pagination/undecided"
	r := judged(report(f, warn, skip), "", long)
	r.Target.Name, r.Target.Version = long, long
	r.Target.Extensions = []reports.Extension{{Name: long, Claim: "explicit", Where: long}}
	r.Verdict.Extensions = []reports.ExtensionVerdict{{Name: long, Claim: "explicit", Status: reports.Partial, Why: long}}
	r.Verdict.Status, r.Verdict.ExitCode, r.Verdict.Text = reports.Failed, reports.ExitFailed, long
	return r
}

// Huge has two thousand findings, most of them broken.
func Huge() reports.Report {
	var findings []reports.Finding
	for i := range 2000 {
		f := cursor([]reports.Place{newest(), web(), older()}[i%3])
		f.Case = fmt.Sprintf("pagination/case-%04d", i)
		f.Problem = fmt.Sprintf("$.result.tools[%d] is present, want none", i)
		switch i % 4 {
		case 1:
			f.Status, f.Level = reports.Fail, requirements.Must
		case 2:
			f = skipped(f, reports.Reason{Kind: reports.NoRole, Role: fmt.Sprintf("roles.role-%d", i%7), Text: "a tool that is slow"})
		case 3:
			f.Status = reports.Pass
		}
		f.Frames[1].Text = strings.Repeat(f.Frames[1].Text, 2)
		findings = append(findings, f)
	}
	r := judged(report(findings...), "", "much failed")
	r.Verdict.Status, r.Verdict.ExitCode = reports.Failed, reports.ExitFailed
	return r
}
