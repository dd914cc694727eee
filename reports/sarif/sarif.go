// Package sarif writes a report as SARIF 2.1.0, within the limits of GitHub code
// scanning. A rule is a requirement, a result is the finding of one case, and its place
// is the line that names the server: there is no other source to point to.
package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"regexp"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/internal/layout"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Options name the file with the server.
type Options struct {
	File string // from the root of the repository, with slashes
	Line int
}

// The limits of code scanning.
const (
	mostResults = 5000 // code scanning takes more and never shows them
	mostTags    = 10

	mostNotifications = 100

	textWidth = 1000
	wordWidth = 200
	schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage  = "https://github.com/mcp-conform/mcp-conform"
)

// Write writes one run. Failures are errors, warnings are warnings. A case that could
// not be judged blames nobody, so it stands beside the results.
func Write(w io.Writer, r reports.Report, opts Options) error {
	b := builder{report: r, lead: r.Leads(), opts: opts, rules: map[requirements.ID]int{}, seen: map[string]int{}}
	b.run = run{
		Tool: tool{driver{
			Name: cmp.Or(text(r.Kit.Name, wordWidth), "mcp-conform"), Version: text(r.Kit.Version, wordWidth),
			InformationURI: homepage, Rules: []rule{},
		}},
		Automation: automation{"mcp-conform/" + name(r.Target.Name) + "/"},
		ColumnKind: "unicodeCodePoints",
		Results:    []result{},
	}
	left := 0
	for _, status := range []reports.Status{reports.Fail, reports.Warn} {
		for _, block := range r.Blocks(status) {
			for _, g := range append([]reports.Group{block.Group}, block.Also...) {
				if len(b.run.Results) == mostResults {
					left++
					continue
				}
				b.add(g, block.Finding)
			}
		}
	}
	b.run.Invocations = []invocation{b.invocation(left)}
	return jsonfile.Encode(w, log{Schema: schemaURI, Version: "2.1.0", Runs: []run{b.run}})
}

// A builder fills one run.
type builder struct {
	report reports.Report
	opts   Options
	run    run
	lead   func(reports.Finding) requirements.ID
	rules  map[requirements.ID]int
	seen   map[string]int // number of results of a case
}

// add writes the results of a case; the first finding of its block gives the rule.
func (b *builder) add(g reports.Group, first reports.Finding) {
	f := g.Finding
	level := "warning"
	if f.Status == reports.Fail {
		level = "error"
	}
	id := b.lead(first)
	at := b.rule(id, first, level)
	b.seen[f.Case]++
	b.run.Results = append(b.run.Results, result{
		RuleID: b.run.Tool.Driver.Rules[at].ID, RuleIndex: at, Level: level,
		Message:      message{say(g)},
		Locations:    []location{b.place()},
		Fingerprints: fingerprints{fingerprint(f.Case, b.seen[f.Case])},
	})
}

// say begins with a sentence that can stand alone: the title of the alert.
func say(g reports.Group) string {
	f := g.Finding
	parts := []string{
		strings.TrimRight(text(f.Case+": "+cmp.Or(f.Problem, "no problem was stated"), textWidth), ".") + ".",
		"Expected: " + text(f.Title, textWidth) + ".",
		"Found at " + layout.Places(g.Places) + ".",
	}
	if f.Fix != "" {
		parts = append(parts, "Fix: "+text(f.Fix, textWidth)+".")
	}
	if len(f.Notes) > 0 { // a note may say why a broken MUST is a warning
		parts = append(parts, "Note: "+text(f.Notes[0], textWidth)+".")
	}
	if f.Again != "" {
		parts = append(parts, "Again: "+text(f.Again, textWidth))
	}
	return strings.Join(parts, "\n")
}

// rule is the index of a requirement among the rules.
func (b *builder) rule(id requirements.ID, f reports.Finding, level string) int {
	if at, known := b.rules[id]; known {
		return at
	}
	words := cmp.Or(text(f.Rule, textWidth), text(f.Title, textWidth), text(string(id), textWidth))
	help := words
	if f.Fix != "" {
		help += "\n\nFix: " + text(f.Fix, textWidth)
	}
	if f.Link != "" {
		help += "\n\n" + text(f.Link, textWidth)
	}
	if f.Origin != "" {
		help += "\n\nFrom " + text(f.Origin, textWidth)
	}
	one := rule{
		ID: text(string(id), wordWidth), Short: message{words}, Full: message{words}, Help: message{help},
		HelpURI: link(f.Link), Configuration: configuration{level}, Properties: ruleProperties{b.tags(id, f)},
	}
	at := len(b.run.Tool.Driver.Rules)
	b.run.Tool.Driver.Rules = append(b.run.Tool.Driver.Rules, one)
	b.rules[id] = at
	return at
}

func (b *builder) tags(id requirements.ID, f reports.Finding) []string {
	tags := []string{"mcp", "conformance", strings.ToLower(string(f.Level)), f.Suite}
	for _, r := range b.report.Rules {
		if r.ID == id {
			tags = append(tags, r.Area, r.Extension)
			break
		}
	}
	var kept []string
	known := map[string]bool{"": true}
	for _, tag := range tags {
		if tag = text(tag, wordWidth); !known[tag] && len(kept) < mostTags {
			known[tag] = true
			kept = append(kept, tag)
		}
	}
	return kept
}

// nowhere stands for the file where no file of the repository names the server. The
// format lets a result have no location, but code scanning refuses such a file as a
// whole. It accepts a name that leads to no file, and shows it, so the name explains
// itself.
const nowhere = "no-file-names-the-server"

func (b *builder) place() location {
	line := max(b.opts.Line, 1)
	return location{physical{
		artifact{relative(b.opts.File)},
		region{StartLine: line, StartColumn: 1, EndLine: line, EndColumn: 2},
	}}
}

// relative is the URI of a file below the root of the repository. A report may name
// anything as the file, such as an address with a scheme or a path that leads out.
func relative(file string) string {
	if !fs.ValidPath(file) || file == "." {
		file = nowhere
	}
	return strings.ReplaceAll((&url.URL{Path: file}).EscapedPath(), ":", "%3A")
}

// invocation reports the cases that could not be judged, and the number of omitted
// results.
func (b *builder) invocation(left int) invocation {
	v := b.report.Verdict
	var all []notification
	say := func(level, s string) { all = append(all, notification{level, message{s}}) }
	if v.Text != "" {
		for line := range strings.SplitSeq(v.Text, "\n") {
			say("note", text(line, textWidth))
		}
	}
	for _, line := range b.verdicts() {
		say("note", line)
	}
	for _, block := range b.report.Blocks(reports.Error) {
		f := block.Finding
		say("error", text("could not be judged: "+f.Case+", "+layout.Places(block.Places)+": "+f.Problem, textWidth))
	}
	if n := len(b.report.Untested()); n > 0 {
		say("note", layout.Plural(n, "case")+" of a MUST not judged, the first is "+text(b.report.Untested()[0], wordWidth))
	}
	const elsewhere = " left out; report.json has all of them"
	if left > 0 {
		say("note", layout.Plural(left, "more result")+" than code scanning shows"+elsewhere)
	}
	if rest := len(all) - mostNotifications; rest > 0 {
		all = all[:mostNotifications]
		say("note", layout.Plural(rest, "more notification")+elsewhere)
	}
	return invocation{v.Status != reports.Unjudged && v.Status != reports.Stopped, all}
}

// verdicts lists the grade of each column and the verdict on each extension.
func (b *builder) verdicts() []string {
	var lines []string
	for _, c := range b.report.Verdict.Columns {
		line := "grade at " + text(c.Place().String(), wordWidth) + ": " + text(cmp.Or(c.Grade, "none"), wordWidth)
		if c.WhyNotNext != "" {
			line += "; not higher: " + text(c.WhyNotNext, textWidth)
		}
		lines = append(lines, line)
	}
	for _, e := range b.report.ExtensionVerdicts() {
		lines = append(lines, "extension "+text(e.Name, wordWidth)+", "+text(e.String(), textWidth))
	}
	return lines
}

// fingerprint identifies the alert of a case in this run and the next. Code scanning
// reads the number behind it as a counter of equal alerts.
func fingerprint(caseID string, n int) string {
	sum := sha256.Sum256([]byte(caseID))
	return fmt.Sprintf("%s:%d", hex.EncodeToString(sum[:8]), n)
}

// text puts a text on one line, without links or placeholders for arguments.
func text(s string, width int) string {
	s = layout.Harmless(layout.Clip(s, width))
	s = strings.ReplaceAll(s, "](", "] (")
	return placeholder().ReplaceAllString(s, "{{$1}}")
}

func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{([0-9]+)\}`) }

// link returns an address that can be followed, or an empty string.
func link(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.String()
}

// name makes the name of a server usable in a path.
func name(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, s[:min(len(s), wordWidth)])
	return cmp.Or(strings.Trim(clean, "-."), "server")
}
