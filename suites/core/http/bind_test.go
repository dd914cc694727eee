package http_test

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// TestBindOfARunningServer: a server that somebody else started and named by an address of
// loopback is tried at the other addresses of the machine, too.
func TestBindOfARunningServer(t *testing.T) {
	t.Parallel()
	for address, status := range map[string]reports.Status{"127.0.0.1:0": reports.Pass, ":0": reports.Warn} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{
			Handler:           (&fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading()}).Handler(),
			ReadHeaderTimeout: time.Second,
		}
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(func() { _ = server.Close() })
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		cfg := config.Default()
		cfg.Target.URL = "http://127.0.0.1:" + port + "/mcp"
		report := proof.Judged(t, plan.Plan{Config: cfg, Selected: func(_ suite.Suite, c suite.Case) bool {
			return c.ID == "http/localhost-bind"
		}})
		want(t, report, "http/localhost-bind", status, "")
	}
}
