package jsonrpc_test

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "jsonrpc", []lawful.Row{
		{Name: "out-of-order answers", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2), Stdio: fakeserver.Stdio{OutOfOrder: true}}, Over: requirements.Stdio},
		{Name: "silence for garbage", Server: &fakeserver.Server{
			Revisions: []string{"2025-06-18"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(1), Stdio: fakeserver.Stdio{
				Line: func(line []byte, _ io.Writer) bool { return !strings.HasPrefix(string(line), `{"jsonrpc":"2.0"`) },
			},
		}, Over: requirements.Stdio},
		{Name: "all numbers with a fraction", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: fractions,
		}},
	})
}

var number = regexp.MustCompile(`([:\[,])(-?[0-9]+)([,}\]])`)

// fractions writes every number with a fraction, as languages do whose only numbers are
// floats.
func fractions(text string) string { return number.ReplaceAllString(text, "$1$2.0$3") }

// TestFractionsWithoutHandshake repeats the same in a revision without a handshake, with
// the full reference server.
func TestFractionsWithoutHandshake(t *testing.T) {
	t.Parallel()
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20250326), string(requirements.R20260728)}}
	local := inprocess.Server(&fault.Fault{Bytes: func(_ fault.Exchange, text []byte) []byte { return []byte(fractions(string(text))) }})
	local.Handler = nil
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
		Selected: lawful.Prompt,
	})
	lawful.NothingSaid(t, report)
}
