package inprocess_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
)

// The kit judges an HTTP+SSE server of other authors. The server ignores Origin, but
// rejects a foreign Host, which is a warning, and is lenient about requests; its transport
// has no faults.
func TestSSEOfAnother(t *testing.T) {
	t.Parallel()
	server := mcpserver.NewMCPServer("another", "1", mcpserver.WithToolCapabilities(true))
	server.AddTool(mcp.NewTool("hours", mcp.WithReadOnlyHintAnnotation(true)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("8 to 20"), nil
	})
	cfg := config.Default()
	cfg.Wait.Event, cfg.Transport = time.Second, config.SSE
	local := &suites.Local{Handler: mcpserver.NewSSEServer(server, mcpserver.WithKeepAlive(true)), SSE: "/sse"}
	report, err := suites.Judge(t.Context(), suites.Plan{Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var passed, warned, broken []string
	for _, f := range report.Findings {
		switch {
		case f.Suite == "http" && f.Status == reports.Pass:
			passed = append(passed, f.Case)
		case f.Suite == "http" && f.Status == reports.Warn:
			warned = append(warned, f.Case)
		case f.Status == reports.Fail || f.Status == reports.Error:
			broken = append(broken, f.Case)
		}
	}
	slices.Sort(warned)
	if diff := cmp.Diff([]string{"http/sse-origin-post", "http/sse-origin-stream"}, warned); diff != "" {
		t.Error(diff)
	}
	if len(broken) > 0 {
		t.Errorf("failed: %q", broken)
	}
	if len(passed) != 6 {
		t.Errorf("passed: %q", passed)
	}
}
