// Package discover holds the cases of server/discover: how a server describes itself
// without a handshake.
package discover

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "discover",
		Title: "a server tells every client what it is",
		Cases: slices.Concat(requestCases(), resultCases()),
	}
}

func requestCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "discover/implemented",
			Title:  "server/discover is answered when it is the first request",
			Checks: []requirements.ID{"discover-implemented"},
			Proves: []suite.Need{suite.Answers()},
			Fix:    "implement server/discover, and require no other request before it",
			Lane:   suite.Fresh, // server/discover has to be the first request
			Run:    implemented,
		},
		{
			ID:     "discover/without-client-info",
			Title:  "server/discover is answered when its metadata has no clientInfo",
			Checks: []requirements.ID{"meta-client-info-optional"},
			Fix:    "require no more metadata than a version and capabilities: clientInfo is optional",
			Run:    withoutClientInfo,
		},
		{
			ID:     "discover/unsupported-version",
			Title:  "server/discover at an unsupported revision is rejected with error -32022",
			Checks: []requirements.ID{"discover-unsupported-version"},
			Fix:    "check the protocol version of server/discover as for any request; answer error -32022 with the supported ones",
			Run:    unsupportedVersion,
		},
		{
			ID:     "discover/same-everywhere",
			Title:  "server/discover gives the same result whatever was asked before on the connection",
			Checks: []requirements.ID{"discover-same-on-every-connection"},
			Fix:    "make supportedVersions and capabilities independent of what the connection was used for",
			Run:    sameEverywhere,
		},
	}
}

func implemented(c *probe.Client) error {
	reply := c.Call("server/discover", nil, probe.WithID(`"first"`))
	return c.OrMute(reply, reply.WantResult())
}

func withoutClientInfo(c *probe.Client) error {
	discovered(c)
	least := probe.Object{"_meta": probe.Object{
		protocol.MetaVersion:      string(c.Revision()),
		protocol.MetaCapabilities: probe.Object{},
	}}
	return c.Ask(probe.RequestText(`"anonymous"`, "server/discover", least), probe.Patient()).WantResult()
}

// discovered sends server/discover in cases that do not judge whether it is served.
func discovered(c *probe.Client) *probe.Reply {
	reply := c.Call("server/discover", nil)
	if reply.WantResult() != nil {
		c.NotSeen("server/discover does not get a result")
	}
	return reply
}

// unsupportedVersion passes over a server that does not know the method, and over one
// that treats other methods the same way; both break other rules.
func unsupportedVersion(c *probe.Client) error {
	for _, version := range []string{protocol.Bygone, protocol.YetToCome} {
		c.Must(rejects(c, version))
	}
	return nil
}

func rejects(c *probe.Client, version string) error {
	reply, problem := atVersion(c, "server/discover", version)
	if problem == nil {
		return nil
	}
	if code, ok := reply.Code(); ok && code == protocol.MethodNotFound {
		discovered(c)
	}
	if method := c.PlainMethod(); method != "server/discover" {
		if _, alike := atVersion(c, method, version); alike == nil {
			return problem
		}
	}
	c.NotSeen("unsupported revisions are not rejected as they should be for other methods either, " +
		"which lifecycle/unsupported-version and lifecycle/unsupported-version-data judge")
	return nil
}

// atVersion sends a request at a revision that no server supports, and describes what is
// wrong with the answer.
func atVersion(c *probe.Client, method, version string) (reply *probe.Reply, problem error) {
	at := probe.Object{"_meta": probe.Object{protocol.MetaVersion: version}}
	reply = c.Ask(c.Compose(method, at), probe.Patient())
	if problem = reply.WantError(protocol.UnsupportedVersion); problem == nil {
		problem = reply.Want("/error/data/supported", probe.AnArray())
	}
	return reply, problem
}

// sameEverywhere compares with the answer that discovery got on a new connection. Where
// they differ, it asks on two new connections: if these differ too, the server changes by
// itself, which shows nothing.
func sameEverywhere(c *probe.Client) error {
	use(c)
	used := discovered(c)
	if asLearned(c, used) {
		return nil
	}
	before, after := discovered(c.Another()), discovered(c.Another())
	for _, property := range []string{"supportedVersions", "capabilities"} {
		was, is, again := unordered(before, property), unordered(used, property), unordered(after, property)
		switch {
		case !probe.Same(was, again):
			c.Undecide("the result of server/discover changes by itself")
		case !probe.Same(was, is):
			return probe.Shown(before, used).Violation("$.result.%s is %s after other requests on the connection, want %s as on a new one",
				property, probe.Show(is), probe.Show(was))
		}
	}
	return nil
}

// asLearned reports whether an answer agrees with the survey of the column.
func asLearned(c *probe.Client, reply *probe.Reply) bool {
	listed, _ := reply.At("/result/supportedVersions")
	all, _ := listed.([]any)
	versions := probe.Strings(listed)
	capabilities, _ := reply.At("/result/capabilities")
	slices.Sort(versions)
	survey := c.Survey()
	return len(versions) == len(all) && slices.Equal(versions, slices.Sorted(slices.Values(survey.Supported))) &&
		probe.Same(capabilities, survey.Capabilities)
}

// unordered is a property of a discovery result with its array sorted, since the order
// has no meaning there.
func unordered(reply *probe.Reply, property string) any {
	v, _ := reply.At("/result/" + property)
	entries, ok := v.([]any)
	if !ok {
		return v
	}
	return slices.SortedFunc(slices.Values(entries), func(a, b any) int { return strings.Compare(probe.JSON(a), probe.JSON(b)) })
}

// use sends the requests that a used connection has seen: discovery and every declared
// list, from another client with other capabilities.
func use(c *probe.Client) {
	other := probe.Object{"_meta": probe.Object{
		protocol.MetaClientInfo:   probe.Object{"name": "other", "version": "1"},
		protocol.MetaCapabilities: probe.Object{"roots": probe.Object{}, "sampling": probe.Object{}, "elicitation": probe.Object{}},
	}}
	methods := []string{"server/discover"}
	for _, l := range c.Declared() {
		methods = append(methods, l.Method)
	}
	for _, method := range methods {
		c.Call(method, other)
	}
}
