package resources_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
)

// A change that is told under the URI of another resource is not called silence, and one
// without a URI is left to resources/updated-schema.
func TestChangeToldOfAnother(t *testing.T) {
	t.Parallel()
	for id, revision := range map[string]string{
		"resources/listen-updates-delivered": "2026-07-28", "resources/updated-after-change": "2025-11-25",
	} {
		for name, row := range map[string]struct {
			uri, says string
			want      reports.Status
		}{
			"another URI": {"harbour://elsewhere", `came for "harbour://elsewhere", want it for the resource that changed`, reports.Warn},
			"no URI":      {"", "resources/updated-schema judges", reports.Skip},
		} {
			t.Run(name+" at "+revision, func(t *testing.T) {
				t.Parallel()
				slip := &fault.Fault{Name: "elsewhere", Notify: func(_ fault.Exchange, m fault.Message) {
					params, _ := m["params"].(map[string]any)
					switch {
					case m["method"] != "notifications/resources/updated":
					case row.uri == "":
						delete(params, "uri")
					default:
						params["uri"] = row.uri
					}
				}}
				cfg, local := proof.Config(t), inprocess.Server(slip)
				local.Handler = nil
				cfg.Revisions = config.Revisions{Dates: []string{revision}}
				f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
				said := f.Problem
				if f.Reason != nil {
					said = f.Reason.Text
				}
				if f.Status != row.want || !strings.Contains(said, row.says) {
					t.Errorf("%s %q, want %s with %q in it", f.Status, said, row.want, row.says)
				}
			})
		}
	}
}

// A change that is told without the id of the subscription, or with another one, is not
// called silence.
func TestChangeToldAstray(t *testing.T) {
	t.Parallel()
	const id, tag = "resources/listen-updates-delivered", "io.modelcontextprotocol/subscriptionId"
	for name, row := range map[string]struct {
		tag  any
		says string
	}{
		"without an id":   {nil, "came without a subscription id in _meta, want it with the id of subscriptions/listen"},
		"another id":      {"none", `came with the subscription id "none", want it with the id`},
		"no notification": {false, "no notifications/resources/updated came on the subscription"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slip := &fault.Fault{Name: "astray", Send: func(_ fault.Exchange, m fault.Message) []fault.Message {
				if m["method"] != "notifications/resources/updated" {
					return []fault.Message{m}
				}
				params, _ := m["params"].(map[string]any)
				meta, _ := params["_meta"].(map[string]any)
				switch row.tag {
				case false:
					return nil
				case nil:
					delete(meta, tag)
				default:
					meta[tag] = row.tag
				}
				return []fault.Message{m}
			}}
			cfg, local := proof.Config(t), inprocess.Server(slip)
			local.Handler = nil
			cfg.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
			f := proof.Found(t, plan.Plan{Config: cfg, Local: local}, id)
			if f.Status != reports.Fail && f.Status != reports.Warn || !strings.Contains(f.Problem, row.says) {
				t.Errorf("%s %q %v, want in it %q", f.Status, f.Problem, f.Reason, row.says)
			}
		})
	}
}
