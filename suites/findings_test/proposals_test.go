package findings_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// One slip in what a proposal defines gives one finding, too. The cases of the named pages
// judge the server, and all rules on every message.
func TestOneSlipInAProposal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		slip  fault.Change // in answers and in notifications
		pages []string
		want  string
		bare  bool // only the declaration says which extensions the server has
	}{
		{
			name: "no capabilities", slip: fault.Drop("server/discover", "/result/capabilities"),
			pages: []string{"discover", "ext-degradation"}, want: "discover/result", bare: true,
		},
		{
			name: "extensions that are a string", slip: fault.Set("server/discover", "/result/capabilities/extensions", "all"),
			pages: []string{"discover", "ext-degradation"}, want: "ext-degradation/claims-as-map", bare: true,
		},
		{
			name: "metadata that is an array in the results of a method of an extension",
			slip: fault.Set("events/subscribe", "/result/_meta", []any{}), pages: []string{"ext-push"}, want: "meta/object",
		},
		{
			name: "a result of a subscription that is an array",
			slip: asArray("events/subscribe"), pages: []string{"ext-push"}, want: "jsonrpc/result-is-object",
		},
		{
			name: "a subscription without its id", slip: fault.Drop("events/subscribe", "/result/subscription_id"),
			pages: []string{"ext-push"}, want: "ext-push/subscribe-active",
		},
		{
			name: "the status of a subscription is a number", slip: fault.Set("events/subscribe", "/result/status", 7),
			pages: []string{"ext-push"}, want: "ext-push/subscribe-active",
		},
		{
			name: "the end of a subscription is a number", slip: fault.Set("events/subscribe", "/result/expires_at", 7),
			pages: []string{"ext-push"}, want: "ext-push/subscribe-active",
		},
		{
			name: "the events that there are in a string", slip: fault.Set("events/subscribe", "/result/supported_events", "vessel_arrived"),
			pages: []string{"ext-push"}, want: "ext-push/subscribe-active",
		},
		{
			name: "metadata of events that is an array", slip: fault.Set("notifications/event", "/params/_meta", []any{}),
			pages: []string{"ext-push"}, want: "meta/object",
		},
		{
			name: "the name of an event is a number", slip: fault.Set("notifications/event", "/params/event", 7),
			pages: []string{"ext-push"}, want: "ext-push/event-shape",
		},
		{
			name: "no check of permissions says yes or no", slip: fault.Drop("permissions/check", "/result/allowed"),
			pages: []string{"ext-permissions"}, want: "ext-permissions/check-shape",
		},
		{
			name: "missing scopes that are no strings",
			slip: fault.OnResult("permissions/check", func(result fault.Message) {
				if _, denied := result["missing_scopes"]; denied {
					result["missing_scopes"] = []any{7}
				}
			}),
			pages: []string{"ext-permissions"}, want: "ext-permissions/check-shape-denied",
		},
		{
			name: "no check that says no tells why", slip: fault.Drop("permissions/check", "/result/reason"),
			pages: []string{"ext-permissions"}, want: "ext-permissions/denied-reason",
		},
		{
			name: "the reason of a check that says no is a number",
			slip: fault.OnResult("permissions/check", func(result fault.Message) {
				if _, denied := result["reason"]; denied {
					result["reason"] = 7
				}
			}),
			pages: []string{"ext-permissions"}, want: "ext-permissions/check-shape-denied",
		},
		{
			name: "the scopes of a session are numbers", slip: fault.Set("scopes/negotiate", "/result/session/scopes", []any{7}),
			pages: []string{"ext-permissions"}, want: "ext-permissions/session-shape",
		},
		{
			name:  "a timeout of sessions that is a string",
			slip:  fault.Set("scopes/negotiate", "/result/session/inactivity_timeout_seconds", "600"),
			pages: []string{"ext-permissions"}, want: "ext-permissions/session-shape",
		},
		{
			name: "a manifest whose tools have no name", slip: fault.Drop("get_manifest", "/result/tools/*/name"),
			pages: []string{"ext-manifest", "ext-confirmation"}, want: "ext-manifest/tool-required",
		},
		{
			name: "a manifest whose scopes are strings", slip: fault.Set("get_manifest", "/result/auth/scopes", []any{"read:berths"}),
			pages: []string{"ext-manifest"}, want: "ext-manifest/scopes-shape",
		},
		{
			name: "auth of a manifest is an array", slip: fault.Set("get_manifest", "/result/auth", []any{}),
			pages: []string{"ext-manifest"}, want: "ext-manifest/content-complete",
		},
		{
			name: "a risk of the manifest is a number",
			slip: fault.OnResult("get_manifest", func(result fault.Message) {
				for _, tool := range result["tools"].([]any) {
					if tool := tool.(map[string]any); tool["risk_level"] != nil {
						tool["risk_level"] = 7
					}
				}
			}), pages: []string{"ext-manifest", "ext-confirmation"}, want: "ext-confirmation/risk-enum",
		},
		{
			name: "a manifest whose flags are strings", slip: fault.Set("get_manifest", "/result/tools/*/requires_confirmation", "yes"),
			pages: []string{"ext-manifest", "ext-confirmation"}, want: "ext-manifest/tool-flags-boolean",
		},
		{
			name: "recommendations of a manifest are an object", slip: fault.Set("get_manifest", "/result/recommendations", map[string]any{}),
			pages: []string{"ext-manifest", "ext-server-discovery"}, want: "ext-server-discovery/manifest-entries",
		},
		{
			name: "recommendations are null", slip: fault.Set("recommend_servers", "/result/recommendations", nil),
			pages: []string{"ext-server-discovery"}, want: "ext-server-discovery/method",
		},
		{
			name: "no tool tells a record of its failure", slip: fault.Drop("tools/call", "/result/_meta/error", "/result/_meta/"+prefixed+"error"),
			pages: []string{"ext-structured-errors"}, want: "ext-structured-errors/record-of-failure",
		},
		{
			name:  "records of failures without a category",
			slip:  fault.Drop("tools/call", "/result/_meta/error/category", "/result/_meta/"+prefixed+"error/category"),
			pages: []string{"ext-structured-errors"}, want: "ext-structured-errors/category-present",
		},
		{
			name: "an import whose result is an array",
			slip: asArray("import_from_ref"), pages: []string{"ext-data-references"}, want: "jsonrpc/result-is-object",
		},
		{
			name: "the error of a failed import has no message", slip: fault.Drop("import_from_ref", "/result/error/message"),
			pages: []string{"ext-data-references"}, want: "ext-structured-errors/message-present",
		},
		{
			name: "steps without a status", slip: fault.Drop("transaction/step", "/result/status"),
			pages: []string{"ext-transactions"}, want: "ext-transactions/step-ok",
		},
		{
			name: "the error of a failed step has no message", slip: fault.Drop("transaction/step", "/result/error/message"),
			pages: []string{"ext-transactions"}, want: "ext-structured-errors/message-present",
		},
		{
			name: "steps that name their transaction by a number", slip: fault.Set("transaction/step", "/result/transaction_id", 7),
			pages: []string{"ext-transactions"}, want: "ext-transactions/step-id-kept",
		},
		{
			name: "rollbacks that list nothing", slip: fault.Drop("transaction/rollback", "/result/steps_compensated"),
			pages: []string{"ext-transactions"}, want: "ext-transactions/rollback-shape",
		},
		{
			name: "rollbacks that list steps without their ids", slip: fault.Drop("transaction/rollback", "/result/steps_compensated/*/step_id"),
			pages: []string{"ext-transactions"}, want: "ext-transactions/rollback-shape",
		},
		{
			name: "rollbacks that list steps with a number as status", slip: fault.Set("transaction/rollback", "/result/steps_compensated/*/status", 7),
			pages: []string{"ext-transactions"}, want: "ext-transactions/rollback-shape",
		},
		{
			name: "rollbacks whose status is a number", slip: fault.Set("transaction/rollback", "/result/status", 7),
			pages: []string{"ext-transactions"}, want: "ext-transactions/rollback-shape",
		},
		{
			name:  "a compensation that failed without the code of its error",
			slip:  fault.Drop("transaction/rollback", "/result/steps_compensated/*/error/code"),
			pages: []string{"ext-transactions"}, want: "ext-transactions/compensation-failure",
		},
		{
			name: "a commit whose result is an array",
			slip: asArray("transaction/commit"), pages: []string{"ext-transactions"}, want: "jsonrpc/result-is-object",
		},
		{
			name: "progress without params",
			slip: func(_ fault.Exchange, m fault.Message) {
				if m["method"] == "notifications/progress" {
					delete(m, "params")
				}
			}, pages: []string{"ext-progress"}, want: "progress/schema",
		},
		{
			name: "progress without a token", slip: fault.Drop("notifications/progress", "/params/progressToken"),
			pages: []string{"ext-progress"}, want: "progress/schema",
		},
		{
			name: "progress whose token is null", slip: fault.Set("notifications/progress", "/params/progressToken", nil),
			pages: []string{"ext-progress"}, want: "progress/schema",
		},
		{
			name: "progress whose metadata are an array", slip: fault.Set("notifications/progress", "/params/_meta", []any{}),
			pages: []string{"ext-progress"}, want: "meta/object",
		},
		{
			name: "records of progress without an operation", slip: fault.Drop("notifications/progress", "/params/_meta/operation_id"),
			pages: []string{"ext-progress"}, want: "ext-progress/operation-id",
		},
		{
			name: "chunks without params",
			slip: func(_ fault.Exchange, m fault.Message) {
				if m["method"] == "notifications/stream_chunk" {
					delete(m, "params")
				}
			}, pages: []string{"ext-streaming"}, want: "ext-streaming/chunk-shape",
		},
		{
			name:  "tokens of confirmations that are numbers",
			slip:  inMeta("confirmation", func(gate map[string]any) { gate["confirmation_token"] = 7 }),
			pages: []string{"ext-confirmation"}, want: "ext-confirmation/gate-shape",
		},
		{
			name: "replays that are marked by a string",
			slip: fault.OnResult("tools/call", func(result fault.Message) {
				meta := result.Object("_meta")
				for _, key := range []string{"was_replay", proposals + "was_replay"} {
					if _, there := meta[key]; there {
						meta[key] = "yes"
					}
				}
			}), pages: []string{"ext-idempotency"}, want: "ext-idempotency/replay-flag",
		},
		{
			name: "provenance without a source", slip: inMeta("provenance", func(record map[string]any) { delete(record, "source") }),
			pages: []string{"ext-provenance"}, want: "ext-provenance/source-named",
		},
		{
			name: "provenance whose version is a number", slip: inMeta("provenance", func(record map[string]any) {
				if _, there := record["version"]; there {
					record["version"] = 7
				}
			}), pages: []string{"ext-provenance"}, want: "ext-provenance/location-shape",
		},
		{
			name: "a guide without a type", slip: fault.Drop("ai_help", "/result/contentType"),
			pages: []string{"ext-dashdash-ai-help"}, want: "ext-dashdash-ai-help/markdown-shape",
		},
		{
			name: "a guide that is an array", slip: asArray("ai_help"), pages: []string{"ext-dashdash-ai-help"}, want: "jsonrpc/result-is-object",
		},
		{
			name: "a manifest that is an array", slip: asArray("get_manifest"), pages: []string{"ext-manifest"}, want: "jsonrpc/result-is-object",
		},
		{
			name: "details of refusals that are an array", slip: inMeta("error", func(record map[string]any) {
				if _, there := record["details"]; there {
					record["details"] = []any{}
				}
			}), pages: []string{"ext-permissions", "ext-structured-errors"}, want: "ext-structured-errors/details-type",
		},
		{
			name: "the end of a subscription that has a number as status", slip: fault.Set("events/unsubscribe", "/result/status", 7),
			pages: []string{"ext-push"}, want: "ext-push/unsubscribe",
		},
		{
			name:  "a dashdash object without an identity",
			slip:  fault.Drop("server/discover", "/result/_meta/io.github.visionik~1dashdash/identity"),
			pages: []string{"ext-dashdash-init"}, want: "ext-dashdash-init/identity-name",
		},
		{
			name: "error -32021 without the extension that is missing", slip: fault.Drop("tools/call", "/error/data/requiredCapabilities"),
			pages: []string{"ext-confirmation"}, want: "ext-confirmation/unaware-client",
		},
		{
			name: "chunks without a method",
			slip: func(_ fault.Exchange, m fault.Message) {
				if m["method"] == "notifications/stream_chunk" {
					delete(m, "method")
				}
			}, pages: []string{"ext-streaming"}, want: "stdio/stdout-messages-only",
		},
		{
			name: "a notice of a session whose method is a number",
			slip: func(_ fault.Exchange, m fault.Message) {
				if m["method"] == "notifications/session/lifecycle" {
					m["method"] = 7
				}
			}, pages: []string{"ext-session-state"}, want: "stdio/stdout-messages-only",
		},
		{
			name: "a manifest whose extensions are numbers", slip: fault.Set("get_manifest", "/result/supported_extensions", []any{7}),
			pages: []string{"ext-manifest"}, want: "ext-manifest/extensions-enum",
		},
		{
			name: "costs whose category is null",
			slip: fault.OnResult("get_manifest", func(result fault.Message) {
				for _, tool := range result["tools"].([]any) {
					if cost, there := tool.(map[string]any)["cost"].(map[string]any); there {
						cost["category"] = nil
					}
				}
			}), pages: []string{"ext-cost-latency"}, want: "ext-cost-latency/category-enum",
		},
		{
			name: "provenance that is null",
			slip: fault.OnResult("tools/call", func(result fault.Message) {
				meta := result.Object("_meta")
				for _, key := range []string{"provenance", proposals + "provenance"} {
					if _, there := meta[key]; there {
						meta[key] = nil
					}
				}
			}), pages: []string{"ext-provenance"}, want: "ext-provenance/present",
		},
		{
			name: "provenance whose version is null", slip: inMeta("provenance", func(record map[string]any) {
				if _, there := record["version"]; there {
					record["version"] = nil
				}
			}), pages: []string{"ext-provenance"}, want: "ext-provenance/location-shape",
		},
		{
			name: "registries of a manifest are numbers", slip: fault.Set("get_manifest", "/result/recommendations/*/registry_url", 7),
			pages: []string{"ext-server-discovery"}, want: "ext-server-discovery/registry-url",
		},
		{
			name: "a manifest that is sure by a word of its own", slip: fault.Set("get_manifest", "/result/recommendations/*/match_confidence", "sure"),
			pages: []string{"ext-server-discovery"}, want: "ext-server-discovery/confidence",
		},
		{
			name: "types of data that are null in the manifest", slip: fault.Set("get_manifest", "/result/tools/*/input_types", nil),
			pages: []string{"ext-manifest", "ext-multimodal"}, want: "ext-multimodal/types-syntax",
		},
		{
			name: "a compensation whose description is a number", slip: fault.OnResult("transaction/step", func(result fault.Message) {
				if call, there := result["compensation"].(map[string]any); there {
					call["description"] = 7
				}
			}), pages: []string{"ext-transactions"}, want: "ext-transactions/compensation",
		},
		{
			name: "progress without a method", slip: nameless("notifications/progress"),
			pages: []string{"ext-progress"}, want: "stdio/stdout-messages-only",
		},
		{
			name: "events without a method", slip: nameless("notifications/event"),
			pages: []string{"ext-push"}, want: "stdio/stdout-messages-only",
		},
		{
			name: "the end of a subscription is told without a method", slip: nameless("notifications/subscription_terminated"),
			pages: []string{"ext-push"}, want: "stdio/stdout-messages-only",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			slip := &fault.Fault{Reply: row.slip, Notify: row.slip}
			if !row.bare {
				slip.Name, slip.Breaks = "dashdash-slip", "ext-slip" // with these names the server has every extension
			}
			cfg, local := proof.Config(t), inprocess.Server(slip)
			local.Handler = nil
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
			cfg.Wait.Event = 300 * time.Millisecond
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
				Selected: func(s suite.Suite, c suite.Case) bool {
					return lawful.Prompt(s, c) && (c.Watch != nil || slices.Contains(row.pages, s.Name))
				},
			})
			if diff := cmp.Diff([]string{row.want}, blamed(report)); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}
