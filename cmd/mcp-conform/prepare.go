package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/text"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// A job is a run that can begin: the command line and the configuration are checked.
type job struct {
	plan   suites.Plan
	policy reports.Policy
	lines  []string               // lines written before the run begins
	noted  []reports.KnownFailure // entries already in the file of --write-baseline
	read   inputs                 // what the plan was made of
}

const noFile = "none"

func (f *runFlags) prepare(w world, set *pflag.FlagSet) (*job, error) {
	if err := f.judging.check(); err != nil {
		return nil, err
	}
	if err := f.output.checkVolume(); err != nil {
		return nil, err
	}
	if err := f.recordable(); err != nil {
		return nil, err
	}
	j := &job{}
	cfg, err := f.load(w, set, j)
	if err != nil {
		return nil, err
	}
	if err := f.selection.columns(&cfg); err != nil {
		return nil, err
	}
	cfg, err = f.aim(w, cfg, set, j)
	if err != nil {
		return nil, err
	}
	if w.environ != nil && len(cfg.Target.Argv())+len(cfg.Target.StartArgv()) > 0 {
		cfg = cfg.Hide(config.InheritedSecrets(w.environ())...)
	}
	if err := offers(cfg, j.plan.Local); err != nil {
		return nil, err
	}
	if err := f.runnable(cfg); err != nil {
		return nil, err
	}
	all := suites.All()
	catalogue, err := suites.Catalogue(all)
	if err != nil {
		return nil, err
	}
	pick, err := f.selection.pick(all, catalogue, cfg.Revisions)
	if err != nil {
		return nil, err
	}
	if pick, err = f.replay.narrow(pick, all, catalogue, cfg.Revisions); err != nil {
		return nil, err
	}
	expected, err := f.expected(w, cfg, j)
	if err != nil {
		return nil, err
	}
	if j.noted, err = f.noted(w); err != nil {
		return nil, err
	}
	if n := unexplained(expected); n > 0 {
		j.lines = append(j.lines, "baseline: "+plural(n, "known failure")+" still without a reason; write one in the place of TODO")
	}
	if cfg.File != "" && asFirst(cfg) {
		j.lines = append(j.lines, "the run is made as principals.first")
	}
	f.fill(&j.plan, cfg, w, set)
	j.plan.Suites, j.plan.Selected, j.plan.Named = all, pick, f.selection.named()
	j.plan.Shard = f.selection.shard.Shard
	j.policy = reports.Policy{
		Strict: f.judging.strict, StrictBaseline: f.judging.strictBaseline, FailOnPartial: f.judging.failOnPartial,
		Baseline: reports.Baseline{Entries: expected, Cases: caseIDs(all), Now: j.plan.Started,
			Meant: func(id string) string { return meantCase(id, all) }},
		Limit: time.Duration(f.judging.limit), Whole: f.selection.shard.Of == 0, // a shard may have none of the cases
	}
	f.replay.fill(&j.plan)
	if f.record != "" {
		if j.plan.Local != nil {
			return nil, &misuse{"--record is for a server of yours, and none is named", "name a command after --, or --url"}
		}
		j.plan.Record = record.New()
	}
	j.lines = append(j.lines, fmt.Sprintf("judging %s, seed %d", text.Line(j.plan.Given), j.plan.Seed))
	return j, nil
}

// mostJobs is more than there are cases: further ones would only take memory.
const mostJobs = 10_000

func (f *judgingFlags) check() error {
	switch {
	case f.jobs < 1:
		return &misuse{fmt.Sprintf("--jobs %d: want at least 1", f.jobs), ""}
	case f.jobs > mostJobs:
		return &misuse{fmt.Sprintf("--jobs %d: want at most %d", f.jobs, mostJobs), ""}
	case f.depth < 0:
		return &misuse{fmt.Sprintf("--depth %d: want at least 0", f.depth), ""}
	}
	return nil
}

// load reads the configuration.
func (f *runFlags) load(w world, set *pflag.FlagSet, j *job) (config.Config, error) {
	if f.replay != nil {
		return f.replay.config()
	}
	if namesFleet(f.target.from) {
		return f.loadMember(w, set, j)
	}
	path := f.config
	switch path {
	case noFile:
		return config.Default(), nil
	case "":
		if _, err := os.Stat(config.FileName); errors.Is(err, fs.ErrNotExist) {
			return config.Default(), nil
		}
		path = config.FileName
	}
	j.lines = append(j.lines, "configuration "+path)
	cfg, err := config.Load(path, j.read.noting(w.env), known())
	if err == nil {
		j.read.Config = path
		j.lines = append(j.lines, ignored(cfg)...)
	}
	return cfg, err
}

func known() config.Known {
	return config.Known{Roles: suites.Roles(suites.All()), Revisions: knownRevisions()}
}

// aim picks the target: from the flags, else from the file, else the reference server.
func (f *runFlags) aim(w world, cfg config.Config, set *pflag.FlagSet, j *job) (config.Config, error) {
	switch {
	case f.replay != nil:
		j.plan.Given = f.replay.setup.Given
		return f.replay.aim(cfg), nil
	case f.target.named(set) || !cfg.Target.Empty():
		cfg, err := f.target.apply(cfg, set, w.env)
		j.plan.Given = given(cfg.Target, cfg.Redactor())
		return cfg, err
	case cfg.File != "":
		return cfg, &misuse{cfg.File + " names no target",
			"add target.command or target.url to it, or a command after --; --config none judges the reference server"}
	case !set.Changed("config"):
		if file := overlooked(); file != "" {
			return cfg, &misuse{"no server is named, and " + file + " is not read by itself: only " + config.FileName + " of this folder is",
				"say " + shellWords([]string{program, "run", "--config", file}) + "; --config none judges the reference server"}
		}
		if problem, hint := namedNearby(w.env); problem != "" {
			return cfg, &misuse{problem, hint}
		}
		if !w.set("CI") {
			break
		}
		return cfg, &misuse{"no server is named, and there is no mcp-conform.yaml here",
			"name a command after --, or --url; --config none judges the reference server"}
	}
	if err := f.target.useless(cfg.Target, set); err != nil {
		return cfg, err
	}
	own, local, err := bundled(w)
	if err != nil {
		return cfg, err
	}
	own.Revisions, own.Transport = cfg.Revisions, cfg.Transport
	j.plan.Local = local
	j.plan.Given = "the bundled reference server"
	j.lines = append(j.lines, "no target is named, so the bundled reference server is judged")
	return own, nil
}

// asFirst tells whether the kit reaches the target with credentials given under
// principals.
func asFirst(cfg config.Config) bool {
	judged := cfg.AsFirst()
	return len(judged.Headers) > len(cfg.Target.Headers) || len(judged.Env) > len(cfg.Target.Env)
}

// runnable refuses a command of a role whose program is not there. A path may be that of a
// program that the server makes.
func (f *runFlags) runnable(cfg config.Config) error {
	for _, p := range cfg.Programs() {
		if f.replay != nil || strings.ContainsAny(p.Name, `/\$`) {
			continue
		}
		if _, err := exec.LookPath(p.Name); err != nil {
			return cfg.Absent(p)
		}
	}
	return nil
}

// offers refuses a transport that the target lacks.
func offers(cfg config.Config, local *suites.Local) error {
	if len(plan.Transports(cfg, local)) > 0 {
		return nil
	}
	switch cfg.Transport {
	case config.Stdio:
		return &misuse{"the target is not available over stdio", "name a command after --, without --url"}
	case config.HTTP:
		return &misuse{"the target is not available over HTTP", "name its address with --url"}
	case config.SSE:
		return &misuse{"the target is not available over HTTP+SSE", "name its address with --url or target.sse-url"}
	case config.Auto: // package suites reports a missing transport
	}
	return nil
}

func (f *runFlags) expected(w world, cfg config.Config, j *job) ([]reports.KnownFailure, error) {
	all := knownFailures(cfg.File, cfg.Baseline)
	if f.replay != nil && f.replay.setup.Baseline != nil {
		more, err := f.replay.baseline()
		return append(all, more...), err
	}
	if f.baseline == "" {
		return all, nil
	}
	j.read.Baseline = f.baseline
	more, err := config.LoadBaseline(f.baseline, j.read.noting(w.env), known())
	given := knownFailures(f.baseline, more)
	for i := range given {
		given[i].Shared = f.child
	}
	return append(all, given...), err
}

func (f *runFlags) fill(p *suites.Plan, cfg config.Config, w world, set *pflag.FlagSet) {
	p.Config = cfg
	p.Seed = f.judging.seed
	if !set.Changed("seed") {
		p.Seed = uint64(rand.Uint32()) // short enough to type
	}
	if set.Changed("depth") {
		p.Config.Limits.Depth = f.judging.depth
	}
	p.Jobs = f.judging.jobs
	p.StartTimeout = time.Duration(f.judging.startTimeout)
	p.Timeout, p.Limit = time.Duration(f.judging.timeout), time.Duration(f.judging.limit)
	p.AllowSideEffects = f.judging.sideEffects
	p.Version = version()
	p.Again = f.rerun(set, cfg.Redactor())
	p.Started = w.now()
}
