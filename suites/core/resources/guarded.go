package resources

import (
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/landmarks"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// guardedCases try to read what is not offered to the client.
func guardedCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct{ slug, title, up string }{
		{"dots", "../", "../"}, {"encoded-dots", "../ encoded", "%2e%2e/"}, {"twice-encoded-dots", "../ encoded twice", "%252e%252e/"},
	} {
		cases = append(cases, suite.Case{
			ID:     "resources/path-" + row.slug,
			Title:  "a file URI with " + row.title + " leads to no file outside the served ones",
			Checks: []requirements.ID{"resources-path-traversal"},
			Needs:  append(declared(), suite.Trait(probe.FileResources)),
			Fix: "decode the path of a file URI once, clean it, and serve it only where it lies below a served directory; " +
				"Go has os.Root for that",
			Run: func(c *probe.Client) error { return enclosed(c, row.up) },
		})
	}
	return append(cases, suite.Case{
		ID:     "resources/access-controlled",
		Title:  "a resource is refused to a caller without the right to it",
		Checks: []requirements.ID{"resources-access-controlled"},
		Needs: []suite.Need{
			suite.Over(requirements.HTTP), suite.Role(roles.Principals, "second"), suite.Role(roles.Denied, "resource"),
		},
		Fix: "check on each resources/read whether its caller may have the resource",
		Run: accessControlled,
	})
}

// directories are those of the listed files, and those in front of the first variable of the
// listed templates of files.
func directories(c *probe.Client) []string {
	var all []string
	add := func(uri string) {
		if at, err := url.Parse(uri); err == nil && at.Scheme == "file" {
			all = append(all, uri[:strings.LastIndex(uri, "/")+1])
		}
	}
	for _, item := range probe.Surveyed(c, protocol.Resources()) {
		uri, _ := uriOf(item)
		add(uri)
	}
	for _, item := range probe.Surveyed(c, protocol.Templates()) {
		start, _, _ := strings.Cut(probe.TextOf(item.Get("uriTemplate")), "{")
		add(start)
	}
	return all
}

// enclosed goes up from each directory of a file. Only the text of the file shows
// that the server went there; a server that gives away the file itself serves it on
// purpose.
func enclosed(c *probe.Client, up string) error {
	tried := map[string]bool{}
	open := 0
	for _, mark := range landmarks.All() {
		if shows(readAt(c, "file:///"+mark.Path), mark) {
			open++
			continue
		}
		for _, dir := range directories(c) {
			out := dir + strings.Repeat(up, landmarks.Levels) + mark.Path
			if tried[out] || len(tried) == c.Waits().Reads {
				continue
			}
			tried[out] = true
			if reply := c.Ask(c.Compose(read, probe.Object{"uri": out}), probe.Patient()); shows(reply, mark) {
				return reply.Violation("%s for %s, which leads to /%s outside the served files, want an error",
					reply.AnswerTo(read), probe.Show(out), mark.Path)
			}
		}
	}
	c.NotSeenIf(len(tried) == 0 && open > 0, "the server serves files such as /etc/hosts")
	return nil
}

// shows reports whether an answer holds the text of a file.
func shows(r *probe.Reply, mark landmarks.File) bool {
	for _, one := range contentsOf(r) {
		content := probe.ObjectOf(one)
		data, _ := shapes.Bytes(content["blob"])
		if mark.In(probe.TextOf(content["text"]) + string(data)) {
			return true
		}
	}
	return false
}

// accessControlled gives the weakest identity a connection of its own, since the session of
// another one may be refused to it as a whole.
func accessControlled(c *probe.Client) error {
	uri := c.Role(roles.Denied).Fields().At("resource").Text("uri")
	weakest := "second"
	if c.Identified("limited") {
		weakest = "limited"
	}
	allowed := readAt(c, uri)
	c.Require(allowed.WantResult(), "the first identity does not get the resource of roles.denied.resource either")
	other := c.As(weakest)
	c.Require(other.Call(protocol.Resources().Method, nil).WantResult(), "principals."+weakest+" is not served at all")
	denied := readAt(other, uri)
	if denied.Served() {
		return probe.Shown(allowed, denied).Violation("principals.%s gets the resource %s too, want a refusal", weakest, probe.Show(uri))
	}
	return nil
}
