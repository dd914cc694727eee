package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// top makes a repository of the files that newcase writes to.
func top(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, path := range []string{
		"go.mod", "suites/internal/pages/pages.go", "suites/core/ping/lawful_test.go", "reference-server/faults/faults.go",
		"suites/requirements/data/cancellation.json", "suites/requirements/data/logging.json", "suites/requirements/data/ping.json", "suites/requirements/data/ext-manifest.json",
		"suites/requirements/data/tools.json", "suites/requirements/data/resources.json", "suites/requirements/data/stdio.json", "suites/requirements/data/progress.json",
		"suites/requirements/data/ext-progress.json",
		"suites/core/ping/ping.go", "reference-server/fault/ping/ping.go", "suites/core/tools/tools.go", "reference-server/fault/tools/tools.go",
		"suites/core/stdio/stdio.go", "reference-server/fault/stdio/stdio.go",
	} {
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// newcase runs the command, and returns what it says.
func newcase(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(args, &out)
	return out.String(), err
}

func holds(t *testing.T, path string, texts ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range texts {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s does not have %q", path, want)
		}
	}
}

// Every written file is formatted Go; a file that cannot be parsed is an error.
func TestNewSuite(t *testing.T) {
	top(t)
	if _, err := newcase(t, "cancellation/ends-listen", "cancellation-server-ends-listen"); err != nil {
		t.Fatal(err)
	}
	holds(t, "suites/internal/pages/pages.go", "core/cancellation\"", "\t\tcancellation.Suite(),")
	holds(t, "suites/core/cancellation/cancellation.go", "[]suite.Case{endsListenCase()}")
	holds(t, "suites/core/cancellation/proof_test.go", `proof.Area(t, "cancellation")`)
	holds(t, "suites/core/cancellation/ends_listen.go", `ID:     "cancellation/ends-listen"`, `"cancellation-server-ends-listen"`, "func endsListen(")
	holds(t, "reference-server/faults/faults.go", `{"cancellation", cancellation.Faults}`)
	holds(t, "reference-server/fault/cancellation/cancellation.go", "slices.Concat(endsListenFaults())")
	holds(t, "suites/internal/pages/pages.go", "caching.Suite(),\n\t\tcancellation.Suite(),\n\t\tping.Suite(),")
	if _, err := os.Stat("suites/core/cancellation/lawful_test.go"); err == nil {
		t.Error("a rule of 2026-07-28 has a lawful server that does not know that revision")
	}
	holds(t, "suites/core/cancellation/ends_listen_test.go", "func TestLawfulEndsListen(",
		`lawful.Stateless(t, "cancellation/ends-listen", lawful.Contents, &fault.Fault{})`)
	data, _ := os.ReadFile("suites/requirements/data/cancellation.json")
	if row := strings.SplitN(string(data), `"cancellation-server-ends-listen"`, 2)[1]; strings.Contains(row[:strings.Index(row, "clauses")], "not built") {
		t.Error("the rule still says that it is not built yet")
	}
	if _, err := newcase(t, "cancellation/ends-listen"); err == nil {
		t.Error("what is there already was written over")
	}
}

func TestKnownSuite(t *testing.T) {
	top(t)
	if _, err := newcase(t, "ping/never-late"); err != nil {
		t.Fatal(err)
	}
	holds(t, "suites/core/ping/ping.go", "\t\t\tneverLateCase(),\n\t\t},\n")
	holds(t, "reference-server/fault/ping/ping.go", "neverLateFaults()...")
	holds(t, "suites/core/ping/lawful_test.go", `{Name: "ping/never-late", Server: &fakeserver.Server{}}`)
	holds(t, "suites/requirements/data/ping.json", `{"id": "ping-never-late", "area": "ping"`)
}

// Suites have more forms than one; newcase names the entry that it could not add, and
// still writes the rest.
func TestOtherLists(t *testing.T) {
	top(t)
	for _, id := range []string{"tools/never-late", "stdio/never-late"} {
		if _, err := newcase(t, "--watch", id); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, "suites/core/tools/tools.go", "[]suite.Case{neverLateCase()},\n\t\t),\n")
	holds(t, "suites/core/stdio/lawful_test.go", `lawful.Servers(t, "stdio", []lawful.Row{`, `{Name: "stdio/never-late", Server: &fakeserver.Server{}}`)
	holds(t, "suites/core/tools/never_late.go", "func neverLate(a probe.Answer) probe.Opinion", `probe.OnResult("ping", neverLate)`)
	holds(t, "reference-server/fault/tools/tools.go", "\t\tneverLateFaults(),\n\t)\n")
	holds(t, "reference-server/fault/stdio/never_late.go", "func neverLateFaults()")
}

// A page and a proposal may have one name.
func TestSameName(t *testing.T) {
	top(t)
	for _, id := range []string{"ext-progress/told", "progress/told"} {
		if _, err := newcase(t, id); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, "suites/internal/pages/pages.go", "extprogress \"", "extprogress.Suite(),", "\t\tprogress.Suite(),\n")
	holds(t, "reference-server/faults/faults.go", `{"progress", progress.Faults}`, `{"ext-progress", extprogress.Faults}`)
}

func TestNewExtension(t *testing.T) {
	top(t)
	if _, err := newcase(t, "ext-manifest/fetched"); err != nil {
		t.Fatal(err)
	}
	holds(t, "suites/ext/manifest/manifest.go", `proposal.Extension("manifest")`, `Name:      "ext-manifest"`)
	holds(t, "reference-server/ext/manifest/faults/faults.go", "fetchedFaults()")
	holds(t, "reference-server/faults/faults.go", `{"ext-manifest", manifest.Faults}`)
}

// A rule for the newest revision and its twin for the older ones are checked by one case.
func TestPairOfRows(t *testing.T) {
	top(t)
	const path = "suites/requirements/data/ping.json"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const row = `,
  {"id": %q, "area": "ping", "unchecked": "not built yet", "clauses": []}`
	text := strings.TrimRight(string(data), "] \n") + fmt.Sprintf(row, "ping-calm") + fmt.Sprintf(row, "ping-calm-legacy") + "\n]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := newcase(t, "ping/calm")
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "suites/core/ping/calm.go", `Checks: []requirements.ID{"ping-calm", "ping-calm-legacy"},`)
	holds(t, "reference-server/fault/ping/calm.go", `"ping-calm-broken"`, `"ping-calm"`, `"ping-calm-broken-legacy"`, `"ping-calm-legacy"`)
	if data, _ := os.ReadFile(path); strings.Contains(string(data), "not built yet") {
		t.Error("one of the rules still says that it is not built yet")
	}
	want := "ping-calm and ping-calm-legacy are one rule at different revisions: the case checks both, and each has a fault"
	if !strings.Contains(said, want) {
		t.Errorf("got %s, want %s", said, want)
	}
}

// The words for the revisions may also stand within the ids.
func TestPairWithinIDs(t *testing.T) {
	top(t)
	const path = "suites/requirements/data/resources.json"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unbuilt := strings.NewReplacer(
		`-code", "area": "resources",`, `-code", "area": "resources", "unchecked": "not built yet",`,
		"resources-not-found-", "resources-lost-",
	).Replace(string(data))
	if err := os.WriteFile(path, []byte(unbuilt), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newcase(t, "resources/lost-code", "resources-lost-legacy-code"); err != nil {
		t.Fatal(err)
	}
	holds(t, "suites/core/resources/lost_code.go", `{"resources-lost-modern-code", "resources-lost-legacy-code"}`)
	holds(t, "suites/core/resources/lawful_test.go", `{Name: "resources/lost-code", Server: &fakeserver.Server{}}`)
}

// A case may check a rule of another area.
func TestRuleOfAnotherArea(t *testing.T) {
	top(t)
	if _, err := newcase(t, "ping/broken-level", "logging-request-level-invalid"); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile("suites/requirements/data/ping.json")
	if strings.Contains(string(data), "logging-request-level-invalid") {
		t.Error("the rule has a second row")
	}
}

// The command says where each TODO stands that it wrote, and no other.
func TestTODOs(t *testing.T) {
	top(t)
	if _, err := newcase(t, "ping/before"); err != nil {
		t.Fatal(err)
	}
	said, err := newcase(t, "ping/never-late")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"suites/core/ping/never_late.go:12: Title:", "reference-server/fault/ping/never_late.go:8: Title:",
		"suites/core/ping/lawful_test.go:17: // TODO: a lawful server", "suites/requirements/data/ping.json:",
		"go run ./cmd/mcp-conform selftest --fault 'ping-never-late*'",
	} {
		if !strings.Contains(said, "  "+want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if strings.Contains(said, "ping/before.go:") || strings.Contains(said, "ping/before could fail") {
		t.Errorf("a TODO of before is listed:\n%s", said)
	}
}

func TestHelp(t *testing.T) {
	top(t)
	for _, flag := range []string{"-h", "--help"} {
		if said, err := newcase(t, flag); err != nil || !strings.HasPrefix(said, "usage: go run ./internal/newcase") {
			t.Errorf("%s: %v %s", flag, err, said)
		}
	}
	if _, err := newcase(t); err == nil || !strings.Contains(err.Error(), "usage: go run ./internal/newcase") {
		t.Errorf("no arguments: %v", err)
	}
	if _, err := newcase(t, "ping/late", "--wach"); err == nil || !strings.Contains(err.Error(), "--wach") {
		t.Errorf("an unknown flag: %v", err)
	}
}

func TestWrongUse(t *testing.T) {
	top(t)
	for _, args := range [][]string{nil, {"ping"}, {"Ping/late"}, {"ping/late", "Bad Rule"}, {"no-such-page/late"}, {"a/b", "c", "d"}} {
		if _, err := newcase(t, args...); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
