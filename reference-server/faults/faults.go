// Package faults lists every fault of the reference server, by area.
package faults

import (
	"slices"

	confirmation "github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation/faults"
	content "github.com/mcp-conform/mcp-conform/reference-server/ext/content/faults"
	cost "github.com/mcp-conform/mcp-conform/reference-server/ext/cost/faults"
	dashdash "github.com/mcp-conform/mcp-conform/reference-server/ext/dashdash/faults"
	dataref "github.com/mcp-conform/mcp-conform/reference-server/ext/dataref/faults"
	degradation "github.com/mcp-conform/mcp-conform/reference-server/ext/degradation/faults"
	extdiscovery "github.com/mcp-conform/mcp-conform/reference-server/ext/discovery/faults"
	errors "github.com/mcp-conform/mcp-conform/reference-server/ext/errors/faults"
	idempotency "github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency/faults"
	intent "github.com/mcp-conform/mcp-conform/reference-server/ext/intent/faults"
	manifest "github.com/mcp-conform/mcp-conform/reference-server/ext/manifest/faults"
	multimodal "github.com/mcp-conform/mcp-conform/reference-server/ext/multimodal/faults"
	permissions "github.com/mcp-conform/mcp-conform/reference-server/ext/permissions/faults"
	extprogress "github.com/mcp-conform/mcp-conform/reference-server/ext/progress/faults"
	provenance "github.com/mcp-conform/mcp-conform/reference-server/ext/provenance/faults"
	push "github.com/mcp-conform/mcp-conform/reference-server/ext/push/faults"
	sessionstate "github.com/mcp-conform/mcp-conform/reference-server/ext/sessionstate/faults"
	streaming "github.com/mcp-conform/mcp-conform/reference-server/ext/streaming/faults"
	transactions "github.com/mcp-conform/mcp-conform/reference-server/ext/transactions/faults"
	wellknown "github.com/mcp-conform/mcp-conform/reference-server/ext/wellknown/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/authorization"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/caching"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/cancellation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/completion"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/discover"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/elicitation"
	coreerrors "github.com/mcp-conform/mcp-conform/reference-server/fault/errors"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/http"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/icons"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/jsonrpc"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/lifecycle"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/logging"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/meta"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/mrtr"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/pagination"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/ping"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/progress"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/prompts"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/resources"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/roots"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/sampling"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/schema"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/security"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/stdio"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/tasks"
	"github.com/mcp-conform/mcp-conform/reference-server/fault/tools"
)

// An Area is the faults of one folder: of a page of the specification, or of an
// extension. It has the name of the suite that judges it.
type Area struct {
	Name   string
	Faults func() []fault.Fault
}

// All lists every fault of the area.
func (a Area) All() []fault.Fault { return fault.Flat(a.Faults()) }

// Areas lists the areas in reading order.
func Areas() []Area {
	return []Area{
		{"lifecycle", lifecycle.Faults},
		{"discover", discover.Faults},
		{"meta", meta.Faults},
		{"jsonrpc", jsonrpc.Faults},
		{"errors", coreerrors.Faults},
		{"schema", schema.Faults},
		{"icons", icons.Faults},
		{"stdio", stdio.Faults},
		{"http", http.Faults},
		{"tools", tools.Faults},
		{"resources", resources.Faults},
		{"prompts", prompts.Faults},
		{"completion", completion.Faults},
		{"logging", logging.Faults},
		{"progress", progress.Faults},
		{"cancellation", cancellation.Faults},
		{"pagination", pagination.Faults},
		{"caching", caching.Faults},
		{"ping", ping.Faults},
		{"mrtr", mrtr.Faults},
		{"sampling", sampling.Faults},
		{"elicitation", elicitation.Faults},
		{"roots", roots.Faults},
		{"tasks", tasks.Faults},
		{"authorization", authorization.Faults},
		{"security", security.Faults},
		{"ext-manifest", manifest.Faults},
		{"ext-intent", intent.Faults},
		{"ext-cost-latency", cost.Faults},
		{"ext-permissions", permissions.Faults},
		{"ext-idempotency", idempotency.Faults},
		{"ext-transactions", transactions.Faults},
		{"ext-confirmation", confirmation.Faults},
		{"ext-provenance", provenance.Faults},
		{"ext-progress", extprogress.Faults},
		{"ext-streaming", streaming.Faults},
		{"ext-data-references", dataref.Faults},
		{"ext-multimodal", multimodal.Faults},
		{"ext-structured-errors", errors.Faults},
		{"ext-server-discovery", extdiscovery.Faults},
		{"ext-push", push.Faults},
		{"ext-well-known", wellknown.Faults},
		{"ext-content", content.Faults},
		{"ext-dashdash-init", dashdash.Handshake},
		{"ext-dashdash-tools", dashdash.Tools},
		{"ext-dashdash-ai-help", dashdash.Help},
		{"ext-dashdash-resources", dashdash.Resources},
		{"ext-session-state", sessionstate.Faults},
		{"ext-degradation", degradation.Faults},
	}
}

// All lists every fault by area. The caller may change the slice.
func All() []fault.Fault {
	var all []fault.Fault
	for _, area := range Areas() {
		all = append(all, area.All()...)
	}
	return all
}

// Of lists the faults of one area; nil for an unknown area.
func Of(area string) []fault.Fault {
	for _, one := range Areas() {
		if one.Name == area {
			return one.All()
		}
	}
	return nil
}

// Find returns the fault with the name. It builds only the areas that it needs.
func Find(name string) (fault.Fault, bool) {
	for _, area := range Areas() {
		all := area.All()
		if i := slices.IndexFunc(all, func(f fault.Fault) bool { return f.Name == name }); i >= 0 {
			return all[i], true
		}
	}
	return fault.Fault{}, false
}
