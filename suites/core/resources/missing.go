package resources

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// missingCases judge with which error a read fails.
func missingCases() []suite.Case {
	return []suite.Case{
		{
			ID:    "resources/not-found-code",
			Title: "an unknown resource is rejected with the code of the revision",
			Checks: []requirements.ID{
				"resources-not-found-modern-code", "resources-not-found-legacy-code", "resources-not-found-not-empty",
			},
			Needs: declared(),
			Fix:   "answer error -32602 when no resource has the URI, and -32002 before 2026-07-28; never answer with empty contents",
			Run:   notFoundCode,
		},
		{
			ID:    "resources/not-found-in-template",
			Title: "an unknown value for a template is an unknown resource",
			Checks: []requirements.ID{
				"resources-not-found-modern-code", "resources-not-found-legacy-code", "resources-not-found-not-empty",
			},
			Needs: append(declared(), suite.Trait(probe.ResourceTemplates)),
			Fix: "where a template has nothing for a value, answer error -32602, and -32002 before 2026-07-28, " +
				"instead of empty contents or an internal error",
			Run: notFoundInTemplate,
		},
		{
			ID:     "resources/not-found-uri",
			Title:  "the error for an unknown resource names its URI",
			Checks: []requirements.ID{"resources-not-found-data-uri"},
			Needs:  declared(),
			Fix:    "put the URI into the error's data, as uri",
			Run:    notFoundURI,
		},
		{
			ID:     "resources/internal-error",
			Title:  "a failure inside the server is answered as an internal error",
			Checks: []requirements.ID{"resources-internal-error-code"},
			Needs:  []suite.Need{suite.Role(roles.Failure, "resource")},
			Fix:    "catch what the reader of a resource throws, and answer error -32603",
			Run:    internalError,
		},
	}
}

// nowhere is a good URI whose scheme no server has.
func nowhere(c *probe.Client) string { return "no-such-" + c.Nonce() + "://nothing" }

// Contents mean that the server has a resource there after all, such as one for any URI. A
// server that can list or read nothing at all cannot know what is there.
func notFoundCode(c *probe.Client) error {
	reply := readAt(c, nowhere(c))
	if reply.Served() {
		c.NotSeenIf(len(contentsOf(reply)) > 0, "the server has contents for a made-up URI, which resources/uri-unknown-scheme judges")
		return reply.Violation("%s for a resource that does not exist, want an error", reply.AnswerTo(read)).
			Under("resources-not-found-not-empty", "resources-not-found-legacy-code")
	}
	if reply.HasCode(protocol.InternalError) {
		c.Require(c.Call(protocol.Resources().Method, nil).WantResult(), "the server does not list its resources either")
		for _, uri := range listedURIs(c) {
			c.Require(readAt(c, uri).WantResult(), "the server does not read what it lists either")
		}
	}
	return probe.Under(reply.WantError(protocol.ResourceNotFound().At(c.Revision())),
		"resources-not-found-modern-code", "resources-not-found-legacy-code")
}

// Only a template that gives contents for a known value is judged. It may have contents for
// any value, and may refuse a value with an error of its own. It may stand for a search, too,
// that finds nothing: so this warns at most.
func notFoundInTemplate(c *probe.Client) error {
	judged := 0
	for _, item := range probe.List(c, protocol.Templates()).All {
		text, _ := item.Get("uriTemplate").(string)
		known, unknown, ok := neighbours(c, text)
		if !ok {
			continue
		}
		if judged++; judged > c.Waits().Reads {
			break
		}
		reply := readAt(c, unknown)
		empty := reply.Served() && len(contentsOf(reply)) == 0
		if empty || reply.HasCode(protocol.InternalError) {
			return reply.Violation("%s for %s, while %s, of the same template, has contents; want the error for an unknown resource",
				reply.AnswerTo(read), probe.Show(unknown), probe.Show(known)).AtMostWarn().
				Under("resources-not-found-not-empty", "resources-not-found-modern-code", "resources-not-found-legacy-code")
		}
	}
	c.NotSeenIf(judged == 0, "no resource that can be read is one of a template")
	return nil
}

// neighbours are the URI of a resource that a template covers and that has contents, and one
// that differs in the last value. A number stays one: the server may read it as such.
func neighbours(c *probe.Client, text string) (known, unknown string, ok bool) {
	template, err := uritemplate.New(text)
	if err != nil || len(template.Varnames()) == 0 {
		return "", "", false
	}
	var values uritemplate.Values
	for _, r := range readings(c) {
		if found := template.Match(r.uri); len(found) > 0 && len(contentsOf(r.reply)) > 0 {
			known, values = r.uri, found
			break
		}
	}
	if known == "" && c.Survey().Declares("completions") {
		if uri, suggested := expanded(c, text); suggested && len(contentsOf(readAt(c, uri))) > 0 {
			known, values = uri, template.Match(uri)
		}
	}
	names := template.Varnames()
	last := names[len(names)-1]
	value := values.Get(last).String()
	if known == "" || value == "" {
		return "", "", false
	}
	if _, err := strconv.ParseUint(value, 10, 64); err == nil {
		values.Set(last, uritemplate.String("987654321"))
	} else {
		values.Set(last, uritemplate.String("no-such-"+c.Nonce()))
	}
	unknown, err = template.Expand(values)
	return known, unknown, err == nil
}

func notFoundURI(c *probe.Client) error {
	uri := nowhere(c)
	reply := readAt(c, uri)
	c.NotSeenIf(!reply.Failed(), "a request for a resource that does not exist is not answered by an error: "+reply.Outcome())
	c.NotSeenIf(reply.HasCode(protocol.InternalError), "the error does not say that the resource does not exist: "+reply.Outcome())
	return reply.Want("/error/data/uri", probe.Equal(uri))
}

func internalError(c *probe.Client) error {
	failing := c.Role(roles.Failure).Fields().At("resource")
	c.Act(failing.At("before"))
	c.Cleanup(func() { c.Act(failing.At("after")) })
	reply := readAt(c, failing.Text("uri"))
	c.UndecideIf(reply.Served(), "the resource of roles.failure.resource can be read")
	return reply.WantError(protocol.InternalError)
}

// requestCases send what is no URI of a resource.
func requestCases() []suite.Case {
	const length = 8 << 10 // shorter than what servers allow for headers, which repeat the URI
	var cases []suite.Case
	for _, row := range []struct {
		slug, what string
		uri        func(*probe.Client) string
	}{
		{"empty", "an empty URI", func(*probe.Client) string { return "" }},
		{"relative", "a relative URI", func(c *probe.Client) string { return "no-such-" + c.Nonce() + "/nothing.txt" }},
		{"control-characters", "a URI with control characters", func(c *probe.Client) string {
			return "test://no-such-" + c.Nonce() + "\x01\x1b[2J\r\n"
		}},
		{"unknown-scheme", "a URI with a made-up scheme", nowhere},
		{"long", "a URI of 8 KiB", func(c *probe.Client) string {
			return "test://no-such-" + c.Nonce() + strings.Repeat("x", length)
		}},
	} {
		cases = append(cases, suite.Case{
			ID:     "resources/uri-" + row.slug,
			Title:  "reading " + row.what + " yields no contents",
			Checks: []requirements.ID{"resources-uri-validated"},
			Needs:  declared(),
			Fix:    "look the URI up as it is, and answer with an error where no resource has it",
			Run:    func(c *probe.Client) error { return refused(c, row.uri(c)) },
		})
	}
	return cases
}

// refused passes over a URI that a listed resource or template may cover. Over HTTP the
// status may refuse it.
func refused(c *probe.Client, uri string) error {
	reply := c.Ask(c.Compose(read, probe.Object{"uri": uri}), probe.Patient())
	if reply.Served() {
		if len(contentsOf(reply)) > 0 && !covered(c, uri) {
			return reply.Violation("%s for %s, which names no resource, want an error", reply.AnswerTo(read), probe.Show(uri))
		}
		return nil
	}
	if reply.Refused() {
		return nil
	}
	return reply.WantAnswer()
}

// covered reports whether the lists may mean a URI: a template means all that begins like
// it, since its variables may stand for anything.
func covered(c *probe.Client, uri string) bool {
	listed := c.Survey().Lists
	return slices.ContainsFunc(listed[protocol.Resources().Method], func(item any) bool {
		return probe.ObjectOf(item)["uri"] == uri
	}) || slices.ContainsFunc(listed[protocol.Templates().Method], func(item any) bool {
		start, _, _ := strings.Cut(probe.TextOf(probe.ObjectOf(item)["uriTemplate"]), "{")
		return strings.HasPrefix(uri, start)
	})
}
