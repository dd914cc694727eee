package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/compare"
)

// watchFlags let a run begin again whenever files change.
type watchFlags struct {
	on    bool
	paths []string
}

func (f *watchFlags) section() section {
	s := flags()
	s.BoolVar(&f.on, "watch", false, "judge again when files of the working directory change: first what complained, then all; "+
		"hidden files, installed packages, and what the run writes do not count")
	s.StringArrayVar(&f.paths, "watch-path", nil, "look at this `FILE` or folder instead of the working directory, also during a run, "+
		"but not at what each run changes; repeatable")
	fill(s, "watch-path")
	return section{"Watching", s}
}

const waiting = "waiting for changes; interrupt to end"

// watched judges until somebody interrupts it. A mistake in the configuration ends it at the
// beginning only: later somebody is about to mend it.
func (f *runFlags) watched(ctx context.Context, w world, set *pflag.FlagSet) error {
	var outputs []string // files that take up what this command writes
	look := func() stamps {
		return f.watch.stamps(append([]string{f.output.dir, f.record, f.failures}, outputs...)...)
	}
	for _, path := range f.watch.paths {
		if !exists(path) {
			w.say("there is no %s yet; it is watched as soon as it is there", path)
		}
	}
	begun, runs := look(), ownFiles{}
	last, err := f.once(ctx, w, set)
	if last.Verdict.Status == "" {
		return err
	}
	for {
		ended := look()
		seen := ended
		if len(f.watch.paths) > 0 { // a server may write into the working directory while it is judged
			var own []string
			seen, own = runs.without(begun, ended)
			for _, name := range own {
				w.say("%s changed during %d runs without a pause, as if the run writes it; from now on it counts only between two runs",
					name, runsOfOwn)
			}
		}
		if interrupted(err) {
			return err
		}
		w.say(waiting)
		for again := true; again; {
			if begun = changed(ctx, look, seen); begun == nil {
				return err
			}
			taken := takers(seen, begun)
			for _, name := range taken { // otherwise each run would begin another
				delete(seen, name)
				delete(ended, name)
				delete(begun, name)
			}
			outputs = append(outputs, taken...)
			again = maps.Equal(seen, begun)
		}
		runs.begin(ended, begun)
		if first := complaints(last); len(first) > 0 {
			some := *f
			some.selection.cases, some.selection.suites = first, nil
			some.output.dir, some.record = againFolder(f.output.dir), "" // a recording holds a whole run
			w.say("something changed; first %s that complained", plural(len(first), "case"))
			report, failed := some.once(ctx, w, set)
			if interrupted(failed) {
				return failed
			}
			if report.Verdict.Status == "" || len(complaints(report)) == len(first) {
				err = w.shown(failed)
				continue // nothing is better: the rest can wait
			}
		}
		var now reports.Report
		if now, err = f.once(ctx, w, set); now.Verdict.Status == "" {
			err = w.shown(err)
			continue
		}
		if err := compare.Text(w.out, compare.Reports(last, now), width(w.out)); err != nil {
			return err
		}
		last = now
	}
}

// shown writes a mistake that does not end the program.
func (w world) shown(err error) error {
	if code := exit(0); err != nil && !errors.As(err, &code) {
		w.say("%s", err)
	}
	return err
}

func interrupted(err error) bool {
	code := exit(0)
	return errors.As(err, &code) && code == reports.ExitInterrupted
}

// complaints are the cases that failed, warned or could not be judged.
func complaints(r reports.Report) []string {
	var ids []string
	for _, f := range r.Findings {
		if f.Status == reports.Fail || f.Status == reports.Warn || f.Status == reports.Error {
			ids = append(ids, f.Case)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
