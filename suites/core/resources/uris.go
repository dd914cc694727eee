package resources

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// uriCases judge the URIs in the list.
func uriCases() []suite.Case {
	return shapes.Cases(shapes.In{Suite: "resources", Needs: declared(), List: protocol.Resources()},
		shapes.Row{
			Slug: "uri-syntax", Title: "listed URIs have a scheme and only characters that a URI may have", Rule: "resources-uri-syntax",
			Fix:  "begin each uri with a scheme, as in file:///notes.txt, and encode blanks and other characters as %20 and so on",
			Each: uriSyntax,
		},
		shapes.Row{
			Slug: "uri-scheme", Title: "the schemes of listed URIs are spelled as RFC 3986 allows", Rule: "resources-custom-scheme-rfc3986",
			Fix:  "begin the name of a scheme with a letter, and use letters, digits, +, - and . only; an underscore is not allowed",
			Each: schemeName,
		},
	)
}

// templateCases judge the templates in their list.
func templateCases() []suite.Case {
	in := shapes.In{Suite: "resources", List: protocol.Templates()}
	in.Needs = append(declared(), suite.Trait(probe.ResourceTemplates))
	return shapes.Cases(in, shapes.Row{
		Slug: "template-syntax", Title: "listed URI templates can be read as RFC 6570 has them", Rule: "resources-template-syntax",
		Fix:  "close every brace, and use letters, digits and _ in the names of variables",
		Each: templateSyntax,
	})
}

// The parts of a URI in RFC 3986 that a text is held against.
var (
	schemeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`) })
	foreign    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`%(?:[^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|.?$)|[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]`)
	})
)

// schemeOf is the text before the first colon. Without one a text is a path, and so it is
// where something else that divides a URI comes first.
func schemeOf(uri string) (string, bool) {
	name, _, found := strings.Cut(uri, ":")
	return name, found && name != "" && !strings.ContainsAny(name, "/?#")
}

func uriOf(i probe.Item) (string, bool) {
	uri, ok := i.Get("uri").(string)
	return uri, ok
}

// uriSyntax leaves the spelling of a scheme to its own case.
func uriSyntax(_ *probe.Client, i probe.Item) probe.Opinion {
	uri, ok := uriOf(i)
	if !ok {
		return probe.Nothing()
	}
	if _, absolute := schemeOf(uri); !absolute {
		return probe.Breaks("%s is %s, want a URI with a scheme", i.Where("uri"), probe.Show(uri))
	}
	if odd := foreign().FindString(uri); odd != "" {
		return probe.Breaks("%s is %s, want no %s in a URI", i.Where("uri"), probe.Show(uri), probe.Show(odd)).AtMostWarn()
	}
	return probe.Kept()
}

func schemeName(_ *probe.Client, i probe.Item) probe.Opinion {
	uri, _ := uriOf(i)
	name, ok := schemeOf(uri)
	switch {
	case !ok:
		return probe.Nothing()
	case !schemeForm().MatchString(name):
		return probe.Breaks("%s begins with %s, want a scheme of letters, digits, +, - and . that begins with a letter",
			i.Where("uri"), probe.Show(name))
	}
	return probe.Kept()
}

func templateSyntax(_ *probe.Client, i probe.Item) probe.Opinion {
	text, ok := i.Get("uriTemplate").(string)
	if !ok {
		return probe.Nothing()
	}
	if _, err := uritemplate.New(text); err != nil {
		why, _, _ := strings.Cut(err.Error(), ": ")
		return probe.Breaks("%s is %s, want a template of RFC 6570: %s", i.Where("uriTemplate"), probe.Show(text), why)
	}
	return probe.Kept()
}
