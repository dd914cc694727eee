package main

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// runFlags are the flags of run.
type runFlags struct {
	config    string
	baseline  string
	failures  string // file for known failures
	child     bool   // a fleet judges this server
	target    targetFlags
	selection selectionFlags
	judging   judgingFlags
	output    outputFlags
	watch     watchFlags
	record    string  // file for the conversation
	replay    *replay // takes the place of the server
}

// judgingFlags set how the server is judged.
type judgingFlags struct {
	jobs, depth                  int
	timeout, startTimeout, limit duration
	seed                         uint64
	sideEffects                  bool
	strict                       bool
	failOnPartial                bool
	strictBaseline               bool
}

func runCommand(w world) *cobra.Command { return new(runFlags).command(w) }

// command is the command run with these flags.
func (f *runFlags) command(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [flags] [-- command args...]",
		Short: "judge a server",
		Long: `Judge the server that a command starts, that listens at a URL, or that
mcp-conform.yaml describes. Without any of these the bundled reference server is
judged, over stdio and Streamable HTTP. A URL may also be that of the older
HTTP+SSE, which is found by itself.

A configuration runs code: treat it as a Makefile, and use --config none in
folders that you do not trust. A server runs with your rights.

The result goes to standard output, the files to the folder of --out. The exit
code is 0 when nothing failed, 1 when the server failed, 2 for a mistake in
flags or configuration, 3 when something could not be judged, 130 when the run
was interrupted.`,
		Example: "mcp-conform run -- node dist/index.js\n" +
			"mcp-conform run --url http://127.0.0.1:8080/mcp -- ./server --port 8080\n" +
			"mcp-conform run --revision all --case 'tools/*' -- ./server",
		DisableFlagsInUseLine: true,
		Args:                  onlyBehindDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.target.command = args
			switch {
			case f.watch.on && f.target.all:
				return &misuse{"--watch is for one server, and --all names several", ""}
			case len(f.watch.paths) > 0 && !f.watch.on:
				return &misuse{"--watch-path is for --watch, and without it nothing is watched", ""}
			case f.target.all && f.target.from != "":
				return fleetOf(*f).judge(cmd.Context(), w, f.target.from, cmd.Flags())
			case f.watch.on:
				return f.watched(cmd.Context(), w, cmd.Flags())
			}
			_, err := f.once(cmd.Context(), w, cmd.Flags())
			return err
		},
	}
	settings := flags()
	settings.Var(&single{value: &f.config, file: true}, "config",
		"read this `FILE`; none reads no file (default ./mcp-conform.yaml if it exists)")
	settings.Var(&single{value: &f.baseline, file: true}, "baseline", "also read known failures from this `FILE`")
	settings.Var(&single{value: &f.failures, file: true}, "write-baseline",
		"write the failures of this run to `FILE`, for --baseline; known reasons stay")
	settings.Var(&single{value: &f.record, file: true}, "record",
		"write the whole conversation to `FILE`, for replay; other values stand for secrets")
	settings.BoolVar(&f.child, childFlag, false, "end at once when standard input ends")
	_ = settings.MarkHidden(childFlag) // it is defined above
	target := f.target.section()
	target.flags.BoolVar(&f.target.all, "all", false, "judge every server of the file of --from, as fleet does")
	sectioned(w, cmd, section{"Configuration (flags override it)", settings},
		target, f.selection.section(), f.judging.section(), f.output.section(), f.watch.section())
	completeRun(cmd)
	return cmd
}

func (f *judgingFlags) section() section {
	s := flags()
	s.IntVar(&f.jobs, "jobs", 8, "judge this `number` of cases at once")
	f.timeout = duration(10 * time.Second)
	s.Var(&f.timeout, "timeout", "wait this long for an answer")
	s.Var(&f.startTimeout, "start-timeout",
		"wait this long for the first answer of the server, at least --timeout (default 6 times --timeout)")
	s.Var(&f.limit, "limit", "end the whole run after this time (default never)")
	s.IntVar(&f.depth, "depth", 4, "call each read-only tool with this `number` of varied arguments")
	s.Uint64Var(&f.seed, "seed", 0, "`number` that all random choices follow from (default a new one)")
	s.BoolVar(&f.sideEffects, "allow-side-effects", false, "call any tool, even one that may change something; for throw-away servers")
	s.BoolVar(&f.strict, "strict", false, "a broken SHOULD fails the run")
	s.BoolVar(&f.failOnPartial, "fail-on-partial", false, "a MUST that applies and was not judged fails the run")
	s.BoolVar(&f.strictBaseline, "strict-baseline", false, "an entry of the baseline that is out of date fails the run")
	return section{"Judging", s}
}

// once judges the server once. The report is empty where nothing could begin.
func (f *runFlags) once(ctx context.Context, w world, set *pflag.FlagSet) (reports.Report, error) {
	job, err := f.prepare(w, set)
	if err != nil {
		return reports.Report{}, err
	}
	into, err := f.openFolder()
	if err != nil {
		return reports.Report{}, err
	}
	defer func() { _ = into.close() }() // the next run finds files that stayed
	if err := cmp.Or(writable("--record", f.record), writable("--write-baseline", f.failures)); err != nil {
		return reports.Report{}, err
	}
	for _, line := range job.lines {
		if !f.output.quiet {
			w.say("%s", line)
		}
	}
	processes := suites.NewProcesses()
	defer processes.Close()
	job.plan.Processes = processes
	last := func() {
		processes.Kill()
		into.abandon()
	}
	ctx, interrupted, stop := interruptible(ctx, w, last)
	defer stop()
	if f.child {
		go endWithInput(w, last)
	}
	p := job.watch(w, f.output)
	p.start()
	report, err := suites.JudgeWithGinkgo(ctx, job.plan)
	p.stop()
	if mistake := (*config.Error)(nil); errors.As(err, &mistake) {
		return reports.Report{}, mistake
	}
	if err != nil {
		return reports.Report{}, &misuse{problem: err.Error()}
	}
	for _, line := range absent(report) {
		report.Verdict.Remark(line)
	}
	if job.policy.Whole { // otherwise another shard may have the cases that use a role
		for _, line := range idle(job.plan.Config, job.plan.Suites, job.plan.Selected, report) {
			report.Verdict.Remark(line)
		}
	}
	at := placeOf(job.plan.Config, w.env)
	report.Run.Config, report.Run.ConfigLine = at.file, at.line
	job.policy.Interrupted, job.policy.Baseline.Now = interrupted(), w.now()
	report = reports.Settle(report, job.policy)
	if left := leftBy(processes, interrupted()); left != "" {
		report.Verdict.Remark(left)
	}
	unwritten := f.noteFailures(w, &report, job)
	f.noteConversation(w, &report, job, set)
	f.replay.remark(&report)
	if err := f.output.deliver(w, into, report, f.judging.strict, at); err != nil {
		return report, err
	}
	return report, unwritten // what was found is shown all the same
}

// leftBy says what the servers left running. After an interrupt nobody wants it any more,
// nor a server that the run had to leave.
func leftBy(processes *suites.Processes, interrupted bool) string {
	left := processes.Left()
	if !interrupted {
		return left
	}
	processes.Kill()
	if left != "" {
		left += "; this run ended them"
	}
	return left
}

// watch counts every finding, and shows unexpected ones at once.
func (j *job) watch(w world, o outputFlags) *progress {
	var t tally
	p := newProgress(w, t.String)
	p.color = p.live && colored(o.color.value, w)
	p.quiet = o.quiet
	j.plan.Planned = func(cases int) { p.planned(cases, t.plan(cases)) }
	j.plan.Waiting = t.wait
	j.plan.Progress = func(f reports.Finding) {
		t.take(f)
		if !j.policy.Baseline.Expects(f) {
			p.tell(f)
		}
	}
	return p
}

// againFolder is where a finding that is judged again writes its files: they do not
// replace the report of the whole run.
func againFolder(dir string) string {
	if path.Base(filepath.ToSlash(dir)) == "again" {
		return dir
	}
	return path.Join(filepath.ToSlash(dir), "again")
}

// rerun is the end of a command line that judges the same target in the same way; the
// case, and the column if there are several, come before it.
func (f *runFlags) rerun(set *pflag.FlagSet, hide func(string) string) string {
	var words []string
	for _, name := range []string{"config", "transport", "timeout", "start-timeout", "seed", "depth"} {
		if flag := set.Lookup(name); flag.Changed {
			words = append(words, "--"+name, flag.Value.String())
		}
	}
	if dates := f.selection.revisions; len(dates) == 1 && dates[0] != "all" && !strings.Contains(dates[0], ",") {
		words = append(words, "--revision", dates[0])
	}
	if f.judging.sideEffects {
		words = append(words, "--allow-side-effects")
	}
	if f.judging.strict {
		words = append(words, "--strict")
	}
	words = append(words, "--out", againFolder(f.output.dir))
	words = append(words, f.target.rerun(set)...)
	if len(f.target.command) > 0 {
		words = append(append(words, "--"), f.target.command...)
	}
	return shellWords(each(words, hide))
}
