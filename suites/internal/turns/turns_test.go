package turns

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// jobs reads "a1 a1 b2": a suite and a column each, ! for a case that opens a connection, ~ for
// one that calls a slow tool, and * for one of a trial that all such cases share.
func jobs(written string) []Job {
	var all []Job
	for _, each := range strings.Fields(written) {
		c := &suite.Case{Raw: strings.HasSuffix(each, "!")}
		if strings.HasSuffix(each, "~") {
			c.Needs = []suite.Need{suite.Either(suite.Role(roles.ReadOnlyTool), suite.Role(roles.SlowTool, "observe"))}
		}
		if strings.HasSuffix(each, "*") {
			c.Trial = "shared"
		}
		all = append(all, Job{Suite: each[:1], Column: each[1:2], Case: c})
	}
	return all
}

func TestNext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jobs    string
		workers []int // whose turn it is; there are two of them, or four
		want    []int
	}{
		"one worker takes all in order":           {"a1 a1 b1 b1", []int{0, 0, 0, 0, 0}, []int{0, 1, 2, 3, -1}},
		"a worker stays with its suite":           {"a1 a1 b1 b1", []int{0, 1, 0, 1}, []int{0, 2, 1, 3}},
		"a suite without a worker comes first":    {"a1 a1 b1 c1", []int{0, 1, 1, 0}, []int{0, 2, 3, 1}},
		"jobs of a suite are taken over in order": {"a1 a1 a1 b1", []int{0, 1, 1, 0}, []int{0, 3, 1, 2}},
		"a column comes after the column before": {
			"a1 b1 a2 b2", []int{0, 0, 1, 0, 1}, []int{0, 1, 2, 3, -1}},
		"a worker comes back to its suite":            {"a1 b1 a1 a2", []int{0, 0, 0, 0}, []int{0, 2, 1, 3}},
		"open connections are used first":             {"a1! a1 b1! b1 a2", []int{0, 0, 0, 0, 0}, []int{1, 3, 2, 0, 4}},
		"a worker is left to quick cases":             {"a1~ a1~ a1 b1", []int{0, 1, 1, 0}, []int{0, 3, 2, 1}},
		"two slow tools of four workers":              {"a1~ a1~ a1~ b1 b1 b1", []int{0, 1, 2, 3, 1, 2, 0}, []int{0, 1, 3, 4, 2, 5, -1}},
		"slow tools come last where no other is left": {"a1~ a1~ b1", []int{0, 1, 1}, []int{0, 2, 1}},
		"slow tools are called first":                 {"a1 b1~ a1 b1", []int{0, 1, 0, 1}, []int{1, 0, 3, 2}},
		"a trial is left to the worker that is at it": {"a1* a1* b1", []int{0, 1, 1, 0}, []int{0, 2, -1, 1}},
		"a worker at a trial stays there":             {"a1* b1 a1 a1*", []int{0, 0, 1, 0}, []int{0, 3, 1, 2}},
		"a trial stands in one column":                {"a1* a2*", []int{0, 1}, []int{0, 1}},
		"no job":                                      {"", []int{0}, []int{-1}},
		"a worker that came to the end stays":         {"a1", []int{0, 0, 0, 1}, []int{0, -1, -1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last := make([]turn, (slices.Max(c.workers)+2)/2*2)
			l := Of(jobs(c.jobs), len(last))
			var got []int
			for _, worker := range c.workers {
				next, ok := l.next(last[worker])
				if !ok {
					next.at = -1
				}
				last[worker] = next
				got = append(got, next.at)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestOneWorker(t *testing.T) {
	t.Parallel()
	got := slices.Collect(Of(jobs("a1 a1~ b1"), 1).Worker())
	if want := []int{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Each job is done once, by whoever comes.
func TestWorkers(t *testing.T) {
	t.Parallel()
	all := jobs(strings.Repeat("a1 b1 c1! ", 50) + strings.Repeat("a2 d2 ", 50))
	l := Of(all, 5)
	var mu sync.Mutex
	var done []int
	var crowd sync.WaitGroup
	for range 5 {
		crowd.Go(func() {
			for at := range l.Worker() {
				mu.Lock()
				done = append(done, at)
				mu.Unlock()
			}
		})
	}
	crowd.Wait()
	slices.Sort(done)
	if len(done) != len(all) || len(slices.Compact(done)) != len(all) {
		t.Errorf("%d jobs of %d are done: %v", len(slices.Compact(done)), len(all), done)
	}
}

func TestQuick(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*suite.Case{
		"calls many tools":    {Long: true},
		"looks for effects":   {Observes: roles.StateChange},
		"calls a slow tool":   {Needs: []suite.Need{suite.Role(roles.SlowTool)}},
		"opens a connection":  {Lane: suite.Fresh},
		"speaks first on one": {Raw: true},
	} {
		if Quick(c) {
			t.Errorf("a case that %s is quick", name)
		}
	}
	if !Quick(&suite.Case{Needs: []suite.Need{suite.Role(roles.ReadOnlyTool)}}) {
		t.Error("a case that calls one tool is not quick")
	}
}
