// Command newcase writes the start of a case into this repository: the row of its rule,
// the literal and its function, the fault that makes it fail, and a row for a lawful
// server. The parts to fill in say TODO.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const usage = `usage: go run ./internal/newcase [--watch] SUITE/SLUG [RULE]

Writes the start of a case: go run ./internal/newcase resources/not-found-code
The suite is a page of the core protocol, or ext- and the name of a proposal.
RULE is the id of the rule that the case checks; without it, SUITE-SLUG. A rule
that is in the catalogue already is only marked as checked. So is its twin: of
x and x-legacy, or of x-modern-y and x-legacy-y, one case checks both.

  --watch  the case is a watcher, which sends nothing itself
  -h       show this text
`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "newcase: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var watch bool
	var words []string
	for _, arg := range args {
		switch {
		case arg == "-h" || arg == "--help":
			_, err := io.WriteString(out, usage)
			return err
		case arg == "--watch":
			watch = true
		case strings.HasPrefix(arg, "-"):
			return errors.New(arg + " is no flag\n" + strings.TrimSpace(usage))
		default:
			words = append(words, arg)
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return errors.New("one case at a time\n" + strings.TrimSpace(usage))
	}
	n, err := parse(words)
	if err != nil {
		return err
	}
	n.watch = watch
	if n.catalogue, err = requirements.Load(); err != nil {
		return err
	}
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it at the top of the repository")
	}
	n.twin = n.twinIn(n.data())
	said, err := write(n)
	_, unsaid := io.WriteString(out, said)
	return errors.Join(err, unsaid)
}

// write carries out the steps. It returns what is written and what is left to do, also
// where a step fails.
func write(n names) (string, error) {
	var out strings.Builder
	before := todos(n)
	told := map[string]bool{}
	for _, step := range []func(names) ([]string, error){row, page, breaker, lawful} {
		written, err := step(n)
		for _, line := range written {
			if !told[line] {
				fmt.Fprintln(&out, line)
			}
			told[line] = true
		}
		if err != nil {
			return out.String(), err
		}
	}
	if n.twin != "" {
		pair := strings.Join(n.rules(), " and ")
		fmt.Fprintf(&out, "%s are one rule at different revisions: the case checks both, and each has a fault\n", pair)
	}
	fmt.Fprintln(&out, "next: fill in")
	for _, left := range todos(n) {
		if !slices.ContainsFunc(before, left.same) {
			fmt.Fprintf(&out, "  %s:%d: %s\n", left.path, left.line, left.text)
		}
	}
	fmt.Fprintln(&out, "then")
	fmt.Fprintf(&out, "  go run ./cmd/mcp-conform selftest --fault '%s*'\n", strings.TrimSuffix(n.fault(), broken))
	fmt.Fprintf(&out, "  go test ./%s ./suites\n", n.dir())
	return out.String(), nil
}

// names are the names of a case in the files that mention it.
type names struct {
	suite string // "resources", "ext-manifest"
	slug  string // "not-found-code"
	rule  string // "resources-not-found-code"

	twin string // the rule at other revisions, if no case checks it; empty otherwise

	watch     bool
	catalogue *requirements.Catalogue // the catalogue before the command writes
}

func parse(args []string) (names, error) {
	suite, slug, ok := strings.Cut(args[0], "/")
	if !ok || !kebab(suite) || !kebab(slug) {
		return names{}, fmt.Errorf("%q is not SUITE/SLUG in lower case, with words joined by hyphens", args[0])
	}
	n := names{suite: suite, slug: slug, rule: suite + "-" + slug}
	if len(args) == 2 {
		n.rule = args[1]
	}
	if !kebab(n.rule) {
		return names{}, fmt.Errorf("%q is not the id of a rule", n.rule)
	}
	return n, nil
}

func kebab(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	return s != "" && strings.Trim(s, "-") == s && !strings.Contains(s, "--") && strings.Trim(s, letters) == ""
}

// short is the suite without the prefix of extensions.
func (n names) short() string { return strings.TrimPrefix(n.suite, "ext-") }

func (n names) extension() bool { return n.short() != n.suite }

// pkg is the name of the suite's package.
func (n names) pkg() string { return strings.ReplaceAll(n.short(), "-", "") }

// dir is the folder of the suite's package.
func (n names) dir() string {
	if n.extension() {
		return "suites/ext/" + n.pkg()
	}
	return "suites/core/" + n.pkg()
}

// faults is the folder of the suite's faults.
func (n names) faults() string {
	if n.extension() {
		return "reference-server/ext/" + n.pkg() + "/faults"
	}
	return "reference-server/fault/" + n.pkg()
}

// ident is the name of the package in files that import all of them: a page and a
// proposal may have the same name.
func (n names) ident() string {
	page := func(a requirements.Area) bool { return a.Name == n.short() }
	if n.extension() && slices.ContainsFunc(n.catalogue.Areas(), page) {
		return "ext" + n.pkg()
	}
	return n.pkg()
}

// place is the position of an area in the catalogue, found by its name or by the name of
// its package.
func (n names) place(name string) int {
	return slices.IndexFunc(n.catalogue.Areas(), func(a requirements.Area) bool {
		of := names{suite: a.Name, catalogue: n.catalogue}
		return a.Name == name || of.ident() == name
	})
}

// stateless reports whether the rules hold only in revisions without a handshake.
func (n names) stateless() bool {
	return !slices.ContainsFunc(n.rules(), func(id string) bool {
		rule, ok := n.catalogue.Find(requirements.ID(id))
		return !ok || slices.ContainsFunc(rule.Revisions(), func(r requirements.Revision) bool { return !r.Modern() })
	})
}

// broken ends the names of faults, which their author renames.
const broken = "-broken"

func (n names) id() string    { return n.suite + "/" + n.slug }
func (n names) fault() string { return n.short() + "-" + n.slug + broken }
func (n names) file() string  { return strings.ReplaceAll(n.slug, "-", "_") + ".go" }

// fn is the slug in camel case, the name of the case's function.
func (n names) fn() string {
	words := strings.Split(n.slug, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
