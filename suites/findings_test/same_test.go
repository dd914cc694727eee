package findings_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
)

// What a server does everywhere is no finding of each case that meets it.
func TestSameSlipInSeveralCases(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fault fault.Fault
		at    requirements.Revision
		want  []string
	}{
		{
			"notifications that are answered", fault.Fault{Inbound: func(x fault.Exchange) fault.Verdict {
				if x.ID != nil || !strings.HasPrefix(x.Method, "notifications/") {
					return fault.Verdict{}
				}
				return fault.Verdict{Answer: []fault.Message{{"jsonrpc": "2.0", "id": nil, "result": map[string]any{}}}}
			}}, requirements.R20251125, []string{"jsonrpc/initialized-unanswered"},
		},
		{
			"questions that no client has to declare", fault.Fault{Skip: []fault.Check{fault.CheckClientCapability}},
			requirements.R20251125, []string{"elicitation/only-if-declared", "roots/only-if-declared", "sampling/only-if-declared"},
		},
		{
			"questions that no client has to declare", fault.Fault{Skip: []fault.Check{fault.CheckClientCapability}},
			requirements.R20260728, []string{"elicitation/only-if-declared", "roots/only-if-declared", "sampling/only-if-declared"},
		},
	} {
		t.Run(row.name+" at "+string(row.at), func(t *testing.T) {
			t.Parallel()
			row.fault.Without = server.Extensions()
			cfg, local := proof.Config(t), inprocess.Server(&row.fault)
			cfg.Revisions, local.Handler = config.Revisions{Dates: []string{string(row.at)}}, nil
			report := proof.Judge(t, suites.Plan{Config: cfg, Local: local, Seed: 1, Selected: lawful.Prompt})
			if diff := cmp.Diff(row.want, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

// An item on two pages is no second item of that name.
func TestItemOnTwoPages(t *testing.T) {
	t.Parallel()
	all := inprocess.Subjects()
	overlap := all[slices.IndexFunc(all, func(s selftest.Subject) bool { return s.Name == "pagination-pages-overlap" })].Local
	cfg := proof.Config(t)
	cfg.Revisions, overlap.Handler = config.Revisions{Dates: []string{string(requirements.R20251125)}}, nil
	report := proof.Judge(t, suites.Plan{Config: cfg, Local: overlap, Seed: 1, Selected: lawful.Prompt})
	if diff := cmp.Diff([]string{"pagination/stable-cursors-prompts"}, blamed(report)); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
}
