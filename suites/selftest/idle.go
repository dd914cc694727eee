package selftest

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/judge"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A ground is a sound server in one column.
type ground struct {
	sound  *plan.Local
	column requirements.Column
}

// idle are the cases that judge nothing of a sound server in a column. They need not notice a
// broken one there: at older revisions, and over some transports, a server may have nothing to
// look at.
type idle map[ground]map[string]bool

// of reports whether a case is idle in a trial. None is in a column that the subject names, or
// in the first one of its rule.
func (i idle) of(t trial, id string) bool {
	return len(t.In) == 0 && !t.first && i[t.ground()][id]
}

func (t trial) ground() ground { return ground{t.Sound, t.column} }

// vain reports whether a trial shows nothing: all cases that have to notice the subject are
// idle, and none did. A fault may give an idle case something to judge.
func (i idle) vain(t trial, r Row, o Options) bool {
	return i != nil && len(r.Spoke) == 0 && r.Trouble == "" &&
		!slices.ContainsFunc(t.Must(o.Suites), func(id string) bool { return !i.of(t, id) })
}

// grounds is how many sound servers are judged at once: they mostly wait.
const grounds = 16

// idleCases judges the sound servers of trials in the columns of their trials, each by the
// cases near those trials.
func idleCases(ctx context.Context, trials []trial, o Options) (idle, error) {
	chosen := map[ground]map[string]bool{}
	for _, t := range trials {
		if t.Sound == nil || len(t.In) > 0 {
			continue
		}
		if chosen[t.ground()] == nil {
			chosen[t.ground()] = map[string]bool{}
		}
		maps.Copy(chosen[t.ground()], near(t.Subject, t.column, o.Suites, t.common.catalogue, o.Seed, true))
	}
	all := idle{}
	judging, ctx := errgroup.WithContext(ctx)
	judging.SetLimit(grounds)
	for each, by := range chosen {
		cases := map[string]bool{}
		all[each] = cases
		judging.Go(func() error {
			cfg := o.Config
			cfg.Revisions = config.Revisions{Dates: []string{string(each.column.Revision)}}
			cfg.Transport = config.Transport(each.column.Transport)
			report, err := judge.Judge(ctx, plan.Plan{
				Config: cfg, Local: each.sound, Suites: o.given, Seed: o.Seed, Jobs: o.Jobs, Timeout: o.Timeout,
				Selected: func(_ suite.Suite, c suite.Case) bool { return by[c.ID] },
			}, nil)
			for _, f := range report.Findings {
				// Some cases are judged on request only, and trials request them.
				cases[f.Case] = f.Status == reports.Skip && f.Reason.Kind != reports.OptIn
			}
			return err
		})
	}
	return all, judging.Wait()
}
