// Package icons holds the cases of basic/index#icons: what a server says of the
// pictures that stand for it and for what it offers. Nothing is ever fetched.
package icons

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
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
		for i, each := range probe.ArrayOf(m.Value(at)) {
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
		if _, ok := probe.ObjectOf(of)["icons"]; ok {
			all = append(all, pointer+"/icons")
		}
	}
	if method == "initialize" {
		add(opening, result["serverInfo"])
	}
	if meta, ok := result["_meta"].(map[string]any); ok {
		add("/result/_meta/"+frame.Escape(protocol.MetaServerInfo), meta[protocol.MetaServerInfo])
	}
	listed := map[string]string{"tools/call": "content"}
	for _, l := range protocol.Lists() {
		listed[l.Method] = l.Items
	}
	for i, item := range probe.ArrayOf(result[listed[method]]) {
		add("/result/"+listed[method]+"/"+strconv.Itoa(i), item)
	}
	return all
}

// shape leaves the theme to a case of its own, and the icons of a handshake to
// lifecycle/server-info-fields.
func shape(m probe.Message, at string) probe.Opinion {
	if strings.HasPrefix(at, opening) {
		return probe.Nothing()
	}
	icons, ok := m.Value(at).([]any)
	if !ok {
		return probe.Breaks("%s is %s, want an array of icons", m.Where(at), probe.Show(m.Value(at)))
	}
	for i, each := range icons {
		at := at + "/" + strconv.Itoa(i)
		icon, ok := each.(map[string]any)
		if !ok {
			return probe.Breaks("%s is %s, want an object", m.Where(at), probe.Show(each))
		}
		if _, ok := icon["src"]; !ok {
			return probe.Breaks("%s is missing, want a string", m.Where(at+"/src"))
		}
		for _, name := range []string{"src", "mimeType"} {
			if v, ok := icon[name]; ok && !shapes.Text(v) {
				return probe.Breaks("%s is %s, want a string", m.Where(at+"/"+name), probe.Show(v))
			}
		}
		if v, ok := icon["sizes"]; ok && !areStrings(v) {
			return probe.Breaks("%s is %s, want an array of strings", m.Where(at+"/sizes"), probe.Show(v))
		}
	}
	return probe.Kept()
}

func areStrings(v any) bool {
	all, ok := v.([]any)
	return ok && len(probe.Strings(v)) == len(all)
}

var schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// scheme is the scheme of a URI in small letters; empty where there is none.
func scheme(src any) string {
	before, _, found := strings.Cut(probe.TextOf(src), ":")
	if !found || !schemeForm.MatchString(before) {
		return ""
	}
	return strings.ToLower(before)
}

func https(src any) bool { return scheme(src) == "https" }

func knownScheme(src any) bool {
	return slices.Contains([]string{"https", "http", "data"}, scheme(src))
}

// A server that runs on the user's own machine has no certificate.
func onTheWeb(src any) bool {
	return https(src) || scheme(src) == "http" && !loopback(probe.TextOf(src))
}

func loopback(src string) bool {
	u, err := url.Parse(src)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Many write the padding or not, and either alphabet; a client that decodes base64
// reads all of them.
func dataURI(m probe.Message, at string) probe.Opinion {
	if scheme(m.Value(at+"/src")) != "data" {
		return probe.Nothing()
	}
	src, _ := m.Value(at + "/src").(string)
	kind, data, found := strings.Cut(src[len("data:"):], ",")
	switch {
	case !found:
		return probe.Breaks("%s is %s, want a comma before the data", m.Where(at+"/src"), probe.Show(src))
	case !strings.HasSuffix(strings.ToLower(kind), ";base64"):
		return probe.Breaks("%s begins with data:%s, want ;base64 and the picture in base64", m.Where(at+"/src"), kind)
	}
	data, err := url.PathUnescape(data)
	data = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(data, "="))
	if _, undecoded := base64.RawStdEncoding.DecodeString(data); err != nil || undecoded != nil || data == "" {
		return probe.Breaks("%s is %s, whose data is no base64, want the picture in base64", m.Where(at+"/src"), probe.Show(src))
	}
	return probe.Kept()
}

var sizeForm = regexp.MustCompile(`^([0-9]+[xX][0-9]+|any)$`)

func sizes(m probe.Message, at string) probe.Opinion {
	said := probe.Nothing()
	for _, size := range probe.Strings(m.Value(at + "/sizes")) {
		said = said.And(probe.Kept())
		if !sizeForm.MatchString(size) {
			said = said.And(probe.Breaks("%s has %s, want a size like 48x48, or any", m.Where(at+"/sizes"), probe.Show(size)))
		}
	}
	return said
}
