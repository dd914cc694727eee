// Command newcase writes the start of a case into this repository: the row of
// its rule, the literal and its function, the fault that makes it fail, and a
// row for a lawful server. What has to be filled in says TODO.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const usage = `usage: go run ./internal/newcase SUITE/SLUG [RULE]

Writes the start of a case: go run ./internal/newcase resources/not-found-code
The suite is a page of the core protocol, or ext- and the name of a proposal.
RULE is the id of the rule that the case checks; without it, SUITE-SLUG. A rule
that is in the catalogue already is only marked as checked.
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "newcase: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return errors.New(usage)
	}
	n, err := parse(args)
	if err != nil {
		return err
	}
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it at the top of the repository")
	}
	for _, step := range []func(names) ([]string, error){row, page, breaker, lawful} {
		written, err := step(n)
		for _, line := range written {
			fmt.Println(line)
		}
		if err != nil {
			return err
		}
	}
	fmt.Printf("next: fill in what says TODO, then\n  go run ./cmd/mcp-conform selftest --fault %s\n  go test %s/... ./suites\n", n.fault(), "./"+n.dir())
	return nil
}

// names are what a case is called in the places where it stands.
type names struct {
	suite string // "resources", "ext-manifest"
	slug  string // "not-found-code"
	rule  string // "resources-not-found-code"
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
	return s != "" && strings.Trim(s, "-") == s && !strings.Contains(s, "--") && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// short is the suite without the prefix of extensions.
func (n names) short() string { return strings.TrimPrefix(n.suite, "ext-") }

func (n names) extension() bool { return n.short() != n.suite }

// pkg is the name of the suite's package.
func (n names) pkg() string { return strings.ReplaceAll(n.short(), "-", "") }

// dir is where the suite's package stands.
func (n names) dir() string {
	if n.extension() {
		return "suites/ext/" + n.pkg()
	}
	return "suites/core/" + n.pkg()
}

// faults is where the faults of the suite stand.
func (n names) faults() string {
	if n.extension() {
		return "reference-server/ext/" + n.pkg() + "/faults"
	}
	return "reference-server/fault/" + n.pkg()
}

func (n names) id() string    { return n.suite + "/" + n.slug }
func (n names) fault() string { return n.short() + "-" + n.slug + "-broken" }
func (n names) file() string  { return strings.ReplaceAll(n.slug, "-", "_") + ".go" }

// fn is the slug in camel case, the name of the case's function.
func (n names) fn() string {
	words := strings.Split(n.slug, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
