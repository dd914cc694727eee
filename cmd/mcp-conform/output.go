package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-conform/mcp-conform/badge"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/html"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/reports/junit"
	"github.com/mcp-conform/mcp-conform/reports/markdown"
	"github.com/mcp-conform/mcp-conform/reports/proposal"
	"github.com/mcp-conform/mcp-conform/reports/sarif"
	"github.com/mcp-conform/mcp-conform/reports/stderrfile"
	"github.com/mcp-conform/mcp-conform/reports/text"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
)

// outputFlags name the formats and the destination of the result.
type outputFlags struct {
	dir     string
	formats choices
	color   choice
	verbose bool
	quiet   bool

	warnings choice // how junit.xml shows a warning
}

const (
	textFormat     = "text"          // written to standard output
	githubFormat   = "github"        // written to standard output too
	summaryFormat  = "summary"       // written to the summary of a job, where there is one
	proposalFormat = "proposal-json" // written on request only
	always         = ""              // written whatever formats are wanted, unless it is empty
)

// stderrFile holds what servers wrote to stderr before they ended.
const stderrFile = "stderr.txt"

func (f *outputFlags) section() section {
	f.formats.known = []string{textFormat}
	for _, o := range outputs() {
		if o.format != always && !slices.Contains(f.formats.known, o.format) {
			f.formats.known = append(f.formats.known, o.format)
		}
	}
	f.formats.values = slices.DeleteFunc(slices.Clone(f.formats.known), func(s string) bool { return s == proposalFormat })
	f.formats.known = append(f.formats.known, githubFormat)
	f.warnings = choice{known: junitWarnings()}
	f.color = choice{value: colorAuto, known: []string{colorAuto, colorAlways, colorNever}}
	s := flags()
	s.StringVar(&f.dir, "out", "mcp-conform-report", "write files to this `folder`, report.json always")
	s.Var(&f.formats, "format", "write these: text and github go to standard output, the others to files; GitHub Actions gets text and github")
	s.Var(&f.color, "color", "color the text; auto looks at the terminal, NO_COLOR and FORCE_COLOR")
	s.Var(&f.warnings, "junit-warnings", "what a broken SHOULD is in junit.xml (default pass; with --strict failure)")
	s.BoolVar(&f.verbose, "verbose", false, "show evidence in full, and every case that passed or was skipped")
	s.BoolVar(&f.quiet, "quiet", false, "show the verdict only, and no progress")
	return section{"Output", s}
}

// checkVolume refuses --quiet together with --verbose.
func (f *outputFlags) checkVolume() error {
	if f.quiet && f.verbose {
		return &misuse{"--quiet and --verbose exclude each other", "leave one of them out"}
	}
	return nil
}

// An output is one file of the report folder. Scripts rely on the names. Near its begin or
// end the file holds a mark, by which the kit knows later that it has written the file.
type output struct {
	format, file string
	mark         string // a regular expression
	write        func(w io.Writer, r reports.Report, o outcome) error
}

// An outcome holds facts about a run that the writers need beside its report.
type outcome struct {
	strict   bool
	at       place // the line that names the server
	warnings junit.Warnings
}

func junitWarnings() []string {
	var all []string
	for _, w := range junit.AllWarnings() {
		all = append(all, string(w))
	}
	return all
}

// asTests says how junit.xml shows a warning in a run that may be strict.
func (f *outputFlags) asTests(strict bool) junit.Warnings {
	switch {
	case f.warnings.value != "":
		return junit.Warnings(f.warnings.value)
	case strict:
		return junit.WarningsFailure
	}
	return junit.WarningsPass
}

func outputs() []output {
	return []output{
		{
			"json", "report.json", regexp.QuoteMeta(`"$schema": "` + reports.SchemaURL + `"`),
			func(w io.Writer, r reports.Report, _ outcome) error { return jsonfile.Write(w, r) },
		},
		{"junit", "junit.xml", `<testsuites name="mcp-conform"`, func(w io.Writer, r reports.Report, o outcome) error {
			return junit.Write(w, r, junit.Options{Warnings: o.warnings, File: o.at.file, Line: o.at.line})
		}},
		{
			"html", "report.html", `<meta name="generator" content="mcp-conform`,
			func(w io.Writer, r reports.Report, _ outcome) error { return html.Write(w, r) },
		},
		{summaryFormat, "summary.md", `<sub>mcp-conform .*</sub>\n\z`, func(w io.Writer, r reports.Report, _ outcome) error {
			return markdown.Write(w, r, markdown.Options{})
		}},
		{"sarif", "report.sarif", `"driver": \{\s*"name": "mcp-conform"`, func(w io.Writer, r reports.Report, o outcome) error {
			return sarif.Write(w, r, sarif.Options{File: o.at.file, Line: o.at.line})
		}},
		{proposalFormat, "proposal-report.json", regexp.QuoteMeta(`"$schema": "` + schemas.ProposalURL + `"`),
			func(w io.Writer, r reports.Report, _ outcome) error { return proposal.Write(w, r) }},
		{
			"badge", "badge.svg", `aria-label="` + badge.Label + `: `,
			func(w io.Writer, r reports.Report, _ outcome) error { return badge.SVG(w, r.Verdict) },
		},
		{
			"badge", "badge.json", `"label": "` + badge.Label + `"`,
			func(w io.Writer, r reports.Report, _ outcome) error { return badge.Endpoint(w, r.Verdict) },
		},
		{always, stderrFile, `\A== .*, \d{4}-\d{2}-\d{2} over .*\n|\A` + regexp.QuoteMeta("== "+stderrfile.Unjudged+"\n"),
			func(w io.Writer, r reports.Report, _ outcome) error { return stderrfile.Write(w, r) }},
	}
}

func (f *outputFlags) wanted() []output {
	var wanted []output
	for _, o := range outputs() {
		if o.format == "json" || o.format == always || f.formats.has(o.format) {
			wanted = append(wanted, o)
		}
	}
	return wanted
}

// deliver writes the report: files first, since the reader of the text may go away.
func (f *outputFlags) deliver(w world, into *folder, r reports.Report, strict bool, at place) error {
	f.noteStderr(&r)
	o := outcome{strict, at, f.asTests(strict)}
	code := r.Verdict.ExitCode
	files, err := f.render(r, o)
	if err == nil {
		err = into.put(files)
	}
	if err != nil {
		w.say("%s; the files in %s are those of an earlier run, or none", err, f.dir)
		code = codeOfLost(code)
	}
	if f.formats.has(textFormat) {
		err := text.Write(w.out, r, text.Options{Color: colored(f.color.value, w), Width: width(w.out), Verbose: f.verbose, Quiet: f.quiet})
		if err != nil && !errors.Is(err, syscall.EPIPE) {
			w.say("write the result: %s", err)
			code = codeOfLost(code)
		}
	} else if r.Verdict.Status == reports.Unjudged {
		w.say("the server could not be judged: %s", r.Verdict.Text)
	}
	f.toGitHub(w, r, o)
	if err == nil {
		w.say("wrote %s in %s", names(files), f.dir)
	}
	if code != reports.ExitPassed {
		return exit(code)
	}
	return nil
}

// codeOfLost is the exit code of a run whose result could not be written everywhere.
func codeOfLost(code int) int {
	if code == reports.ExitPassed {
		return reports.ExitUnjudged
	}
	return code
}

// noteStderr adds a note to findings that names the file with the whole stderr of their
// process.
func (f *outputFlags) noteStderr(r *reports.Report) {
	file := filepath.Join(f.dir, stderrFile)
	r.Findings = slices.Clone(r.Findings)
	for i, found := range r.Findings {
		if strings.TrimSpace(found.Stderr) != "" {
			r.Findings[i].Notes = append(slices.Clone(found.Notes), "what the process wrote to stderr is in "+file)
		}
	}
	if strings.TrimSpace(r.Stderr) != "" {
		r.Verdict.Remark("all that it wrote to stderr is in " + file)
	}
}

// render makes the wanted files, by name and at the same time, and leaves out empty ones.
func (f *outputFlags) render(r reports.Report, about outcome) (map[string][]byte, error) {
	wanted := f.wanted()
	made := make([]bytes.Buffer, len(wanted))
	var making errgroup.Group
	for i, o := range wanted {
		making.Go(func() error {
			if err := o.write(&made[i], r, about); err != nil {
				return fmt.Errorf("make %s: %w", o.file, err)
			}
			return nil
		})
	}
	if err := making.Wait(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for i, o := range wanted {
		if made[i].Len() > 0 {
			files[o.file] = made[i].Bytes()
		}
	}
	return files, nil
}
