package suites_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

// Many cases call the tool that asks with a form. Where its calls are never answered, they
// wait beside the other cases, and one of them waits once more while no other case runs: the
// run takes one wait more than on a sound server, and a few short ones. Subscriptions that are
// never acknowledged cost the same, and a second for each case of push. Where ping is not
// answered, another request shows that the server has dealt with what was sent before. Where no
// tool is answered, each of some fifty tools is another kind of request: three of them show it. As
// many show that answers are lost at times, which other cases then await only where they complain.
// The clock of a bubble shows nothing of how busy the machine is.
func TestHangingRequestsCostFewWaits(t *testing.T) {
	t.Parallel()
	const wait = 10 * time.Second
	took := func(server *plan.Local, over config.Transport, at requirements.Revision) (run time.Duration, inFull bool) {
		cfg := proof.Config(t)
		cfg.Revisions = config.Revisions{Dates: []string{string(at)}}
		cfg.Transport = over
		report := proof.Judge(t, suites.Plan{Config: cfg, Local: server, Seed: 1, Jobs: 8, Timeout: wait})
		return time.Duration(report.Run.DurationMs) * time.Millisecond, slices.ContainsFunc(report.Findings, func(f reports.Finding) bool {
			said := f.Problem
			if f.Reason != nil {
				said += f.Reason.Text
			}
			return strings.Contains(said, "within "+wait.String())
		})
	}
	all := inprocess.Subjects()
	subject := func(name string) *plan.Local {
		return all[slices.IndexFunc(all, func(s selftest.Subject) bool { return s.Name == name })].Local
	}
	none := subject("tools-calls-never-answered")
	one := inprocess.Server(&fault.Fault{Inbound: fault.Tool("test_elicitation").Hang()})
	listen := inprocess.Server(&fault.Fault{Inbound: fault.On("subscriptions/listen").Hang()})
	ping := inprocess.Server(&fault.Fault{Inbound: fault.On("ping").Hang()})
	initialize := inprocess.Server(&fault.Fault{Inbound: fault.On("initialize").Hang()})
	read := inprocess.Server(&fault.Fault{Inbound: fault.On("resources/read").Hang()})
	sound := map[[2]string]time.Duration{} // the time of a sound server
	for _, row := range []struct {
		name   string
		server *plan.Local
		over   config.Transport
		at     requirements.Revision
		most   time.Duration
	}{
		{"one tool", one, config.HTTP, requirements.R20251125, wait + wait/2},
		{"one tool", one, config.Stdio, requirements.R20251125, wait + wait*4/5},
		{"no tool", none, config.Stdio, requirements.R20251125, 9 * wait},
		{"no subscription", listen, config.HTTP, requirements.R20260728, 4 * wait},
		{"no subscription", listen, config.Stdio, requirements.R20260728, 4 * wait},
		{"no ping", ping, config.HTTP, requirements.R20251125, 7 * wait / 2},
		{"no ping", ping, config.Stdio, requirements.R20251125, 7 * wait / 2},
		{"no ping after the fourth", subject("ping-not-answered"), config.HTTP, requirements.R20251125, 6 * wait},
		{"no long line", subject("stdio-long-line-dropped"), config.Stdio, requirements.R20251125, 2 * wait},
		{"no question of most tools", subject("http-messages-cross-streams"), config.HTTP, requirements.R20251125, 6 * wait},
		{"no bare client", subject("lifecycle-bare-client-hangs"), config.Stdio, requirements.R20251125, wait + wait/2},
		{"no wrong arguments", subject("tools-invalid-arguments-hang"), config.HTTP, requirements.R20250618, 2 * wait},
		{"no accepted form", subject("elicitation-accept-hangs"), config.Stdio, requirements.R20251125, wait + wait/2},
		{"no resource", read, config.HTTP, requirements.R20251125, 4 * wait},
		{"no resource", read, config.Stdio, requirements.R20260728, 6 * wait},
		{"no handshake", initialize, config.HTTP, requirements.R20260728, 4 * wait},
		{"no handshake", initialize, config.Stdio, requirements.R20260728, 6 * wait},
	} {
		column := [2]string{string(row.over), string(row.at)}
		if sound[column] == 0 {
			sound[column], _ = took(inprocess.Server(nil), row.over, row.at)
		}
		run, inFull := took(row.server, row.over, row.at)
		more := run - sound[column]
		if more > row.most {
			t.Errorf("%s over %s: the run took %s more than %s, want %s at most", row.name, row.over, more, sound[column], row.most)
		}
		if more < wait && !inFull {
			t.Errorf("%s over %s: the run took %s more than %s, and no finding speaks of an answer that did not come within %s",
				row.name, row.over, more, sound[column], wait)
		}
	}
}
