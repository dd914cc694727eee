package requirements_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestWordsRoundTrip(t *testing.T) {
	t.Parallel()
	t.Run("level", func(t *testing.T) { roundTrip(t, requirements.Levels(), requirements.ParseLevel) })
	t.Run("basis", func(t *testing.T) { roundTrip(t, requirements.Bases(), requirements.ParseBasis) })
	t.Run("transport", func(t *testing.T) { roundTrip(t, requirements.Transports(), requirements.ParseTransport) })
	t.Run("revision", func(t *testing.T) { roundTrip(t, requirements.Revisions(), requirements.ParseRevision) })
}

func roundTrip[T ~string](t *testing.T, words []T, parse func(string) (T, error)) {
	t.Helper()
	for i, word := range words {
		if got, err := parse(string(word)); err != nil || got != word {
			t.Errorf("parsing %q gives %q, %v", word, got, err)
		}
		text, err := json.Marshal(word)
		if err != nil {
			t.Fatal(err)
		}
		var got T
		if err := json.Unmarshal(text, &got); err != nil || got != word {
			t.Errorf("%s gives %q, %v", text, got, err)
		}
		if slices.Contains(words[:i], word) {
			t.Errorf("%q stands for two things", word)
		}
	}
	for _, wrong := range []string{"", "must", "MUST NOT", "Stdio", "2025-11-26", " keyword"} {
		if got, err := parse(wrong); err == nil || got != "" {
			t.Errorf("parsing %q gives %q, %v, want an error", wrong, got, err)
		}
	}
}

// The list of bases holds exactly those that rows use.
func TestBasesAreUsed(t *testing.T) {
	t.Parallel()
	used := make(map[requirements.Basis]bool)
	for _, r := range load(t).All() {
		for _, c := range r.Clauses {
			used[c.Basis] = true
		}
	}
	for _, b := range requirements.Bases() {
		if !used[b] {
			t.Errorf("no row rests on %q", b)
		}
	}
}

func TestWeakBases(t *testing.T) {
	t.Parallel()
	var weak []requirements.Basis
	for _, b := range requirements.Bases() {
		if b.Weak() {
			weak = append(weak, b)
		}
	}
	want := []requirements.Basis{requirements.Prose, requirements.JSONRPCTable, requirements.SEP}
	if !slices.Equal(want, weak) {
		t.Errorf("got %v, want %v", weak, want)
	}
}

func TestRevisionsAreInOrder(t *testing.T) {
	t.Parallel()
	all := requirements.Revisions()
	for i := range all {
		for j := range all {
			if all[i].Before(all[j]) != (i < j) {
				t.Errorf("%s before %s is %t", all[i], all[j], i >= j)
			}
		}
	}
}

func TestModern(t *testing.T) {
	t.Parallel()
	for _, r := range requirements.Revisions() {
		if got, want := r.Modern(), r == requirements.R20260728; got != want {
			t.Errorf("%s: got %t, want %t", r, got, want)
		}
	}
	if requirements.Revision("2099-01-01").Modern() {
		t.Error("a revision nobody knows is called modern")
	}
}
