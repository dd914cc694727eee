package engine_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Cases of two columns offer data at the same time, at the one address under which the
// target reaches the kit.
func TestOffersOfTwoColumns(t *testing.T) {
	t.Parallel()
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	var offering atomic.Int64
	server := &fakeserver.Server{Revisions: []string{"2025-06-18", "2025-11-25"}}
	p := plan(t, server, suite.Case{ID: "try/offers", Lane: suite.Fresh, Run: func(c *probe.Client) error {
		c.Serve(probe.Offered{Type: "text/plain"})
		offering.Add(1)
		for range 100 {
			if offering.Load() == 2 {
				return nil
			}
			c.Pause(10 * time.Millisecond)
		}
		return probe.Evidence{}.Violation("nothing is offered beside this")
	}})
	p.Config.Revisions, p.Config.Target.KitURL = config.Revisions{All: true}, "http://"+address
	r, _ := gather(t, p)
	for _, f := range r.Findings {
		if f.Status != reports.Pass {
			t.Errorf("at %s: %s %s %+v", f.Revision, f.Status, f.Problem, f.Reason)
		}
	}
}
