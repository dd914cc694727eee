package main

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

var trials = flag.Int("trials", 8, "run the lines that explain prints for this many faults; 0: all")

// The lines that explain prints for a fault show it: every case that must find the fault
// does so, where the case exists in the column. The server runs in this process, the
// rest is as printed.
func TestTrialsShowTheFault(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no fault is tried by the command")
	}
	l, err := openLibrary()
	if err != nil {
		t.Fatal(err)
	}
	sample := slices.Clone(l.faults)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	if *trials > 0 {
		sample = sample[:*trials]
	}
	for _, f := range sample {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			spoke, shown := tried(t, l, f), false
			for _, id := range inprocess.Subject(f).Must(l.suites) {
				found, there := spoke[id]
				complains := found.Status == reports.Fail || found.Status == reports.Warn
				shown = shown || complains
				if there && !complains {
					t.Errorf("%s does not speak, its finding is %s %+v: %q", id, found.Status, found.Reason, planTrial(l, f).lines(f.Name))
				}
			}
			if !shown {
				t.Errorf("no case speaks: %q", planTrial(l, f).lines(f.Name))
			}
		})
	}
}

// telling picks the cases that must find the fault and the cases that block them. A
// watcher sees messages of all cases.
func (l *library) telling(f fault.Fault) func(suite.Suite, suite.Case) bool {
	must := inprocess.Subject(f).Must(l.suites)
	if slices.ContainsFunc(must, func(id string) bool { _, c, _ := l.findCase(id); return c.Watch != nil }) {
		return nil
	}
	return func(_ suite.Suite, c suite.Case) bool { return len(c.Proves) > 0 || slices.Contains(must, c.ID) }
}

// tried carries a trial out and returns the finding of each case. It waits as long as the printed
// lines do, by the clock of a bubble, which shows nothing of how busy the machine is.
func tried(t *testing.T, l *library, f fault.Fault) map[string]reports.Finding {
	t.Helper()
	how, cfg := planTrial(l, f), config.Default()
	if how.configured {
		reference, err := inprocess.Config(func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		cfg = reference
		cfg.Stress = how.stressed
	}
	cfg.Revisions, cfg.Transport = config.Revisions{Dates: []string{string(how.at)}}, config.Transport(how.over)
	local := inprocess.Server(&f)
	rig := plan.RigOf(local)
	rig.Within = true
	var r reports.Report
	var err error
	bubble.Run(t, func(t *testing.T) {
		time.Sleep(123 * time.Millisecond) // the clock begins at a whole second, as if times were cut to it
		r, err = suites.Judge(t.Context(), suites.Plan{
			Config: cfg, Local: plan.Rigged(*local, rig), Selected: l.telling(f), Seed: 1,
		})
	})
	if err != nil || r.Verdict.Status == reports.Unjudged {
		t.Fatalf("%v: %s", err, r.Verdict.Text)
	}
	spoke := map[string]reports.Finding{}
	for _, f := range r.Findings {
		spoke[f.Case] = f
	}
	return spoke
}
