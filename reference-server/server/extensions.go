package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/cost"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/dataref"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/discovery"
	exterrors "github.com/mcp-conform/mcp-conform/reference-server/ext/errors"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/intent"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/manifest"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/multimodal"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/permissions"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/progress"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/provenance"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/sessionstate"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/wellknown"
)

// allExtensions lists all extensions; the last one sees a call first.
func allExtensions(o Options, of *office) []core.Extension {
	of.references = dataref.New(dataref.Options{Now: o.Now, Result: results(), Fault: o.Fault})
	all := []core.Extension{
		// Within idempotency: a call that is not confirmed leaves its key unused.
		confirmation.New(confirmation.Options{
			Gates: gates(), Window: consentLife, Now: o.Now, Fault: o.Fault,
			Opens: func(t *core.Turn) bool { return transactions.SkipsGate(o.Fault, t) },
		}),
		idempotency.New(idempotency.Options{Now: o.Now, Lifetime: o.KeyLifetime, Fault: o.Fault}),
		of.references.Extension(),
		multimodal.New(multimodal.Options{Tools: signatures(), Fault: o.Fault}),
		provenance.New(provenance.Options{Now: o.Now, Sources: sources(), Fault: o.Fault}),
		// Around idempotency: a repeat of a step is a step of its transaction, too.
		transactions.New(transactions.Options{Undoing: undoing, Undo: of.undo, Fault: o.Fault}),
		// Around idempotency: a token that is refused is stored under no key.
		sessionstate.New(sessionstate.Options{Now: o.Now, Fault: o.Fault}),
		// Around idempotency: a caller without permission gets no stored result
		// either.
		permissions.New(permissions.Options{Now: o.Now, Fault: o.Fault}),
		intent.New(intent.Options{Fault: o.Fault, Hints: []intent.Hint{{
			Tool: "export_log", Word: "read", Recommended: "read_log", Reason: "Gives the entries at once, without an export.",
		}}}),
		cost.New(cost.Options{
			Metered: "weather_report", Daily: 1_000_000, Approved: []string{"sink_vessel"}, Slow: []string{"export_log", "slow_compute"},
			Listed: o.lacks("manifest"), Refuses: o.lacks("confirmation"),
			Now: o.Now, Fault: o.Fault,
		}),
		progress.New(progress.Options{Now: o.Now}),
		of.events.Extension(),
		discovery.New(),
		streaming.New(streaming.Options{Tools: []string{"export_log", "read_log"}, Fault: o.Fault}),
		// Around all others, to add records to their refusals.
		exterrors.New(exterrors.Options{Fault: o.Fault}),
	}
	// The metadata of dashdash repeat names and descriptions, and make each list longer. A
	// fault that breaks something else is tried without them.
	if o.Fault == nil || o.Fault.Breaks == "" || strings.HasPrefix(o.Fault.Name, "dashdash-") {
		all = slices.Insert(all, len(all)-1, dashdash.New(dashdash.Options{Fault: o.Fault}))
	}
	// The manifest and the well-known document repeat names, schemas and versions. A fault in the names, schemas
	// or versions of the protocol itself would only break them a second time.
	if o.Fault == nil || strings.HasPrefix(string(o.Fault.Breaks), "ext-") {
		all = slices.Insert(all, 0, manifest.New(manifest.Options{Now: o.Now}), wellknown.New())
	}
	return all
}

// lacks tells whether the operator has left an extension out.
func (o Options) lacks(extension string) bool {
	return o.Extensions != nil && !slices.Contains(o.Extensions, extension)
}

// Extensions lists the names of the server's extensions.
func Extensions() []string {
	var names []string
	for _, e := range allExtensions(Options{}, newOffice(nil, nil)) {
		names = append(names, e.Name)
	}
	return names
}

// extensions returns the extensions that are switched on.
func extensions(o Options, of *office) ([]core.Extension, error) {
	if o.Extensions == nil {
		return slices.DeleteFunc(allExtensions(o, of), func(e core.Extension) bool {
			return o.Fault != nil && slices.Contains(o.Fault.Without, e.Name)
		}), nil
	}
	for _, name := range o.Extensions {
		if !slices.Contains(Extensions(), name) {
			return nil, fmt.Errorf("there is no extension %q, want some of %s", name, strings.Join(Extensions(), ", "))
		}
	}
	switchedOff := func(e core.Extension) bool {
		// A server with transactions needs idempotency.
		implied := e.Name == "idempotency" && slices.Contains(o.Extensions, "transactions")
		return !implied && !slices.Contains(o.Extensions, e.Name)
	}
	return slices.DeleteFunc(allExtensions(o, of), switchedOff), nil
}
