// Package icons holds the ways to break the icons of a server, its tools, resources
// and prompts.
package icons

import (
	"maps"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const good = "https://harbour.invalid/icon.png"

// Faults lists the faults of the page in its order.
func Faults() []fault.Fault {
	icon := func(changes fault.Message) []any {
		whole := map[string]any{"src": good, "mimeType": "image/png", "sizes": []any{"48x48"}, "theme": "light"}
		maps.Copy(whole, changes)
		return []any{whole}
	}
	handshake := fault.OverStdio(requirements.R20251125)
	row := func(name, title, rule, kills, method string, icons any) fault.Fault {
		return fault.Fault{
			Name: name, Title: title, Breaks: requirements.ID(rule), Kills: []string{kills}, In: handshake,
			List: onFirst(method, icons),
		}
	}
	return []fault.Fault{
		row("icons-one-object", "the icons of a tool are one object instead of an array",
			"icons-shape", "icons/shape", "tools/list", map[string]any{"src": good}),
		row("icons-plain-strings", "the icons of a resource are strings", "icons-shape", "icons/shape", "resources/list", []any{good}),
		row("icons-without-src", "an icon of a prompt has no src",
			"icons-shape", "icons/shape", "prompts/list", []any{map[string]any{"mimeType": "image/png"}}),
		row("icons-src-number", "the src of an icon is a number", "icons-shape", "icons/shape", "tools/list", icon(fault.Message{"src": 7})),
		row("icons-sizes-text", "the sizes of an icon of a resource template are one string",
			"icons-shape", "icons/shape", "resources/templates/list", icon(fault.Message{"sizes": "48x48"})),
		{
			Name: "icons-server-type-number", Title: "the media type of the server's own icon is a number",
			Breaks: "icons-shape", In: fault.OverStdio(requirements.R20260728),
			Reply: onServer(icon(fault.Message{"mimeType": 4})),
		},
		row("icons-script", "the src of an icon is a script",
			"icons-source-scheme", "icons/source-scheme", "tools/list", icon(fault.Message{"src": "javascript:alert(1)"})),
		row("icons-file", "the src of an icon is a file of the server's",
			"icons-source-scheme", "icons/source-scheme", "prompts/list", icon(fault.Message{"src": "file:///srv/icon.png"})),
		row("icons-relative", "the src of an icon is a path",
			"icons-source-scheme", "icons/source-scheme", "tools/list", icon(fault.Message{"src": "/icons/crane.png"})),
		row("icons-plain-http", "the src of an icon is an http URL",
			"icons-source-https", "icons/source-https", "tools/list", icon(fault.Message{"src": "http://harbour.invalid/icon.png"})),
		row("icons-data-percent", "a data URI of an icon is percent-encoded text", "icons-data-uri-encoded", "icons/data-uri",
			"tools/list", icon(fault.Message{"src": "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E"})),
		row("icons-data-broken", "a data URI of an icon says base64 and holds none", "icons-data-uri-encoded", "icons/data-uri",
			"tools/list", icon(fault.Message{"src": "data:image/png;base64,<png>"})),
		row("icons-size-number", "the size of an icon is one number",
			"icons-sizes-format", "icons/sizes", "tools/list", icon(fault.Message{"sizes": []any{"48"}})),
		row("icons-theme-own", "the theme of an icon is night",
			"icons-theme", "icons/theme", "tools/list", icon(fault.Message{"theme": "night"})),
		{
			Name: "icons-server-theme", Title: "the theme of the server's own icon is null", Breaks: "icons-theme",
			In: fault.OverStdio(requirements.R20260728), Reply: onServer(icon(fault.Message{"theme": nil})),
		},
	}
}

// onFirst adds icons to the first entry of a list.
func onFirst(method string, icons any) func(fault.Exchange, []fault.Message) []fault.Message {
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		if x.Method == method && len(items) > 0 {
			items[0] = items[0].With("icons", icons)
		}
		return items
	}
}

// onServer adds icons to the server's identity in each result.
func onServer(icons any) fault.Change {
	return fault.On().Set("/result/_meta/io.modelcontextprotocol~1serverInfo", map[string]any{
		"name": "harbour-office", "version": "1.0.0", "icons": icons,
	})
}
