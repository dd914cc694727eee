package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// selftestFlags are what selftest can be told.
type selftestFlags struct {
	faults     []string
	suites     []string
	jobs       int
	timeout    duration
	everywhere bool
	format     choice
}

func selftestCommand(w world) *cobra.Command {
	f := selftestFlags{timeout: duration(5 * time.Second)}
	f.format = choice{value: textFormat, known: []string{textFormat, "json"}}
	cmd := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "try the cases on servers that break one rule each",
		Long: `Judge the reference server with each of its faults and compare the cases that
spoke with those that had to. The exit code is 1 when a fault goes unnoticed,
when a case speaks that must not, or when no fault makes a case speak.`,
		Example:               "mcp-conform selftest --suite ping",
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), w) },
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringSliceVar(&f.faults, "fault", nil, "try only these faults, `NAMES` or patterns with * and ?; repeatable")
	s.StringSliceVar(&f.suites, "suite", nil, "judge only these suites, `NAMES` joined by commas; repeatable")
	s.IntVar(&f.jobs, "jobs", 8, "judge this `number` of cases at once")
	s.Var(&f.timeout, "timeout", "wait this long for an answer")
	s.BoolVar(&f.everywhere, "everywhere", false, "try each fault in every column in which its rule holds")
	s.Var(&f.format, "format", "write text or JSON")
	complete(cmd, "fault", faultNames)
	complete(cmd, "suite", func() []string { return suiteNames(suites.All()) })
	return cmd
}

func (f *selftestFlags) run(ctx context.Context, w world) error {
	if f.jobs < 1 {
		return &misuse{problem: "--jobs must be at least 1"}
	}
	for _, written := range f.faults {
		if !slices.ContainsFunc(faultNames(), glob(written).MatchString) {
			return &misuse{"--fault " + quoted(written) + " is no fault", perhaps(written, faultNames(), `"mcp-conform list faults" lists them`)}
		}
	}
	pick, err := (&selectionFlags{suites: f.suites}).pick(suites.All(), nil, config.Revisions{})
	if err != nil {
		return err
	}
	subjects, err := f.subjects(pick)
	if err != nil {
		return err
	}
	cfg, err := referenceConfig(w.env)
	if err != nil {
		return err
	}
	ctx, interrupted, stop := interruptible(ctx, w)
	defer stop()
	var tried, bad atomic.Int64
	p := startProgress(w, func() string {
		return fmt.Sprintf("%d of %d faults tried, %d not as they should be", tried.Load(), len(subjects), bad.Load())
	})
	table, err := selftest.Run(ctx, subjects, selftest.Options{
		Suites: suites.All(), Selected: pick, Config: cfg, Everywhere: f.everywhere,
		Jobs: f.jobs, Seed: 1, Timeout: time.Duration(f.timeout),
		Progress: func(r selftest.Row) {
			tried.Add(1)
			if !r.Holds() {
				bad.Add(1)
			}
		},
	})
	p.stop()
	if err != nil && !interrupted() {
		return err
	}
	if len(f.faults) > 0 {
		table.Unkilled = nil // by the faults that were left out, perhaps
	}
	if interrupted() {
		w.say("interrupted; what follows is what was tried of %d faults", len(subjects))
	}
	if err := f.write(w.out, table); err != nil {
		return err
	}
	switch {
	case interrupted():
		return exit(reports.ExitInterrupted)
	case !table.Holds():
		return exit(reports.ExitFailed)
	}
	return nil
}

// subjects are the faults that were asked for.
func (f *selftestFlags) subjects(pick selection) ([]selftest.Subject, error) {
	all := suites.All()
	var subjects []selftest.Subject
	for _, one := range faults.All() {
		if len(f.faults) > 0 && !slices.ContainsFunc(f.faults, func(p string) bool { return glob(p).MatchString(one.Name) }) {
			continue
		}
		if pick != nil && !killsAny(one, all, pick) {
			continue
		}
		s, err := subject(one)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	if len(subjects) == 0 {
		return nil, &misuse{"no fault is selected", `"mcp-conform list faults" lists them`}
	}
	return subjects, nil
}

func killsAny(f fault.Fault, all []suite.Suite, pick selection) bool {
	for _, s := range all {
		for _, c := range s.Cases {
			if pick(s, c) && slices.Contains(f.Kills, c.ID) {
				return true
			}
		}
	}
	return false
}

// subject is the reference server with a fault: over HTTP one server for all,
// over stdio a new one for each connection, as a process would be.
func subject(f fault.Fault) (selftest.Subject, error) {
	subject := selftest.Subject{Name: f.Name, Breaks: f.Breaks, Kills: mustSpeak(f), Also: f.Also}
	for _, col := range f.In {
		subject.In = append(subject.In, selftest.Column{Revision: col.Revision, Transport: col.Transport})
	}
	s, err := server.New(server.Options{Fault: &f})
	if err != nil {
		return subject, fmt.Errorf("make the reference server: %w", err)
	}
	subject.Local = &suites.Local{
		Handler: s.Handler(), Path: endpoint,
		Serve: func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int {
			own, err := server.New(server.Options{Fault: &f})
			if err != nil {
				_, _ = fmt.Fprintln(errw, err)
				return reports.ExitUnjudged
			}
			return own.ServeStdio(ctx, term, in, out, errw)
		},
	}
	return subject, nil
}

// mustSpeak names the cases that have to notice the fault.
func mustSpeak(f fault.Fault) []string {
	const watcher = "schema/messages-valid"
	if !f.OffSchema || slices.Contains(f.Kills, watcher) {
		return f.Kills
	}
	return append(slices.Clone(f.Kills), watcher)
}

func (f *selftestFlags) write(out io.Writer, t selftest.Table) error {
	if f.format.value == "json" {
		return writeJSON(out, asJSON(t))
	}
	var rows strings.Builder
	held := 0
	for _, r := range t.Rows {
		word := "ok"
		if r.Holds() {
			held++
		} else {
			word = "NOT OK"
		}
		fmt.Fprintf(&rows, "%s\t%s\t%s over %s\t%s\n", word, r.Subject, r.Column.Revision, r.Column.Transport, strings.Join(r.Spoke, ", "))
		for _, line := range blame(r) {
			fmt.Fprintf(&rows, "\t  %s\n", line)
		}
	}
	for _, id := range t.Unkilled {
		fmt.Fprintf(&rows, "NOT OK\tno fault makes %s speak\n", id)
	}
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(tab, rows.String()); err != nil {
		return err
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d of %d trials of faults were noticed as they should be, %d cases have no fault\n", held, len(t.Rows), len(t.Unkilled))
	return err
}

// blame says what is wrong with a row.
func blame(r selftest.Row) []string {
	var lines []string
	for _, id := range r.Silent {
		lines = append(lines, "silent: "+id)
	}
	for _, id := range r.Astray {
		lines = append(lines, "must not speak: "+id)
	}
	if r.Trouble != "" {
		lines = append(lines, strings.Split(strings.TrimSpace(r.Trouble), "\n")...)
	}
	return lines
}

type tableEntry struct {
	Holds    bool       `json:"holds"`
	Rows     []rowEntry `json:"rows"`
	Unkilled []string   `json:"unkilled"`
}

type rowEntry struct {
	Fault     string                 `json:"fault"`
	Breaks    requirements.ID        `json:"breaks"`
	Revision  requirements.Revision  `json:"revision"`
	Transport requirements.Transport `json:"transport"`
	Holds     bool                   `json:"holds"`
	Spoke     []string               `json:"spoke"`
	Silent    []string               `json:"silent"`
	Astray    []string               `json:"astray"`
	Trouble   string                 `json:"trouble,omitempty"`
}

func asJSON(t selftest.Table) tableEntry {
	e := tableEntry{Holds: t.Holds(), Rows: []rowEntry{}, Unkilled: orNone(t.Unkilled)}
	for _, r := range t.Rows {
		e.Rows = append(e.Rows, rowEntry{
			r.Subject, r.Breaks, r.Column.Revision, r.Column.Transport, r.Holds(), orNone(r.Spoke), orNone(r.Silent), orNone(r.Astray), r.Trouble,
		})
	}
	return e
}
