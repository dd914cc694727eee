package main

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites"
)

func TestParity(t *testing.T) {
	t.Parallel()
	p, err := readParity()
	if err != nil {
		t.Fatal(err)
	}
	var cases []string
	for _, s := range suites.All() {
		for _, c := range s.Cases {
			cases = append(cases, c.ID)
		}
	}
	known := map[string]bool{}
	for _, r := range p.Rows {
		if known[r.Check] {
			t.Errorf("%s has two rows", r.Check)
		}
		known[r.Check] = true
		if (len(r.Cases) == 0) != (r.Later != "") {
			t.Errorf("%s has %d cases, and later they come with %q: want one of the two", r.Check, len(r.Cases), r.Later)
		}
		for _, name := range r.Cases {
			if !slices.Contains(cases, name) {
				t.Errorf("%s names %s, and there is no such case", r.Check, name)
			}
		}
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	p, err := readParity()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []seen
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Errorf("results.json has %d servers, want 3", len(all))
	}
	kept, err := os.ReadFile("../../" + documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document(p, all), string(kept)); diff != "" {
		t.Errorf("docs/parity.md is not made of parity.json and results.json; run make peer (-want +got):\n%s", diff)
	}
}
