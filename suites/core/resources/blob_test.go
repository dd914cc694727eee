package resources_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestListedPictureAsText: no configuration has to name the picture whose base64 is its text.
func TestListedPictureAsText(t *testing.T) {
	t.Parallel()
	server := shelf{
		"harbour://log":  {"text": "calm"},
		"harbour://logo": {"text": "iVBORw0KGgoAAAANSUhEUgAAAAE=", "mimeType": "image/png"},
	}.server(fakeserver.Offers("resources"), fakeserver.Answers{})
	report := proof.Judge(t, plan.Plan{
		Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Seed: 1, Timeout: 5 * time.Second,
		Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == "resources/binary-as-blob" },
	})
	if len(report.Findings) != 1 || report.Findings[0].Status != reports.Warn {
		t.Errorf("got %+v, want one warning", report.Findings)
	}
}
