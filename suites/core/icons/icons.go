// Package icons holds the cases of basic/index#icons: what a server says of the
// pictures that stand for it and for what it offers. Nothing is ever fetched.
package icons

import (
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page. They are
// watchers: icons stand in results that other cases ask for.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "icons",
		Title: "icons are pictures that a client can show",
		Cases: append(shapes.Cases(shapes.In{Suite: "icons", Watch: watch, Sees: "an icon"}, shapes.Row{
			Slug: "shape", Title: "icons are an array of objects with a src, and their properties have the right types",
			Rule: "icons-shape",
			Fix:  "write icons as an array of objects: src and mimeType are strings, sizes is an array of strings",
			Owns: parts(), Judge: shape,
		}), shapes.Cases(shapes.In{Suite: "icons", Watch: eachIcon, Sees: "an icon"}, rows()...)...),
	}
}

// rows judge icons one by one.
func rows() []shapes.Row {
	return []shapes.Row{
		{
			Slug: "source-scheme", Title: "the src of an icon is an https, http or data URI", Rule: "icons-source-scheme",
			Fix:    "give each icon an absolute https URL or a data URI as src; clients reject other schemes",
			Values: []shapes.Value{{At: "/src", When: shapes.Text, Want: probe.That("an https, http or data URI", knownScheme)}},
		},
		{
			Slug: "source-https", Title: "the URL of an icon is an https URL", Rule: "icons-source-https",
			Sees:   "an icon with an http or https URL",
			Fix:    "serve icons over https, or put them into a data URI; clients need not take plain http",
			Values: []shapes.Value{{At: "/src", When: onTheWeb, Want: probe.That("an https URL", https)}},
		},
		{
			Slug: "data-uri", Title: "the data URI of an icon holds base64", Rule: "icons-data-uri-encoded",
			Sees:  "an icon with a data URI",
			Fix:   "write the picture as data:image/png;base64,... with its own media type",
			Judge: dataURI,
		},
		{
			Slug: "sizes", Title: "the sizes of an icon are written like 48x48, or any", Rule: "icons-sizes-format",
			Sees:  "an icon with sizes",
			Fix:   "write each entry of sizes as width, x, height, such as 48x48, or as any for a picture that scales",
			Judge: sizes,
		},
		{
			Slug: "theme", Title: "the theme of an icon is light or dark", Rule: "icons-theme",
			Sees:   "an icon with a theme",
			Fix:    "write light or dark as theme, or leave it out",
			Values: []shapes.Value{{At: "/theme", Given: true, Want: shapes.OneOf("light", "dark")}},
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

// watch judges every icons property that a result has.
func watch(judge shapes.Judge) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		said := probe.Nothing()
		for _, at := range probe.Shared(m, "icons", func() []string { return holders(m) }) {
			said = said.And(judge(m, at))
		}
		return said
	})
}

// eachIcon judges icons one by one; what is none is left to shape.
func eachIcon(judge shapes.Judge) func() probe.Watcher {
	return watch(func(m probe.Message, at string) probe.Opinion {
		said := probe.Nothing()
		icons, _ := m.Value(at).([]any)
		for i, each := range icons {
			if _, ok := each.(map[string]any); ok {
				said = said.And(judge(m, at+"/"+strconv.Itoa(i)))
			}
		}
		return said
	})
}

// opening is the place of the server in the result of a handshake.
const opening = "/result/serverInfo"

// holders are the places of the icons of a result, of whatever type they are.
func holders(m probe.Message) []string {
	result, ok := m.Value("/result").(map[string]any)
	if m.Class != frame.Result || !ok {
		return nil
	}
	method := m.Request.Method
	var all []string
	add := func(pointer string, of any) {
		object, _ := of.(map[string]any)
		if _, ok := object["icons"]; ok {
			all = append(all, pointer+"/icons")
		}
	}
	if method == "initialize" {
		add(opening, result["serverInfo"])
	}
	if meta, ok := result["_meta"].(map[string]any); ok {
		add("/result/_meta/"+strings.ReplaceAll(protocol.MetaServerInfo, "/", "~1"), meta[protocol.MetaServerInfo])
	}
	listed := map[string]string{"tools/call": "content"}
	for _, l := range protocol.Lists() {
		listed[l.Method] = l.Items
	}
	items, _ := result[listed[method]].([]any)
	for i, item := range items {
		add("/result/"+listed[method]+"/"+strconv.Itoa(i), item)
	}
	return all
}
