package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// A fleetPlan is what a fleet has to judge.
type fleetPlan struct {
	members []member // of this part
	named   int      // in the file
	digest  string   // of the plans of all parts
	seed    uint64
	known   []reports.KnownFailure // of --baseline
}

// A member is a server of a fleet.
type member struct {
	name     string
	position int           // in the file, from 1
	folder   string        // below that of the fleet, with slashes
	plan     string        // a digest of how it is judged
	args     []string      // of the command that judges it, but for the folder
	limit    time.Duration // after which it ends
}

// namesFleet tells whether a file names a fleet in YAML, and not the servers of a client
// in JSON.
func namesFleet(file string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(file)))
}

// entry is a server that a file names.
type entry struct {
	name  string
	print string        // what says how it is reached, without secrets
	limit time.Duration // 0: the file sets none
}

// plan reads the file, and says how each server is judged.
func (f *fleetFlags) plan(w world, file string, set *pflag.FlagSet) (fleetPlan, error) {
	p := fleetPlan{seed: fleetSeed}
	if set.Changed("seed") {
		p.seed = f.run.judging.seed
	}
	entries, err := readEntries(w, file)
	if err != nil {
		return p, err
	}
	if p.known, err = f.check(w); err != nil {
		return p, err
	}
	var digests []string
	p.named = len(entries)
	common := f.forwarded(file, set, p.seed)
	settings := config.Config{Target: config.Target{Command: common}}.Redactor()(strings.Join(common, "\x00"))
	for _, name := range []string{f.run.baseline, f.run.config} {
		text, _ := os.ReadFile(name) // a file that is not there is reported where it is needed
		settings += digest(string(text))
	}
	for i, e := range entries {
		s := member{name: e.name, position: i + 1, folder: folderOf(e.name), limit: serverLimit}
		s.args = append(slices.Clone(common), "--server", e.name)
		switch {
		case f.run.judging.limit > 0:
			s.limit = time.Duration(f.run.judging.limit)
		case e.limit > 0:
			s.limit = e.limit
		default:
			s.args = append(s.args, "--limit", serverLimit.String())
		}
		s.plan = digest(version(), e.name, e.print, s.limit.String(), settings)
		digests = append(digests, s.plan)
		if f.run.selection.shard.Has(s.position) {
			p.members = append(p.members, s)
		}
	}
	p.digest = digest(digests...)
	return p, nil
}

// check finds the mistakes in flags that each server would find anew, and returns the
// known failures of all servers.
func (f *fleetFlags) check(w world) ([]reports.KnownFailure, error) {
	r := f.run
	switch {
	case r.failures != "":
		return nil, &misuse{"--write-baseline is for one server", ""}
	case r.record != "":
		return nil, &misuse{"--record is for one server", "choose one with --server"}
	case r.target.url != "" || len(r.target.command) > 0 || r.target.server != "":
		return nil, &misuse{"--all judges every server of the file", "leave out --url, --server and the command after --"}
	}
	if err := errors.Join(r.judging.check(), r.output.checkVolume()); err != nil {
		return nil, err
	}
	cfg := config.Default()
	if err := r.selection.columns(&cfg); err != nil {
		return nil, err
	}
	entries, err := r.expected(w, cfg, &job{})
	if err != nil {
		return nil, err
	}
	all := suites.All()
	catalogue, err := suites.Catalogue(all)
	if err == nil {
		_, err = r.selection.pick(all, catalogue, cfg.Revisions)
	}
	return entries, err
}

// forwarded are the arguments that are the same for all servers.
func (f *fleetFlags) forwarded(file string, set *pflag.FlagSet, seed uint64) []string {
	args := []string{"run", "--from", file, "--" + childFlag, "--quiet", "--seed", strconv.FormatUint(seed, 10)}
	formats := slices.DeleteFunc(slices.Clone(f.run.output.formats.values), func(s string) bool {
		return s == textFormat || s == githubFormat // of the fleet, not of a server
	})
	if len(formats) == 0 {
		formats = []string{"json"}
	}
	args = append(args, "--format", strings.Join(formats, ","))
	if !namesFleet(file) && !set.Changed("config") {
		args = append(args, "--config", noFile) // what ./mcp-conform.yaml says is for one server
	}
	set.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "parallel", "resume", "exit-zero", "join", "shard", "out", "format", "quiet", "verbose", "color", "seed", "from", "all":
			return
		}
		values := []string{flag.Value.String()}
		if list, several := flag.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		for _, v := range values {
			args = append(args, "--"+flag.Name+"="+v)
		}
	})
	return args
}

// readEntries reads the servers of a fleet, or of a client.
func readEntries(w world, file string) ([]entry, error) {
	var all []entry
	if !namesFleet(file) {
		named, err := readClients(file, w.env)
		if err != nil {
			return nil, &misuse{err.Error(), "a fleet is a file with the ending .yaml"}
		}
		for _, s := range named.Servers {
			from := &targetFlags{from: file, server: s.Name}
			c, err := from.take(config.Default(), s)
			if err != nil {
				all = append(all, entry{name: s.Name, print: err.Error()})
				continue
			}
			all = append(all, entry{name: s.Name, print: printOf(c)})
		}
		return all, nil
	}
	named, err := config.LoadFleet(file, w.env, known())
	if err != nil {
		return nil, err
	}
	for _, m := range named.Members {
		e := entry{name: m.Name, limit: m.Limit}
		if m.Path != "" {
			text, err := os.ReadFile(m.Path)
			e.print = digest(m.Path, string(text), fmt.Sprint(err))
		} else if c, err := m.Config(w.env, known()); err == nil {
			e.print = printOf(c)
		}
		e.print += fmt.Sprint(m.Revisions, m.Transport, m.Timeout, m.StartTimeout, m.Limit)
		all = append(all, e)
	}
	return all, nil
}

// printOf is a text that changes with the target, but not with its secrets.
func printOf(c config.Config) string {
	text, err := json.Marshal(c.Target)
	if err != nil {
		return err.Error()
	}
	return c.Redactor()(string(text))
}

func digest(parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(p), p) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// folderOf is the folder of a server, which fits every file system. A name that is no good
// name of a folder gets a digest behind a dot, which no good name has.
func folderOf(name string) string {
	const longest = 40
	plain := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	plain = strings.Trim(plain[:min(len(plain), longest)], "-")
	if plain != name || plain == "" || isDevice(name) {
		if isDevice(plain) {
			plain += "-" // Windows takes con.1f2e3d4c for the device too
		}
		plain = strings.TrimPrefix(plain+"."+digest(name)[:8], ".")
	}
	return path.Join("servers", plain)
}

// isDevice tells whether no file can have the name on Windows.
func isDevice(name string) bool {
	port := len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt"))
	return port || slices.Contains([]string{"con", "prn", "aux", "nul"}, name)
}

// loadMember reads the configuration of a server of a fleet.
func (f *runFlags) loadMember(w world, set *pflag.FlagSet, j *job) (config.Config, error) {
	file := f.target.from
	switch {
	case f.target.url != "" || len(f.target.command) > 0:
		return config.Config{}, &misuse{"--from names the server already", "leave out --url and the command after --"}
	case set.Changed("config"):
		return config.Config{}, &misuse{"--config is for one server, and " + file + " names that of each", "leave it out"}
	}
	named, err := config.LoadFleet(file, w.env, known())
	if err != nil {
		return config.Config{}, err
	}
	var names []string
	for _, m := range named.Members {
		if names = append(names, m.Name); m.Name != f.target.server {
			continue
		}
		for flag, value := range map[string]struct {
			at   *duration
			from time.Duration
		}{
			"timeout":       {&f.judging.timeout, m.Timeout},
			"start-timeout": {&f.judging.startTimeout, m.StartTimeout},
			"limit":         {&f.judging.limit, m.Limit},
		} {
			if value.from > 0 && !set.Changed(flag) {
				*value.at = duration(value.from)
				j.read.note(flag, value.from.String())
			}
		}
		if m.Revisions != nil {
			j.read.note("revision", m.Revisions.String())
		}
		j.read.note("transport", string(m.Transport))
		j.read.Config = m.Path
		j.lines = append(j.lines, fmt.Sprintf("%s of %s, line %d", m.Name, file, m.Line))
		cfg, err := m.Config(j.read.noting(w.env), known())
		if err == nil {
			j.lines = append(j.lines, ignored(cfg)...)
		}
		return cfg, err
	}
	if f.target.server == "" {
		return config.Config{}, &misuse{file + " names " + plural(len(names), "server"), "choose one with --server, or all with --all"}
	}
	hint := perhaps(f.target.server, names, "it names "+strings.Join(names, ", "))
	return config.Config{}, &misuse{file + " names no server " + quoted(f.target.server), hint}
}
