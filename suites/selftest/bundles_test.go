package selftest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// One worker judges all trials of a subject. What lets time pass begins first, then what hangs,
// then what looks for late effects.
func TestQueues(t *testing.T) {
	t.Parallel()
	all := []suite.Suite{{Cases: []suite.Case{
		{ID: "plain"}, {ID: "waits", Lane: suite.Waits}, {ID: "observes", Observes: "a role"}, {ID: "long", Long: true},
	}}}
	var trials []trial
	for _, each := range []struct {
		name, kills string
		hangs       bool
	}{
		{"a", "plain", false},
		{"b", "observes", false},
		{"b", "observes", false},
		{"c", "plain", true},
		{"d", "long", false},
		{"e", "waits", true},
		{"f", "plain", false},
		{"f", "plain", false},
		{"g", "waits", false},
	} {
		trials = append(trials, trial{Subject: Subject{Name: each.name, Kills: []string{each.kills}, Hangs: each.hangs}})
	}
	long, short := queues(trials, all)
	if diff := cmp.Diff([]bundle{{5}, {8}, {3}, {1, 2}, {4}}, long); diff != "" {
		t.Errorf("those that wait for long (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]bundle{{0}, {6, 7}}, short); diff != "" {
		t.Errorf("the others (-want +got):\n%s", diff)
	}
}
