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
// the server talk where the watcher was silent.
func TestTalk(t *testing.T) {
	t.Parallel()
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
	other.Cases[20].Needs = []suite.Need{suite.Capability("tools")}
	other.Cases[20].Run = func(c *probe.Client) error { return c.Call("odd", nil).WantResult() }
	server := &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Answer: fakeserver.Answers{
		"odd": func(fakeserver.Request) any { return map[string]any{} },
	}}
	o := options()
	o.Suites = append(all, other)
	table := run(t, o, selftest.Subject{Name: "s", Breaks: "trial-one", Kills: []string{"trial/one"}, Local: &suites.Local{Serve: server.Serve}})
	if !table.Rows[0].Holds() {
		t.Errorf("%+v", table.Rows[0])
	}
}
