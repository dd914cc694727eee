// Package icons holds the cases of basic/index#icons: what a server says of the
// pictures that stand for it and for what it offers. Nothing is ever fetched.
package icons

import (
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page. They are
// watchers: icons stand in results that other cases ask for.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "icons",
		Title: "icons are pictures that a client can show",
		Cases: []suite.Case{
			{
				ID:     "icons/shape",
				Title:  "icons are an array of objects with a src, and their properties have the right types",
				Checks: []requirements.ID{"icons-shape"},
				Fix:    "write icons as an array of objects: src and mimeType are strings, sizes is an array of strings",
				Owns:   parts(),
				Watch:  watch(shape),
			},
			{
				ID:     "icons/source-scheme",
				Title:  "the src of an icon is an https, http or data URI",
				Checks: []requirements.ID{"icons-source-scheme"},
				Fix:    "give each icon an absolute https URL or a data URI as src; clients reject other schemes",
				Watch:  watch(eachIcon(sourceScheme)),
			},
			{
				ID:     "icons/source-https",
				Title:  "the URL of an icon is an https URL",
				Checks: []requirements.ID{"icons-source-https"},
				Fix:    "serve icons over https, or put them into a data URI; clients need not take plain http",
				Watch:  watch(eachIcon(sourceHTTPS)),
			},
			{
				ID:     "icons/data-uri",
				Title:  "the data URI of an icon holds base64",
				Checks: []requirements.ID{"icons-data-uri-encoded"},
				Fix:    "write the picture as data:image/png;base64,... with its own media type",
				Watch:  watch(eachIcon(dataURI)),
			},
			{
				ID:     "icons/sizes",
				Title:  "the sizes of an icon are written like 48x48, or any",
				Checks: []requirements.ID{"icons-sizes-format"},
				Fix:    "write each entry of sizes as width, x, height, such as 48x48, or as any for a picture that scales",
				Watch:  watch(eachIcon(sizes)),
			},
			{
				ID:     "icons/theme",
				Title:  "the theme of an icon is light or dark",
				Checks: []requirements.ID{"icons-theme"},
				Fix:    "write light or dark as theme, or leave it out",
				Watch:  watch(eachIcon(theme)),
			},
		},
	}
}

// parts are the icons of everything listed or linked.
func parts() []suite.Part {
	all := []suite.Part{{Of: "tools/call", At: "/content/*/icons"}}
	for _, l := range protocol.Lists() {
		all = append(all, suite.Part{Of: l.Method, At: "/" + l.Items + "/*/icons"})
	}
	return all
}

// A holder is something of the server's that may have icons.
type holder struct {
	pointer string
	value   any
	opening bool // it is the serverInfo of a handshake
}

// watch judges every icons property that a result has.
func watch(judge func(m probe.Message, h holder) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		said := probe.Nothing()
		for _, h := range probe.Shared(m, "icons", func() []holder { return holders(m) }) {
			said = said.And(judge(m, h))
		}
		return said
	})
}

// holders are the icons of a result, of whatever type they are.
func holders(m probe.Message) []holder {
	result, ok := m.Value("/result").(map[string]any)
	if m.Class != frame.Result || !ok {
		return nil
	}
	method := m.Request.Method
	var all []holder
	add := func(pointer string, of any, opening bool) {
		object, _ := of.(map[string]any)
		if icons, ok := object["icons"]; ok {
			all = append(all, holder{pointer + "/icons", icons, opening})
		}
	}
	if method == "initialize" {
		add("/result/serverInfo", result["serverInfo"], true)
	}
	if meta, ok := result["_meta"].(map[string]any); ok {
		add("/result/_meta/"+strings.ReplaceAll(protocol.MetaServerInfo, "/", "~1"), meta[protocol.MetaServerInfo], false)
	}
	listed := map[string]string{"tools/call": "content"}
	for _, l := range protocol.Lists() {
		listed[l.Method] = l.Items
	}
	items, _ := result[listed[method]].([]any)
	for i, item := range items {
		add("/result/"+listed[method]+"/"+strconv.Itoa(i), item, false)
	}
	return all
}
