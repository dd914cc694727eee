package resources

import (
	"slices"
	"strings"

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
	want := protocol.ResourceNotFound().At(c.Revision())
	err := reply.WantError(want)
	if want != protocol.InvalidParams && reply.HasCode(protocol.InvalidParams) {
		err = reply.Violation("$.error.code is %d, want %d at this revision: %d is the code from 2026-07-28 on",
			protocol.InvalidParams, want, protocol.InvalidParams)
	}
	err = probe.Under(err, "resources-not-found-modern-code", "resources-not-found-legacy-code")
	if reply.HasCode(protocol.FormerNotFound) {
		return probe.Unless(err, probe.Elsewhere{Case: "errors/missing-resource-code", Why: "the code is one of earlier revisions"})
	}
	return err
}

func notFoundURI(c *probe.Client) error {
	uri := nowhere(c)
	reply := readAt(c, uri)
	c.NotSeenIf(!reply.Failed(), "a request for a resource that does not exist is not answered by an error: "+reply.Outcome())
	_, coded := reply.Code()
	c.NotSeenIf(!coded, "the error has no code that is an integer, which other rules judge")
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
