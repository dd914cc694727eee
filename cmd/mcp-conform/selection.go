package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// selectionFlags choose the columns and the cases.
type selectionFlags struct {
	revisions []string
	transport choice
	suites    []string
	cases     []string
	level     choice
	shard     shard
}

func (f *selectionFlags) section() section {
	f.transport.known = []string{string(config.Auto), string(config.Stdio), string(config.HTTP), string(config.SSE)}
	f.level.known = []string{string(requirements.Must), string(requirements.Should)}
	s := flags()
	s.StringArrayVar(&f.revisions, "revision", nil, "`auto|all|DATES`: judge the newest revision that the server speaks (auto), "+
		"every one (all), or comma-separated dates (default auto)")
	s.Var(&f.transport, "transport", "judge over one transport: stdio, http, or the older sse (default auto: those that the target has)")
	s.StringSliceVar(&f.suites, "suite", nil, "judge only these suites, comma-separated `NAMES` or patterns with * and ?; repeatable")
	s.StringSliceVar(&f.cases, "case", nil, "judge only these cases, `IDS` or patterns with * and ?; repeatable; "+
		"of the suites of --suite only, where both are given")
	fill(s, "suite")
	fill(s, "case")
	s.Var(&f.level, "level", "judge only cases of this level or above it")
	s.Var(&f.shard, "shard", "judge only part `i/n` of these cases, from 1/n to n/n; merge joins the parts")
	return section{"Selection", s}
}

// columns applies the flags for revisions and transport.
func (f *selectionFlags) columns(c *config.Config) error {
	if len(f.revisions) > 0 {
		parsed, err := config.ParseRevisions(f.revisions, knownRevisions())
		if err != nil {
			return &misuse{"--revision: " + err.Error(), ""}
		}
		c.Revisions = parsed
	}
	if f.transport.value != "" {
		c.Transport = config.Transport(f.transport.value)
	}
	return nil
}

// A selection says which cases run; nil is all of them. One that leaves nothing out is nil,
// since a run of all cases gets a grade.
type selection func(suite.Suite, suite.Case) bool

// pick makes the selection, and refuses names that match nothing: a run without cases
// would look like success.
func (f *selectionFlags) pick(all []suite.Suite, catalogue *requirements.Catalogue, at config.Revisions) (selection, error) {
	if len(f.suites) == 0 && len(f.cases) == 0 && f.level.value == "" {
		return nil, nil
	}
	cases, err := patterns("--case", f.cases, caseIDs(all), "a case", `"mcp-conform list cases" lists them`)
	if err != nil {
		return nil, err
	}
	named, err := patterns("--suite", f.suites, suiteNames(all), "a suite", `"mcp-conform list suites" lists them`)
	if err != nil {
		return nil, err
	}
	pick := func(s suite.Suite, c suite.Case) bool {
		return named.fit(s.Name) && cases.fit(c.ID) && (f.level.value != string(requirements.Must) || obliges(c, catalogue, at))
	}
	some, whole := false, true
	for _, s := range all {
		for _, c := range s.Cases {
			picked := pick(s, c)
			some, whole = some || picked, whole && picked
		}
	}
	switch {
	case whole && some:
		return nil, nil
	case some:
		return pick, nil
	}
	return nil, &misuse{"no case is selected", "no case matches --suite, --case and --level together"}
}

// globs are patterns of which one has to fit; where there is none, every name fits.
type globs []*regexp.Regexp

func (g globs) fit(name string) bool {
	return len(g) == 0 || slices.ContainsFunc(g, func(p *regexp.Regexp) bool { return p.MatchString(name) })
}

// patterns reads those of a flag, and refuses one that fits no name.
func patterns(flag string, written, known []string, what, otherwise string) (globs, error) {
	var all globs
	for _, one := range written {
		p := glob(one)
		if !slices.ContainsFunc(known, p.MatchString) {
			return nil, &misuse{flag + " " + quoted(one) + " is not " + what, perhaps(one, known, otherwise)}
		}
		all = append(all, p)
	}
	return all, nil
}

// named lists the cases that are written out in full.
func (f *selectionFlags) named() []string {
	return slices.DeleteFunc(slices.Clone(f.cases), func(written string) bool { return strings.ContainsAny(written, "*?") })
}

// obliges tells whether a case checks a MUST at one of the revisions.
func obliges(c suite.Case, catalogue *requirements.Catalogue, at config.Revisions) bool {
	for _, id := range c.Checks {
		r, _ := catalogue.Find(id)
		for _, rev := range r.Revisions() {
			cl, _ := r.At(rev)
			if cl.Level == requirements.Must && (len(at.Dates) == 0 || slices.Contains(at.Dates, string(rev))) {
				return true
			}
		}
	}
	return false
}

// glob is a pattern in which * stands for anything and ? for one character.
func glob(pattern string) *regexp.Regexp {
	text := regexp.QuoteMeta(pattern)
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, ".*"), `\?`, ".")
	return regexp.MustCompile("^" + text + "$") // quoted above: it always compiles
}

func caseIDs(all []suite.Suite) []string {
	var ids []string
	for _, s := range all {
		for _, c := range s.Cases {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func suiteNames(all []suite.Suite) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

func knownRevisions() []string {
	var dates []string
	for _, r := range requirements.Revisions() {
		dates = append(dates, string(r))
	}
	return dates
}
