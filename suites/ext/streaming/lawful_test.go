package streaming_test

import (
	"testing"

	served "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-streaming", []lawful.Row{
		{Name: "a flag for streaming in a list of tools, and no claim", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{
				{"name": "hours", "inputSchema": map[string]any{"type": "object"}, "supports_streaming": true},
			},
		}},
		{Name: "claims progress and streaming, with no tool to show them", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:progress_notifications", "ext:streaming"), Tools: fakeserver.Tools(2),
		}},
	})
}

// A server without sessions cannot know what was declared in the handshake, so that it may
// go by what a call asks for.
func TestSessionless(t *testing.T) {
	t.Parallel()
	local := inprocess.Server(&fault.Fault{HTTP: fault.HTTP{Sessionless: true}, Ext: served.Switches{Undeclared: true}})
	local.Serve = nil
	cfg := proof.Config(t)
	cfg.Revisions = config.Revisions{Dates: []string{"2025-11-25"}}
	lawful.NothingSaid(t, proof.Judge(t, plan.Plan{Config: cfg, Local: local, Seed: 1, Selected: func(_ suite.Suite, c suite.Case) bool {
		return c.ID == "ext-streaming/not-forced"
	}}))
}

// The chunks behind a checkpoint may end before the last one: the answer is whole.
func TestResumedInPart(t *testing.T) {
	t.Parallel()
	lawful.Stateless(t, "the last chunk is not sent again", func(s suite.Suite, _ suite.Case) bool { return s.Name == "ext-streaming" }, &fault.Fault{
		Send: func(x fault.Exchange, m fault.Message) []fault.Message {
			if params, ok := m["params"].(map[string]any); ok && x.Method == "resume" && params["is_final"] == true {
				return nil
			}
			return []fault.Message{m}
		},
	})
}
