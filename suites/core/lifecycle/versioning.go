package lifecycle

import (
	"fmt"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func versioningCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/unsupported-version",
			Title:  "a request at an unsupported revision is rejected with error -32022",
			Checks: []requirements.ID{"lifecycle-unsupported-version-error"},
			Fix:    "compare the protocol version in _meta with the supported ones before anything else, and answer error -32022",
			Run:    unsupportedVersion,
		},
		{
			ID:     "lifecycle/unsupported-version-data",
			Title:  "the error for an unsupported revision lists the supported ones and repeats the requested one",
			Checks: []requirements.ID{"lifecycle-unsupported-version-data"},
			Fix:    "put the array of supported revisions into error.data.supported and the rejected one into error.data.requested",
			Run:    unsupportedVersionData,
		},
		{
			ID:     "lifecycle/offered-versions-served",
			Title:  "the revisions that the error for an unsupported one lists are served",
			Checks: []requirements.ID{"lifecycle-unsupported-version-list-accurate"},
			Fix:    "fill error.data.supported from the same list that requests are compared with",
			Run:    offeredVersionsServed,
		},
		{
			ID:     "lifecycle/version-per-request",
			Title:  "each request is accepted or rejected by the revision it names itself",
			Checks: []requirements.ID{"lifecycle-version-checked-per-request"},
			Fix:    "read the protocol version from each request; remember none for the connection",
			Lane:   suite.Fresh, // the rejected request has to be the first one
			Run:    versionPerRequest,
		},
	}
}

// composeAt composes a request that names another revision and is valid otherwise.
func composeAt(c *probe.Client, method, version string) string {
	return c.Compose(method, probe.Object{"_meta": probe.Object{protocol.MetaVersion: version}})
}

// unsupportedVersion asks a server without lists for discovery; another rule judges
// whether the server implements it.
func unsupportedVersion(c *probe.Client) error {
	for _, version := range []string{protocol.Bygone, protocol.YetToCome} {
		c.Must(rejects(c, version))
	}
	return nil
}

// rejects asks on a new connection too, where the answer is not the error for an unsupported
// revision: a request before may have decided for this one, which version-per-request judges.
func rejects(c *probe.Client, version string) error {
	text := composeAt(c, c.PlainMethod(), version)
	reply := c.Ask(text, probe.Patient())
	if !isUnsupported(reply) {
		other := c.Another()
		anew := composeAt(other, c.PlainMethod(), version)
		if fresh := other.Ask(anew, probe.Patient()); isUnsupported(fresh) {
			reply, text = fresh, anew
		}
	}
	c.NotSeenIf(reply.HasCode(protocol.MethodNotFound) && c.AnyList().Method == "",
		"the server declares no lists and does not know server/discover")
	if id := frame.Read([]byte(text)).ID; reply.Answered() && !frame.SameID(reply.ID(), id) {
		c.Note(fmt.Sprintf("the error has the id %q, the request had %s", reply.ID(), id))
	}
	return reply.WantError(protocol.UnsupportedVersion)
}

// rejection makes the server reject a revision on this connection or on a new one, and
// returns the revision. unsupported-version judges whether the server rejects it.
func rejection(c *probe.Client) (reply *probe.Reply, version string) {
	if reply, version = rejectionOn(c); reply == nil {
		reply, version = rejectionOn(c.Another())
	}
	c.NotSeenIf(reply == nil, noneRejected())
	return reply, version
}

func noneRejected() string {
	return fmt.Sprintf("no request at an unsupported revision got error %d", protocol.UnsupportedVersion)
}

// rejectionOn tries two revisions: a server that takes the older one for a revision with a
// handshake still rejects the future one.
func rejectionOn(c *probe.Client) (rejected *probe.Reply, version string) {
	for _, version := range []string{protocol.Bygone, protocol.YetToCome} {
		reply := c.Ask(composeAt(c, c.PlainMethod(), version), probe.Patient())
		if isUnsupported(reply) {
			return reply, version
		}
	}
	return nil, ""
}

func unsupportedVersionData(c *probe.Client) error {
	reply, asked := rejection(c)
	// The server serves this revision, otherwise the case would not run.
	current := string(c.Revision())
	supported := probe.That("an array of revisions with "+current+" and without "+asked, func(v any) bool {
		all, ok := v.([]any)
		return ok && slices.Contains(probe.Strings(v), current) && !slices.ContainsFunc(all, func(each any) bool {
			text, ok := each.(string)
			return !ok || text == asked
		})
	})
	c.Must(reply.Want("/error/data/supported", supported))
	return reply.Want("/error/data/requested", probe.Equal(asked))
}

// offeredVersionsServed tries only revisions without a handshake: a server of both eras
// may list revisions that clients reach through initialize. A rejected revision is tried
// again on a new connection, because the errors before may have spoiled this one.
func offeredVersionsServed(c *probe.Client) error {
	rejected, _ := rejection(c)
	supported, _ := rejected.At("/error/data/supported")
	offered := probe.Strings(supported)
	noteDifferences(c, offered)
	tried := false
	for _, version := range offered {
		if !protocol.FromStateless(version) {
			continue
		}
		tried = true
		reply := askAt(c, version)
		if isUnsupported(reply) {
			return probe.Shown(rejected, reply).Violation("$.error.data.supported lists %q, and a request at that revision got error %d",
				version, protocol.UnsupportedVersion)
		}
	}
	c.NotSeenIf(!tried, "the error lists no revision without a handshake")
	return nil
}

// askAt asks at another revision, and again on a new connection where this connection
// does not serve it.
func askAt(c *probe.Client, version string) *probe.Reply {
	here := c.Ask(composeAt(c, c.PlainMethod(), version), probe.Patient())
	if !isUnsupported(here) {
		return here
	}
	other := c.Another()
	return other.Ask(composeAt(other, c.PlainMethod(), version), probe.Patient())
}

func isUnsupported(reply *probe.Reply) bool { return reply.HasCode(protocol.UnsupportedVersion) }

func noteDifferences(c *probe.Client, offered []string) {
	spoken := c.Versions()
	for _, version := range offered {
		if protocol.HasHandshake(version) && !slices.Contains(spoken.Echoed, requirements.Revision(version)) {
			c.Note("the error lists " + version + ", which initialize does not agree to")
		}
	}
	discovered := slices.Sorted(slices.Values(c.Survey().Supported))
	if len(discovered) > 0 && !slices.Equal(slices.Sorted(slices.Values(offered)), discovered) {
		c.Note("the error and server/discover list different revisions")
	}
}

// versionPerRequest judges only how a request affects the next one; the first error shows
// that the server compares revisions at all.
func versionPerRequest(c *probe.Client) error {
	first, unsupported := rejectionOn(c)
	c.NotSeenIf(first == nil, noneRejected())
	good := c.Call(c.PlainMethod(), nil)
	if isUnsupported(good) {
		return good.Violation("after a request at %s, one at %s got error %d as well", unsupported, c.Revision(), protocol.UnsupportedVersion)
	}
	again := c.Ask(composeAt(c, c.PlainMethod(), unsupported), probe.Patient())
	if again.WantError(protocol.UnsupportedVersion) != nil {
		return probe.Shown(good, again).Violation("after a request at %s, one at %s got %s, want $.error with code %d",
			c.Revision(), unsupported, again.Outcome(), protocol.UnsupportedVersion)
	}
	return nil
}
