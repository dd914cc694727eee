// Package manifest serves the manifest extension: one document in which the server
// describes itself, made anew from its registry whenever it is asked for, so that it
// says what tools/list says. What other extensions have to add to it they add
// themselves, by core.Extension.Describe.
package manifest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix is what the keys of the proposals begin with among the capabilities.
const Prefix = "io.github.mcp-extension-proposals/"

// Version is that of the document's form.
const Version = "0.1.0"

// Options are what the extension is made with.
type Options struct {
	Now   func() time.Time
	Daily int // requests that are served on one day; zero is a hundred million
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

// identity says who the server is, and what it speaks with this client.
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

// entries describes the tools in the words of the manifest, which are not those of
// tools/list: input_schema is inputSchema there.
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

// idempotent: once is as good as twice, as the tool's annotations say.
func idempotent(t *core.Turn, tool string) bool {
	return isTrue(t.Annotations(tool).IdempotentHint)
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

// tokens names the extensions that the server offers. The proposals that the list
// has no token for stand among the capabilities only.
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
