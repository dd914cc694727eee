// Package manifest serves the manifest extension: one document in which the server
// describes itself. The document is made from the registry for each request, so that
// it agrees with tools/list. Other extensions add their part by
// core.Extension.Describe.
package manifest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the proposals among the capabilities.
const Prefix = "io.github.mcp-extension-proposals/"

// Version is the version of the document's form.
const Version = "0.1.0"

// Options are the options of the extension.
type Options struct {
	Now   func() time.Time
	Daily int // maximum number of requests per day; zero is a hundred million
}

// New returns the extension. All connections share one allowance of requests.
func New(o Options) core.Extension {
	if o.Daily == 0 {
		o.Daily = 100_000_000
	}
	d := &describer{meter: meter{now: o.Now, daily: o.Daily}}
	return core.Extension{
		Name: "manifest", Key: Prefix + "manifest",
		Serve:   d.meter.serve,
		Methods: map[string]func(*core.Turn) (fault.Message, *core.Error){"get_manifest": d.document},
	}
}

type describer struct{ meter meter }

// document answers get_manifest.
func (d *describer) document(t *core.Turn) (fault.Message, *core.Error) {
	tools, failure := t.Tools()
	if failure != nil {
		return nil, failure
	}
	manifest := fault.Message{
		"manifest_version":     Version,
		"server":               identity(t),
		"auth":                 authentication(t, tools),
		"tools":                entries(t, tools),
		"supported_extensions": tokens(t.Extensions()),
		"rate_limits":          d.meter.limits(),
	}
	for _, extension := range t.Extensions() {
		if extension.Describe != nil {
			extension.Describe(t, manifest)
		}
	}
	return manifest, nil
}

// identity describes the server and its revision for this client.
func identity(t *core.Turn) map[string]any {
	who := t.Identity()
	server := map[string]any{"name": who.Name, "version": who.Version, "mcp_spec_version": string(t.Revision())}
	if who.Description != "" {
		server["description"] = who.Description
	}
	if who.WebsiteURL != "" {
		server["homepage"] = who.WebsiteURL
	}
	return server
}

// entries describes the tools with the names of the manifest, which differ from those
// of tools/list: inputSchema there is input_schema here.
func entries(t *core.Turn, tools []fault.Message) []any {
	all := make([]any, 0, len(tools))
	for _, tool := range tools {
		name, _ := tool["name"].(string)
		about, _ := tool["description"].(string)
		title, _ := tool["title"].(string)
		entry := map[string]any{
			"name": name, "description": cmp.Or(about, title, name), "input_schema": tool["inputSchema"],
			"idempotent": idempotent(t, name), "requires_confirmation": false,
			"supports_streaming": false, "supports_pagination": false,
			"required_scopes": []any{scope(t, name)},
		}
		if output, typed := tool["outputSchema"]; typed {
			entry["output_schema"] = output
		}
		all = append(all, entry)
	}
	return all
}

// idempotent repeats idempotentHint of the tool's annotations.
func idempotent(t *core.Turn, tool string) bool {
	return isTrue(t.Annotations(tool).IdempotentHint)
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

// tokens names the extensions of the server. Proposals without a token in the list
// stand among the capabilities only.
func tokens(offered []core.Extension) []any {
	known := []string{
		"streaming", "progress_notifications", "idempotency", "transactions", "session_state", "intent_hints", "provenance",
		"human_in_the_loop", "data_references", "subscribe_notify", "server_recommendations", "structured_errors",
		"multimodal_signatures", "conformance",
	}
	claimed := []any{}
	for _, extension := range offered {
		token, ours := strings.CutPrefix(extension.Key, Prefix)
		if ours && slices.Contains(known, token) {
			claimed = append(claimed, token)
		}
	}
	return claimed
}
