package lawful

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
)

// A lawful server stands for a suite only if a case of the suite comes to a verdict on it.
func TestRan(t *testing.T) {
	t.Parallel()
	skipped := func(suite string, kind reports.ReasonKind) reports.Finding {
		return reports.Finding{Suite: suite, Status: reports.Skip, Reason: &reports.Reason{Kind: kind}}
	}
	for name, row := range map[string]struct {
		finding reports.Finding
		want    bool
	}{
		"passed":          {reports.Finding{Suite: "ping", Status: reports.Pass}, true},
		"warned":          {reports.Finding{Suite: "ping", Status: reports.Warn}, true},
		"another suite":   {reports.Finding{Suite: "tools", Status: reports.Pass}, false},
		"nothing seen":    {skipped("ping", reports.NotSeen), false},
		"no occasion":     {skipped("ping", reports.NotApplicable), false},
		"undecided":       {skipped("ping", reports.Undecided), false},
		"not declared":    {skipped("ping", reports.NotDeclared), false},
		"not claimed":     {skipped("ping", reports.NotClaimed), false},
		"no role":         {skipped("ping", reports.NoRole), false},
		"other transport": {skipped("ping", reports.OtherTransport), false},
		"other revision":  {skipped("ping", reports.OtherRevision), false},
		"blocked":         {skipped("ping", reports.Blocked), false},
	} {
		if got := ran([]reports.Finding{row.finding}, "ping"); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}

func TestConfigOfARow(t *testing.T) {
	t.Parallel()
	cfg := settings(t, "roles: {slow-tool: {tool: nap, arguments: {}}}")
	if !cfg.Roles.Has("role:slow-tool") {
		t.Error("the role is not filled")
	}
	if got := settings(t, ""); len(got.Roles.All()) != 0 {
		t.Error("an empty configuration fills roles")
	}
}
