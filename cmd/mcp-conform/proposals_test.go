package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProposalsTable: the table of the proposals in the docs has the counts of today.
func TestProposalsTable(t *testing.T) {
	t.Parallel()
	l, err := openLibrary()
	if err != nil {
		t.Fatal(err)
	}
	rules, judged, faults := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range l.rules.All() {
		area := l.rules.Area(r.ID)
		rules[area]++
		if len(l.casesOf(r.ID)) > 0 {
			judged[area]++
		}
	}
	for _, f := range l.faults {
		faults[l.rules.Area(f.Breaks)]++
	}
	var b strings.Builder
	b.WriteString("| suite | rules | with a case | cases | faults |\n|---|---|---|---|---|\n")
	for _, s := range l.suites {
		if strings.HasPrefix(s.Name, "ext-") {
			if rules[s.Name] == 0 || faults[s.Name] == 0 {
				t.Errorf("%s has %d rules and %d faults", s.Name, rules[s.Name], faults[s.Name])
			}
			fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d |\n", s.Name, rules[s.Name], judged[s.Name], len(s.Cases), faults[s.Name])
		}
	}
	path := filepath.Join("..", "..", "docs", "extensions.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "-run TestProposalsTable -update -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), begin)
	kept, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no marks for the table", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), kept); diff != "" {
		t.Error(diff)
	}
}

// TestChecksTable: each of the seven checks of the proposals names cases, and they exist.
func TestChecksTable(t *testing.T) {
	t.Parallel()
	l, err := openLibrary()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "extensions.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| CONF-") {
			continue
		}
		found++
		cells := strings.Split(line, "|")
		if want := fmt.Sprintf("CONF-%03d", found); strings.TrimSpace(cells[1]) != want {
			t.Errorf("a row begins with %s, want %s", cells[1], want)
		}
		for id := range strings.SplitSeq(cells[3], ",") {
			if _, _, known := l.findCase(strings.Trim(id, " `")); !known {
				t.Errorf("%s names %s, which is no case", cells[1], id)
			}
		}
	}
	if found != 7 {
		t.Errorf("%d checks, want 7", found)
	}
}
