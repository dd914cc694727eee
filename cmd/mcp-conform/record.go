package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// A setup is what a recording keeps beside the conversation: everything that the run was
// made of.
type setup struct {
	Version  string
	Recorded time.Time
	Given    string
	Again    string
	Seed     uint64
	Epoch    time.Time
	Flags    []string // of run, for the selection and the judging
	Target   config.Target
	Secrets  []string
	Config   *file `json:",omitempty"`
	Baseline *file `json:",omitempty"`
	Env      map[string]string
}

// A file is the text of a file as it was read.
type file struct{ Name, Text string }

// inputs are the files and variables that a plan was made of.
type inputs struct {
	Config, Baseline string
	env              map[string]string
	flags            map[string]string // what a fleet sets in place of flags that are not given
}

// note notes what a fleet sets in place of a flag; an empty value is none.
func (i *inputs) note(flag, value string) {
	if i.flags == nil {
		i.flags = map[string]string{}
	}
	if value != "" {
		i.flags[flag] = value
	}
}

// noting notes the variables that are looked up.
func (i *inputs) noting(env config.Environment) config.Environment {
	return func(name string) (string, bool) {
		value, ok := env(name)
		if ok {
			if i.env == nil {
				i.env = map[string]string{}
			}
			i.env[name] = value
		}
		return value, ok
	}
}

// lasting are the flags of run that a recording keeps.
func lasting() []string {
	return []string{
		"revision", "transport", "suite", "case", "level", "shard", "jobs", "timeout", "start-timeout", "depth",
		"allow-side-effects", "strict", "fail-on-partial", "strict-baseline",
	}
}

// recordable refuses a file that the kit has not written.
func (f *runFlags) recordable() error {
	if f.record == "" {
		return nil
	}
	switch text, err := os.Open(f.record); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &misuse{"--record: " + err.Error(), ""}
	default:
		_, err := record.Read(text)
		_ = text.Close() // it was only read
		if err != nil {
			return &misuse{"--record: " + f.record + " is there already, and is not a recording", "name another file"}
		}
		return nil
	}
}

// noteConversation writes the recording of --record.
func (f *runFlags) noteConversation(w world, r *reports.Report, j *job, set *pflag.FlagSet) {
	if f.record == "" {
		return
	}
	if r.Verdict.Status == reports.Unjudged {
		r.Verdict.Remark("nothing was recorded: the server could not be judged")
		return
	}
	p := j.plan
	s := setup{
		Version: p.Version, Recorded: p.Started, Given: p.Given, Again: p.Again, Seed: p.Seed, Epoch: p.Started.Round(0),
		Target: p.Config.Target, Secrets: p.Config.Secrets, Env: j.read.env,
	}
	for _, name := range lasting() {
		var values []string
		flag := set.Lookup(name)
		several, ok := flag.Value.(pflag.SliceValue)
		switch value, fleet := j.read.flags[name]; {
		case flag.Changed && ok:
			values = several.GetSlice()
		case flag.Changed:
			values = []string{flag.Value.String()}
		case fleet:
			values = []string{value}
		}
		for _, value := range values {
			s.Flags = append(s.Flags, "--"+name+"="+value)
		}
	}
	var err error
	for _, read := range []struct {
		name string
		to   **file
	}{{j.read.Config, &s.Config}, {j.read.Baseline, &s.Baseline}} {
		if read.name == "" {
			continue
		}
		text, failed := os.ReadFile(read.name)
		err = errors.Join(err, failed)
		*read.to = &file{read.name, string(text)}
	}
	var text bytes.Buffer
	if err = errors.Join(err, p.Record.Write(&text, s)); err == nil {
		err = replace(f.record, text.Bytes())
	}
	if err != nil {
		r.Verdict.Remark("the conversation could not be recorded: " + err.Error())
		return
	}
	w.say("wrote the conversation to %s; judge it again with mcp-conform replay %s", f.record, shellWords([]string{f.record}))
}

// A replay is a recorded run that is judged again. A nil replay changes nothing.
type replay struct {
	setup setup
	of    *record.Recording
	cases selectionFlags // of the recorded run
}

func (r *replay) env() config.Environment {
	return func(name string) (string, bool) {
		value, ok := r.setup.Env[name]
		return value, ok
	}
}

// config is the configuration of the recorded run.
func (r *replay) config() (config.Config, error) {
	if r.setup.Config == nil {
		return config.Default(), nil
	}
	return config.Parse(r.setup.Config.Name, []byte(r.setup.Config.Text), r.env(), known())
}

func (r *replay) baseline() ([]reports.KnownFailure, error) {
	entries, err := config.ParseBaseline(r.setup.Baseline.Name, []byte(r.setup.Baseline.Text), r.env(), known())
	return knownFailures(r.setup.Baseline.Name, entries), err
}

// aim gives the configuration the recorded target. Nothing of it is started or asked, so no
// certificates are read.
func (r *replay) aim(c config.Config) config.Config {
	c.Target = r.setup.Target
	c.Target.CA = ""
	return c.Hide(r.setup.Secrets...)
}

// fill makes a plan that of the recorded run.
func (r *replay) fill(p *plan.Plan) {
	if r != nil {
		p.Replay, p.Seed, p.Epoch, p.Again = r.of, r.setup.Seed, r.setup.Epoch, r.setup.Again
	}
}

// mostStrays is how many missing requests are named.
const mostStrays = 5

// remark says where the replay left the recording.
func (r *replay) remark(report *reports.Report) {
	if r == nil {
		return
	}
	count := map[string]int{}
	for _, what := range r.of.Strays() {
		count[what]++
	}
	if len(count) == 0 {
		return
	}
	var named []string
	for _, what := range slices.Sorted(maps.Keys(count)) {
		if len(named) == mostStrays {
			named = append(named, "...")
			break
		}
		named = append(named, what+" ("+strconv.Itoa(count[what])+")")
	}
	report.Verdict.Remark(fmt.Sprintf("the recording holds no answer to %s of this replay: %s",
		plural(len(r.of.Strays()), "request"), strings.Join(named, ", ")))
}
