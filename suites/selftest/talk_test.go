package selftest_test

import (
	"fmt"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/selftest"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A watcher may have to notice an answer that only cases of other pages ask for: they make
// the server talk where the watcher was silent. In every column all cases do at last.
func TestTalk(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		needs      []suite.Need
		everywhere bool
		want       bool
	}{
		"a need of its own": {[]suite.Need{suite.Capability("tools")}, false, true},
		"no need":           {nil, false, false},
		"all cases":         {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Everywhere = row.everywhere
			for _, r := range talk(t, o, row.needs).Rows {
				if r.Holds() != row.want {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// talk tries a subject that a watcher has to notice, in the answer to a request of one case of
// another page.
func talk(t *testing.T, o selftest.Options, needs []suite.Need) selftest.Table {
	t.Helper()
	passes := func(*probe.Client) error { return nil }
	all := trial()
	rule := []requirements.ID{"trial-one"}
	all[0].Cases = []suite.Case{{ID: "trial/one", Title: "is tried", Fix: "mend it", Checks: rule, Watch: probe.OnResult("odd", func(probe.Answer) probe.Opinion {
		return probe.Breaks("it is odd")
	})}}
	other := suite.Suite{Name: "other", Title: "another page"}
	for i := range 40 {
		other.Cases = append(other.Cases, suite.Case{ID: fmt.Sprint("other/", i), Title: "is tried", Fix: "mend it", Checks: rule, Run: passes})
	}
	other.Cases[20].Needs = needs
	other.Cases[20].Run = func(c *probe.Client) error { return c.Call("odd", nil).WantResult() }
	server := &fakeserver.Server{Revisions: []string{string(older), string(newest)}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Answer: fakeserver.Answers{
		"odd": func(fakeserver.Request) any { return map[string]any{} },
	}}
	o.Suites = append(all, other)
	local := &suites.Local{Serve: server.Serve}
	stdio := []requirements.Column{column(newest, requirements.Stdio)}
	if o.Everywhere {
		stdio = nil
		local.Handler, local.Path = server.Handler(), "/mcp"
	}
	return run(t, o, selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, Local: local, In: stdio})
}
