package errors_test

import (
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-structured-errors", []lawful.Row{
		{Name: "tells records of the structured-errors proposal in error.data", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:structured_errors"), Answer: fakeserver.Answers{
				"tools/call": func(r fakeserver.Request) any {
					return &fakeserver.Error{Code: -32602, Message: "unknown tool", Data: map[string]any{
						"code": "UNKNOWN_TOOL", "message": "There is no such tool.", "category": "permanent", "details": map[string]any{"asked": r.Params["name"]},
					}}
				},
			},
		}},
		{Name: "has records in the errors of extensions' methods, and answers some without an error", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:structured_errors", "ext:permissions"),
			Answer: fakeserver.Answers{
				"permissions/check": func(fakeserver.Request) any {
					return map[string]any{"allowed": false, "reason": "not for you"}
				},
				"scopes/negotiate": func(fakeserver.Request) any { return refusal("INVALID_INPUT", "requested_scopes is missing") },
				"tools/call":       func(fakeserver.Request) any { return refusal("UNKNOWN_TOOL", "There is no such tool.") },
			},
		}, Judged: []string{"ext-structured-errors/record-of-unknown-tool"}},
	})
}

// refusal is a JSON-RPC error with a record.
func refusal(code, message string) *fakeserver.Error {
	return &fakeserver.Error{Code: -32602, Message: message, Data: map[string]any{
		"code": code, "message": message, "category": "invalid_input",
	}}
}

// Without a configuration the kit bends whatever argument it finds, also one that a
// header repeats. That is rejected for the header, whatever a proposal wants of arguments.
func TestRejectedForItsHeader(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
	cfg.Transport = config.HTTP
	report := proof.Judge(t, plan.Plan{
		Config: cfg, Local: inprocess.Server(nil), Seed: 1, Timeout: 20 * time.Second,
		Selected: func(s suite.Suite, _ suite.Case) bool { return s.Extension.Name == "structured-errors" },
	})
	lawful.NothingSaid(t, report)
}
