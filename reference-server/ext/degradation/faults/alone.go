package faults

import (
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const independent = "ext-degrade-independent"

// A change is a Reply hook.
type change = fault.Change

// alone makes extensions depend on others.
func alone() []fault.Fault {
	return []fault.Fault{
		dependent("manifest", "manifest", "permissions", "there is a manifest", unknown("get_manifest")),
		dependent("permissions", "permissions", "manifest", "permissions can be checked", unknown("permissions/check")),
		dependent("idempotency", "idempotency", "manifest", "keys are read", withoutExtensions),
		dependent("transactions", "transactions", "manifest", "transactions begin", unknown("transaction/begin")),
		dependent("structured-errors", "structured_errors", "transactions", "errors have records", withoutExtensions),
		silentWithoutManifest("progress", "progress_notifications", "progress is told", "notifications/progress"),
		silentWithoutManifest("streaming", "streaming", "results are streamed", "notifications/stream_chunk"),
		{
			Name: "degradation-after-manifest", Title: "keys are read only on connections on which the manifest was asked for",
			Breaks: independent, Kills: []string{suite + "alone-idempotency"}, In: fault.OverStdio(requirements.R20251125),
			Reply: func(x fault.Exchange, m fault.Message) {
				// Cases of other extensions need not ask for the manifest.
				if x.After("get_manifest") || len(declared(x)) != 1 || !declares(x, "idempotency") {
					return
				}
				withoutExtensions(x, m)
			},
		},
	}
}

// dependent changes an extension for clients that declare it without the other one.
func dependent(extension, token, other, what string, without change) fault.Fault {
	return fault.Fault{
		Name: "degradation-alone-" + extension, Title: what + " only for clients that declare " + other + ", too",
		Breaks: independent, Kills: []string{suite + "alone-" + extension},
		In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
		Reply: func(x fault.Exchange, m fault.Message) {
			if without != nil && declares(x, token) && !declares(x, other) {
				without(x, m)
				return
			}
		},
	}
}

// silentWithoutManifest hides the notifications of a method from clients that do not
// declare the manifest.
func silentWithoutManifest(extension, token, what, method string) fault.Fault {
	const other = "manifest"
	f := dependent(extension, token, other, what, nil)
	f.Send = func(x fault.Exchange, m fault.Message) []fault.Message {
		if m["method"] == method && declares(x, token) && !declares(x, other) {
			return nil
		}
		return []fault.Message{m}
	}
	return f
}

func unknown(method string) change {
	return fault.On(method).Instead(func(x fault.Exchange) fault.Message { return x.Refusal(-32601, "unknown method "+method) })
}

// withoutExtensions removes the properties of extensions from a result.
func withoutExtensions(_ fault.Exchange, m fault.Message) {
	if result, ok := m.Result(); ok {
		for _, name := range []string{"error", "idempotency_key", "was_replay", "original_timestamp"} {
			delete(result.Object("_meta"), name)
			delete(result.Object("_meta"), prefix+name)
		}
	}
}
