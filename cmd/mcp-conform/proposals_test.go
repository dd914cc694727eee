package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	generated(t, "extensions.md", b.String())
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
