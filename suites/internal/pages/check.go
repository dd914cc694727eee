package pages

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/config/spelling"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Check returns all mistakes in suites that are to be judged together: missing
// fields, ids that are malformed or taken, unknown rules, and needs that no
// server could ever meet since a word in them is misspelt. The error has a line
// for each problem.
func Check(of ...suite.Suite) error {
	_, err := Checked(of)
	return err
}

// Checked is Check, and returns the catalogue of the suites.
func Checked(of []suite.Suite) (*requirements.Catalogue, error) {
	own, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	k := check{known: words(own, of), cases: map[string]bool{}, suites: map[string]bool{}}
	for _, s := range of {
		k.suite(s)
	}
	catalogue, err := Catalogue(of)
	if err != nil {
		k.problems = append(k.problems, strings.Split(err.Error(), "\n")...)
	}
	if len(k.problems) > 0 {
		return nil, errors.New("nothing can be judged with these suites:\n  " + strings.Join(k.problems, "\n  "))
	}
	return catalogue, nil
}

// Own are the kit's own suites with their catalogue, made and checked once: selftest
// judges a thousand servers by them. The catalogue is nil if Check finds a mistake.
//
//nolint:gochecknoglobals // see above
var Own = sync.OnceValue(func() (own struct {
	Suites    []suite.Suite
	Catalogue *requirements.Catalogue
}) {
	own.Suites = All()
	own.Catalogue, _ = Checked(own.Suites) // a second call says what is wrong
	return own
})

// known is the words that a declaration may use.
type known struct {
	rules      map[requirements.ID]bool
	roles      []roles.Spec
	extensions []string // sorted
}

// words are the kit's own words and those of the suites.
func words(own *requirements.Catalogue, of []suite.Suite) known {
	k := known{rules: map[requirements.ID]bool{}, roles: Roles(of)}
	extensions := map[string]bool{}
	for _, r := range own.All() {
		k.rules[r.ID] = true
		extensions[r.Extension] = true
	}
	for _, s := range of {
		for _, r := range s.Rules {
			k.rules[r.ID] = true
		}
		extensions[s.Extension.Name] = true
	}
	delete(extensions, "")
	k.extensions = slices.Sorted(maps.Keys(extensions))
	return k
}

// A check collects the mistakes in several suites.
type check struct {
	known    known
	suites   map[string]bool
	cases    map[string]bool
	kind, at string // the place of the current declaration
	problems []string
}

// say adds a problem where it is true.
func (k *check) say(is bool, format string, args ...any) {
	if is {
		k.problems = append(k.problems, fmt.Sprintf("%s %q: ", k.kind, k.at)+fmt.Sprintf(format, args...))
	}
}

// want adds a problem about an unknown word, with likely spellings.
func (k *check) want(ok bool, what, written string, known func() []string) {
	if ok {
		return
	}
	hint := ""
	if found := spelling.Near(written, known()); len(found) > 0 {
		hint = "; did you mean " + spelling.Or(found) + "?"
	}
	k.say(true, "unknown %s %q%s", what, written, hint)
}

// slug matches the names of suites and cases: words joined by hyphens.
var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (k *check) suite(s suite.Suite) {
	k.kind, k.at = "suite", s.Name
	k.say(!slug.MatchString(s.Name), "the name is not lower-case words joined by hyphens")
	k.say(k.suites[s.Name], "another suite has this name")
	k.suites[s.Name] = true
	k.say(s.Title == "", "the title is missing")
	k.say(len(s.Cases) == 0, "there are no cases")
	e := s.Extension
	k.say(e.Name == "" && (e.Token != "" || e.Implies != nil || e.ImpliedBy != nil), "the name of the extension is missing")
	for _, name := range e.Implies {
		k.want(slices.Contains(k.known.extensions, name), "extension", name, k.known.claims)
	}
	for _, c := range s.Cases {
		k.kind, k.at = "case", c.ID
		name, ok := strings.CutPrefix(c.ID, s.Name+"/")
		k.say(!ok || !slug.MatchString(name), "the id is not %s/ and lower-case words joined by hyphens", s.Name)
		k.say(k.cases[c.ID], "another case has this id")
		k.cases[c.ID] = true
		k.fields(c)
		k.needs(c)
	}
}

// fields checks the fields that every case has.
func (k *check) fields(c suite.Case) {
	k.say(c.Title == "", "the title is missing")
	k.say(c.Fix == "", "the fix is missing")
	k.say(c.Run == nil && c.Watch == nil, "both Run and Watch are missing")
	k.say(c.Run != nil && c.Watch != nil, "it has both Run and Watch")
	k.say(!slices.Contains(suite.Lanes(), c.Lane), "unknown lane %q", c.Lane)
	k.say(len(c.Checks) == 0, "no rule stands in Checks")
	for _, id := range c.Checks {
		k.want(k.known.rules[id], "rule", string(id), k.known.ids)
	}
	for _, r := range c.Revisions {
		k.say(!r.Known(), "unknown revision %q", r)
	}
	for _, p := range c.Owns {
		k.say(p.At != "" && p.At[0] != '/', "the place %q of a part does not begin with a slash", p.At)
		k.say(p.Type != "" && !strings.Contains(p.At, "/*"), "a part has a type, and its place %q has no step *", p.At)
	}
}

// needs checks every word of every need: a fact that no server can have is most
// likely misspelt.
func (k *check) needs(c suite.Case) {
	for _, name := range []roles.Name{c.Observes, c.Disturbs} {
		if name != "" {
			k.role(string(name))
		}
	}
	for _, n := range slices.Concat(c.Needs, c.Proves) {
		k.say(len(n.Any) == 0, "a need has no words")
		for _, w := range n.Any {
			k.word(w)
		}
	}
}

func (k *check) role(path string) {
	_, ok := roles.Find(k.known.roles, path)
	k.want(ok, "role", path, k.known.paths)
}

func (k *check) word(w suite.Word) {
	among := func(what string, known []string) {
		k.want(slices.Contains(known, w.Value), what, w.Value, func() []string { return known })
	}
	switch w.Kind {
	case suite.CapabilityKind:
		k.want(protocol.IsCapability(w.Value), "capability", w.Value, protocol.Capabilities)
	case suite.TransportKind:
		among("transport", texts(requirements.Transports()))
	case suite.RoleKind:
		k.role(w.Value)
	case suite.ClaimKind:
		among("extension", k.known.extensions)
	case suite.TraitKind:
		among("trait", texts(probe.Traits()))
	case suite.OptInKind:
		among("consent", texts(suite.Consents()))
	case suite.OpeningKind, suite.AnswerKind:
		k.say(w.Value != "", "the need for an "+string(w.Kind)+" has a value, %q", w.Value)
	default:
		k.say(true, "unknown kind of need %q", w.Kind)
	}
}

func (k known) claims() []string { return k.extensions }

func (k known) ids() []string { return texts(slices.Sorted(maps.Keys(k.rules))) }

// paths are the fields that a need for a role may name, however deep.
func (k known) paths() []string {
	var paths []string
	var walk func(path string, fields []roles.Field)
	walk = func(path string, fields []roles.Field) {
		paths = append(paths, path)
		for _, f := range fields {
			walk(path+"."+f.Name, f.Members())
		}
	}
	for _, s := range k.roles {
		walk(string(s.Name), s.Fields)
	}
	return paths
}

func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}
