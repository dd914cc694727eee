package engine_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Whether a case blocks others is decided by its finding, and not by what it saw on a
// connection before.
func TestTheFindingDecidesWhatIsBlocked(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	tools := []suite.Need{suite.Capability("tools")}
	_, found := gather(t, plan(t, &fakeserver.Server{Capabilities: fakeserver.Offers("tools")},
		suite.Case{ID: "try/proves", Proves: tools, Lane: suite.Shared, Run: func(*probe.Client) error {
			if looks.Add(1) == 1 {
				return (&probe.Violation{Problem: "odd"}).BlocksNothing()
			}
			return errors.New("the case itself is wrong")
		}},
		suite.Case{ID: "try/needs", Needs: tools, Lane: suite.Shared, Run: passes},
	))
	if diff := cmp.Diff(map[string]string{"try/proves": "error", "try/needs": "blocked"}, kinds(found)); diff != "" {
		t.Error(diff)
	}
}
