package suites_test

import (
	"flag"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// named counts the names that the tests of the pages pass to a call.
func named(t *testing.T, call string) map[string]int {
	t.Helper()
	pattern, names := regexp.MustCompile(regexp.QuoteMeta(call)+`\(t, "([^"]+)"`), map[string]int{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range pattern.FindAllSubmatch(text, -1) {
			names[string(found[1])]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Beside its proof, each suite has a lawful server that offers its subject.
// These servers know only revisions with a handshake: suites for other
// revisions have the reference server, which is lawful too.
func TestPagesHaveLawfulServers(t *testing.T) {
	t.Parallel()
	catalogue, err := suites.Catalogue(suites.All())
	if err != nil {
		t.Fatal(err)
	}
	judged := named(t, "lawful.Servers")
	for _, s := range suites.All() {
		if judged[s.Name] == 0 && afterHandshake(catalogue, s) {
			t.Errorf("no lawful server is judged by %s: add a lawful_test.go beside its proof_test.go", s.Name)
		}
	}
}

// Exactly one test of a page proves each suite and each area of faults.
func TestPagesProveThemselves(t *testing.T) {
	t.Parallel()
	proven := named(t, "proof.Area")
	for _, s := range suites.All() {
		if proven[s.Name] != 1 {
			t.Errorf("the suite %s is proven %d times, want one proof_test.go beside it that does", s.Name, proven[s.Name])
		}
	}
	for _, area := range faults.Areas() {
		if proven[area.Name] == 0 {
			t.Errorf("the faults of %s are tried by no page", area.Name)
		}
	}
}

var whole = flag.String("whole", "", "try the faults with names like that in runs of all cases; * takes an hour of one processor")

// In a run of all cases, too, exactly the cases that have to notice a fault do.
func TestFaultsInWholeRuns(t *testing.T) {
	if *whole == "" {
		t.Skip("it takes an hour of one processor: make selftest-full")
	}
	proof.Whole(t, *whole)
}

// afterHandshake reports whether a suite has a case for a revision with a
// handshake.
func afterHandshake(catalogue *requirements.Catalogue, s suite.Suite) bool {
	return slices.ContainsFunc(s.Cases, func(c suite.Case) bool {
		return slices.ContainsFunc(protocol.Handshake(), func(r requirements.Revision) bool {
			return (len(c.Revisions) == 0 || slices.Contains(c.Revisions, r)) &&
				slices.ContainsFunc(c.Checks, func(id requirements.ID) bool {
					rule, _ := catalogue.Find(id)
					_, holds := rule.At(r)
					return holds
				})
		})
	})
}
