package suites_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Many cases call the tool that asks with a form. Where its calls are never answered, they
// wait side by side, and one of them waits once more while no other case runs. The clock
// of a bubble shows nothing of how busy the machine is.
func TestHangingToolCostsTwoWaits(t *testing.T) {
	t.Parallel()
	const wait = 10 * time.Second
	took := map[bool]time.Duration{}
	for _, hangs := range []bool{false, true} {
		broken := &fault.Fault{}
		if hangs {
			broken.Inbound = fault.Tool("test_elicitation").Hang()
		}
		cfg := proof.Config(t)
		cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20251125)}}
		cfg.Transport = config.HTTP
		report := proof.Judge(t, suites.Plan{Config: cfg, Local: inprocess.Server(broken), Seed: 1, Jobs: 8, Timeout: wait})
		took[hangs] = time.Duration(report.Run.DurationMs) * time.Millisecond
	}
	if more := took[true] - took[false]; more < wait || more > 2*wait {
		t.Errorf("the run took %s in place of %s, want one or two waits of %s more", took[true], took[false], wait)
	}
}
