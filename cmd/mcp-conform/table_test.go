package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On a terminal the last column is wrapped between words; elsewhere a row is a
// line.
func TestTableIsWrapped(t *testing.T) {
	t.Parallel()
	of := table{
		rows:   [][]string{{"a/b", "MUST", "a ping is answered at once, whatever else there is"}, {"longer/name", "SHOULD", "é"}},
		footer: []string{"", "  2 things that are worth to be told of at some length"},
	}
	for width, want := range map[int]string{
		0: "a/b          MUST    a ping is answered at once, whatever else there is\n" +
			"longer/name  SHOULD  é\n\n  2 things that are worth to be told of at some length\n",
		52: "a/b          MUST    a ping is answered at once,\n                     whatever else there is\n" +
			"longer/name  SHOULD  é\n\n  2 things that are worth to be told of at some\n  length\n",
		40: "a/b          MUST\n    a ping is answered at once, whatever\n    else there is\n" +
			"longer/name  SHOULD  é\n\n  2 things that are worth to be told of\n  at some length\n",
	} {
		var out strings.Builder
		if err := of.write(&out, width); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%d columns: %s", width, diff)
		}
	}
}

// Every list fits a terminal of 80 columns, and no name in it is broken.
func TestListsFit(t *testing.T) {
	t.Parallel()
	l, err := openLibrary()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"", "cases", "requirements", "suites", "faults", "roles"} {
		var out strings.Builder
		if err := tableOf(l, kind).write(&out, helpWidth); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > helpWidth {
				t.Errorf("list %s: %d columns: %s", kind, n, line)
			}
		}
	}
}
