package http_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestNamesOfEmptyLists: a case about the header Mcp-Name says which list is empty, in
// words that fit what is listed there.
func TestNamesOfEmptyLists(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"http/name-header-required-read": "resources/list lists no resource",
		"http/name-header-mismatch-read": "resources/list lists no resource",
		"http/name-header-required-get":  "prompts/list lists no prompt",
		"http/name-header-mismatch-get":  "prompts/list lists no prompt",
	}
	empty := &fault.Fault{List: func(x fault.Exchange, items []fault.Message) []fault.Message {
		if x.Method == "resources/list" || x.Method == "prompts/list" {
			return nil
		}
		return items
	}}
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	cfg.Transport = config.HTTP
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: inprocess.Server(empty), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return want[c.ID] != "" },
	})
	for _, f := range report.Findings {
		text := want[f.Case]
		if delete(want, f.Case); f.Reason == nil || f.Reason.Text != text {
			t.Errorf("%s is %s %v, want the reason %q", f.Case, f.Status, f.Reason, text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not judged: %v", want)
	}
}
