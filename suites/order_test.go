package suites_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Some servers list what they offer in another order each time. A run that is made again
// asks for the same resources and prompts all the same, and not for all of them.
func TestListsInAnyOrder(t *testing.T) {
	t.Parallel()
	const offered, tried = 9, 3
	asked := func(order func([]map[string]any)) map[string][]string {
		server := &fakeserver.Server{Capabilities: fakeserver.Offers("resources", "prompts")}
		for i := range offered {
			server.Resources = append(server.Resources, map[string]any{"name": "r", "uri": fmt.Sprintf("kit:%d", i)})
			server.Prompts = append(server.Prompts, map[string]any{"name": fmt.Sprintf("p%d", i)})
		}
		order(server.Resources)
		order(server.Prompts)
		cfg := proof.Config(t)
		cfg.Limits.Reads = tried
		proof.Judged(t, plan.Plan{Config: cfg, Local: &plan.Local{Serve: server.Serve}, Selected: func(_ suite.Suite, c suite.Case) bool {
			return slices.Contains([]string{"resources/listed-readable", "prompts/optional-arguments"}, c.ID)
		}})
		all := map[string][]string{}
		for _, r := range server.Seen() {
			for _, member := range []string{"uri", "name"} {
				if key, ok := r.Params[member].(string); ok {
					all[r.Method] = append(all[r.Method], key)
				}
			}
		}
		return all
	}
	want := asked(func([]map[string]any) {})
	for _, method := range []string{"resources/read", "prompts/get"} {
		if n := len(want[method]); n == 0 || n >= offered {
			t.Errorf("%s is asked for %d of %d", method, n, offered)
		}
	}
	if diff := cmp.Diff(want, asked(func(items []map[string]any) { slices.Reverse(items) })); diff != "" {
		t.Error(diff)
	}
}
