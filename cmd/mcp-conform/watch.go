package main

import (
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

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
	s.BoolVar(&f.on, "watch", false, "judge again when files change: first what complained, then all")
	s.StringArrayVar(&f.paths, "watch-path", nil, "look at this `FILE` or folder instead of the working directory, also during a run; repeatable")
	return section{"Watching", s}
}

// watched judges until somebody interrupts it. A mistake in the configuration ends it at the
// beginning only: later somebody is about to mend it.
func (f *runFlags) watched(ctx context.Context, w world, set *pflag.FlagSet) error {
	begun := f.watch.stamp(f.output.dir)
	last, err := f.once(ctx, w, set)
	if last.Verdict.Status == "" {
		return err
	}
	for {
		seen := begun
		if len(f.watch.paths) == 0 { // a server may write into the working directory while it is judged
			seen = f.watch.stamp(f.output.dir)
		}
		if interrupted(err) {
			return err
		}
		w.say("waiting for changes; interrupt to end")
		if !f.watch.changed(ctx, f.output.dir, seen) {
			return err
		}
		begun = f.watch.stamp(f.output.dir)
		if first := complaints(last); len(first) > 0 {
			some := *f
			some.selection.cases, some.selection.suites = first, nil
			some.output.dir = againFolder(f.output.dir)
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

// changed waits for a change, and for a second without one behind it: builds write several
// files. It reports false when somebody interrupts.
func (f *watchFlags) changed(ctx context.Context, out string, seen uint64) bool {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	const look = 500 * time.Millisecond
	for now := seen; ; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(look):
		}
		before := now
		if now = f.stamp(out); now != seen && now == before {
			return true
		}
	}
}

// stamp is another number when a file changed. It leaves out what is hidden, what was
// installed, and the reports.
func (f *watchFlags) stamp(out string) uint64 {
	paths := f.paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	left, _ := filepath.Abs(out)
	sum := fnv.New64a()
	for _, root := range paths {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // a file that is gone by now
			}
			absolute, _ := filepath.Abs(path)
			name := entry.Name()
			skipped := path != root && strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "__pycache__"}, name) || absolute == left
			switch {
			case skipped && entry.IsDir():
				return filepath.SkipDir
			case skipped || entry.IsDir():
				return nil
			}
			if info, err := entry.Info(); err == nil {
				_, _ = sum.Write([]byte(path + "\x00" + strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10) + "\x00"))
			}
			return nil
		})
	}
	return sum.Sum64()
}
