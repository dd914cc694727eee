// Package proof lets the package of a page prove its cases with the faults of
// the reference server. Only tests import it: a page knows no server.
package proof

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/internal/pages"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Area tries the faults of an area on the cases near them: exactly the cases
// that have to notice a fault do. It also makes sure that each case of the
// suite with that name has to notice some fault, even one of another area. To
// try a single fault, run mcp-conform selftest --fault NAME.
func Area(t *testing.T, area string) {
	t.Helper()
	t.Parallel()
	all := inprocess.Subjects()
	page := slices.DeleteFunc(pages.All(), func(s suite.Suite) bool { return s.Name != area })
	if len(page) != 1 {
		t.Fatalf("no suite is called %s", area)
	}
	for _, id := range selftest.Unkilled(all, page, nil) {
		t.Errorf("no fault makes %s fail or warn", id)
	}
	own := slices.DeleteFunc(all, func(s selftest.Subject) bool { return s.Area != area })
	if len(own) == 0 {
		t.Fatalf("%s has no faults", area)
	}
	within, outside := split(own)
	t.Run("within", func(t *testing.T) {
		t.Parallel()
		bubble.Run(t, func(t *testing.T) { try(t, within, nil) })
	})
	if len(outside) > 0 {
		t.Run("outside", func(t *testing.T) {
			t.Parallel()
			try(t, outside, nil)
		})
	}
}

// split divides subjects by whether they can be tried within a bubble.
func split(subjects []selftest.Subject) (within, outside []selftest.Subject) {
	for _, s := range subjects {
		if plan.RigOf(s.Local).Everywhere {
			outside = append(outside, s)
		} else {
			within = append(within, s)
		}
	}
	return within, outside
}

// try judges subjects, as the options say once change, if any, has changed them.
func try(t *testing.T, subjects []selftest.Subject, change func(*selftest.Options)) {
	t.Helper()
	o := selftest.Options{
		Config: Config(t), Jobs: selftest.Jobs, Seed: 1, Timeout: 5 * time.Second,
		Progress: func(r selftest.Row, _ int) { tell(t, r) },
	}
	if raceEnabled {
		// The race detector makes trials ten times as slow, and all run the same code.
		o.Shard = plan.Shard{Index: 1, Of: len(subjects)}
	}
	if change != nil {
		change(&o)
	}
	if _, err := selftest.Run(t.Context(), subjects, o); err != nil {
		t.Fatal(err)
	}
}

func tell(t *testing.T, r selftest.Row) {
	t.Helper()
	if r.Holds() {
		t.Logf("%5.1fs %s at %s over %s", r.Took.Seconds(), r.Subject, r.Column.Revision, r.Column.Transport)
		return
	}
	var blame []string
	for _, id := range r.Silent {
		blame = append(blame, "did not fail or warn: "+id)
	}
	for _, id := range r.Astray {
		blame = append(blame, "must not fail or warn: "+id)
	}
	if r.Trouble != "" {
		blame = append(blame, strings.TrimSpace(r.Trouble))
	}
	t.Errorf("%s at %s over %s\n%s", r.Subject, r.Column.Revision, r.Column.Transport, strings.Join(blame, "\n"))
}
