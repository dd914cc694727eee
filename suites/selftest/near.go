package selftest

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// sample is how many unrelated cases also judge a subject, since the subject
// may break rules that nobody expects.
const sample = 5

// Must names the cases that have to notice the subject: those of Kills, or else
// each case of the catalogue that checks the broken rule.
func (s Subject) Must(catalogue []suite.Suite) []string {
	if len(s.Kills) > 0 {
		return s.Kills
	}
	var must []string
	for _, of := range catalogue {
		for _, c := range of.Cases {
			if slices.Contains(c.Checks, s.Breaks) {
				must = append(must, c.ID)
			}
		}
	}
	return must
}

// near chooses the cases that judge a subject in a trial:
//
//   - the cases that must or may notice it, and those of Silent;
//   - every watcher, since a watcher asks nothing of the server;
//   - where a watcher must notice it, cases that make the server talk: the other cases of
//     the watcher's page, and with talk, for each need of a case, except roles, the first
//     case that has it;
//   - the cases that all these depend on, so that they are judged or blocked as in
//     any run;
//   - a sample of the rest, which the seed and the subject's name decide.
//
// So a trial costs as much as a page, however many pages there are; Full judges
// by all other cases too. Cases that let time pass are chosen only if the subject
// names them.
func near(s Subject, col requirements.Column, all []suite.Suite, catalogue *requirements.Catalogue, seed uint64,
	talk bool) map[string]bool {
	must := s.Must(all)
	named := slices.Concat(must, s.May, s.Silent)
	chosen := make(map[string]bool, 512)
	for _, id := range named {
		chosen[id] = true
	}
	watching := func(c suite.Case) bool { return c.Watch != nil && slices.Contains(must, c.ID) }
	talk = talk && slices.ContainsFunc(all, func(of suite.Suite) bool { return slices.ContainsFunc(of.Cases, watching) })
	used := map[suite.Word]bool{}
	exists := func(c *suite.Case) bool { return c.Exists(col, catalogue) }
	rest := make([]*suite.Case, 0, 2048)
	for _, of := range all {
		own := slices.ContainsFunc(of.Cases, watching)
		for i := range of.Cases {
			c := &of.Cases[i]
			switch {
			case c.Watch != nil:
				chosen[c.ID] = true
			case slices.Contains(named, c.ID) || c.Lane == suite.Waits:
			case own && exists(c), talk && c.Lane == suite.Shared && exists(c) && uses(c, used):
				chosen[c.ID] = true
			default:
				rest = append(rest, c)
			}
		}
	}
	for _, c := range draw(rest, s.Name, seed, exists) {
		chosen[c.ID] = true
	}
	addGround(chosen, all)
	return chosen
}

// uses reports whether a case has a need that no earlier case has, and notes
// its needs.
func uses(c *suite.Case, used map[suite.Word]bool) bool {
	before := len(used)
	for _, need := range c.Needs {
		for _, word := range need.Any {
			if word.Kind != suite.RoleKind {
				used[word] = true
			}
		}
	}
	return len(used) > before
}

// draw takes a sample of fitting cases: the page of the one with the lowest lot first, since the
// cases of a page depend on the same cases. Every case has the same chance to be the first. One
// case more or less changes the sample in one place at most, unless that case is the first.
func draw(from []*suite.Case, subject string, seed uint64, fits func(*suite.Case) bool) []*suite.Case {
	named := []byte(strconv.FormatUint(seed, 10) + " " + subject + " ")
	h := fnv.New64a()
	lots := make([]lot, len(from))
	var first lot
	for i, c := range from {
		h.Reset()
		_, _ = h.Write(append(named, c.ID...))
		lots[i] = lot{h.Sum64(), c}
		if (first.of == nil || lots[i].number < first.number) && fits(c) {
			first = lots[i]
		}
	}
	if first.of == nil {
		return nil
	}
	var drawn, elsewhere lowest
	for _, each := range lots {
		if page(each.of) == page(first.of) {
			drawn.take(each, fits)
		} else {
			elsewhere.take(each, fits)
		}
	}
	var cases []*suite.Case
	for _, each := range append(drawn, elsewhere[:min(len(elsewhere), sample-len(drawn))]...) {
		cases = append(cases, each.of)
	}
	return cases
}

// A lot is the place of a case among those that are drawn from.
type lot struct {
	number uint64
	of     *suite.Case
}

// lowest are the lowest lots of fitting cases, in order.
type lowest []lot

func (l *lowest) take(one lot, fits func(*suite.Case) bool) {
	late := len(*l) == sample && one.number > (*l)[sample-1].number
	if late || !fits(one.of) {
		return
	}
	at, _ := slices.BinarySearchFunc(*l, one, func(a, b lot) int { return cmp.Compare(a.number, b.number) })
	*l = slices.Insert(*l, at, one)
	*l = (*l)[:min(len(*l), sample)]
}

func page(c *suite.Case) string {
	name, _, _ := strings.Cut(c.ID, "/")
	return name
}

// addGround adds the cases that the chosen ones depend on, however indirectly:
// those that prove their needs, and the owner of the opening.
func addGround(chosen map[string]bool, all []suite.Suite) {
	needed := map[suite.Word]bool{}
	need := func(of ...suite.Need) {
		for _, n := range of {
			for _, word := range n.Any {
				needed[word] = true
			}
		}
	}
	need(suite.Opening())
	var provers []*suite.Case
	for _, of := range all {
		for i := range of.Cases {
			c := &of.Cases[i]
			switch {
			case chosen[c.ID]:
				need(c.Needs...)
			case len(c.Proves) > 0:
				provers = append(provers, c)
			}
		}
	}
	proves := func(n suite.Need) bool {
		return slices.ContainsFunc(n.Any, func(w suite.Word) bool { return needed[w] })
	}
	for before := -1; before < len(chosen); {
		before = len(chosen)
		for _, c := range provers {
			if !chosen[c.ID] && slices.ContainsFunc(c.Proves, proves) {
				chosen[c.ID] = true
				need(c.Needs...)
			}
		}
	}
}
