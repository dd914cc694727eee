// Package discover holds the cases of server/discover: how a server describes itself
// without a handshake.
package discover

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/declared"
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
	c.NotSeenIf(reply.WantResult() != nil, "server/discover does not get a result")
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
	if reply.HasCode(protocol.MethodNotFound) {
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
// wrong with the answer. It asks on a new connection too, because a request before may have
// decided for this one, which lifecycle/version-per-request judges.
func atVersion(c *probe.Client, method, version string) (reply *probe.Reply, problem error) {
	if reply, problem = askAt(c, method, version); problem == nil {
		return reply, nil
	}
	if anew, none := askAt(c.Another(), method, version); none == nil {
		return anew, nil
	}
	return reply, problem
}

func askAt(c *probe.Client, method, version string) (reply *probe.Reply, problem error) {
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
	return stillDeclared(c, used)
}

// stillDeclared warns where a capability of the first discovery is missing from now on. A server may learn of more
// that it can do, so that further capabilities are nobody's mistake.
func stillDeclared(c *probe.Client, now *probe.Reply) error {
	declared, _ := now.At("/result/capabilities")
	for _, capability := range slices.Sorted(maps.Keys(c.Survey().Capabilities)) {
		if _, still := probe.ObjectOf(declared)[capability]; !still {
			return now.Violation("$.result.capabilities.%s is missing on each connection, and was there when the run began, "+
				"want it as long as it is served", capability).AtMostWarn()
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

func resultCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:     "discover/result",
			Title:  "the server/discover result lists revisions and capabilities as the schema says",
			Checks: []requirements.ID{"discover-result-schema"},
			Fix:    "answer server/discover with an array of strings as supportedVersions and an object of capabilities",
			Owns:   []suite.Part{{Of: "server/discover"}},
			Run:    result,
		},
		{
			ID:     "discover/instructions",
			Title:  "the instructions in the server/discover result are a string",
			Checks: []requirements.ID{"discover-instructions-string"},
			Fix:    "return instructions as one string, or leave the property out",
			Run:    instructions,
		},
		{
			ID:     "discover/current-version",
			Title:  "supportedVersions has the revision it is answered in, and none twice",
			Checks: []requirements.ID{"discover-lists-current-version"},
			Fix:    "list each supported revision once in supportedVersions",
			Run:    currentVersion,
		},
		{
			ID:     "discover/versions-served",
			Title:  "the revisions in supportedVersions are served",
			Checks: []requirements.ID{"discover-versions-accurate"},
			Fix:    "list in supportedVersions only what a request, or an initialize, may name",
			Run:    versionsServed,
		},
	}
	// The page of each list has a rule for it too.
	listed := map[string]requirements.ID{
		"tools": "tools-list-answered", "resources": "resources-list-answered", "prompts": "prompts-list-answered",
	}
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		var proves []suite.Need
		if l.Name != "tools" { // tools/list-answered speaks beside this case, those of the other pages are blocked by it
			proves = []suite.Need{suite.Capability(l.Capability)}
		}
		cases = append(cases, declared.Answered(declared.Row{
			ID: "discover/declared-" + l.Name, List: l, Proves: proves,
			Title:  "the " + l.Name + " that server/discover declares can be listed",
			Checks: []requirements.ID{listed[l.Name], "discover-capabilities-accurate"},
			Fix:    "serve " + l.Method + " or leave " + l.Capability + " out of the capabilities",
		})...)
	}
	return cases
}

// result leaves out the parts that have rules of their own: instructions, extensions
// among the capabilities, the presence of resultType, metadata and caching hints.
func result(c *probe.Client) error {
	reply := discovered(c)
	whole, _ := reply.Result()
	if whole["resultType"] == protocol.InputRequired { // jsonrpc/result-type-known judges a type that there is not
		return reply.Want("/result/resultType", probe.Equal(protocol.Complete))
	}
	rest := probe.Object(whole).Without("instructions").Without("_meta").With("resultType", protocol.Complete).
		With("ttlMs", json.Number("0")).With("cacheScope", "private")
	if capabilities, ok := whole["capabilities"].(map[string]any); ok {
		rest["capabilities"] = map[string]any(probe.Object(capabilities).Without("extensions"))
	}
	return reply.Fits("DiscoverResult", "/result", map[string]any(rest))
}

func instructions(c *probe.Client) error {
	return discovered(c).Want("/result/instructions", probe.OrMissing(probe.AString()))
}

func currentVersion(c *probe.Client) error {
	reply := discovered(c)
	current := string(c.Revision())
	once := probe.That("an array with "+current+" and without duplicates", func(v any) bool {
		all := probe.Strings(v)
		slices.Sort(all)
		return slices.Contains(all, current) && len(slices.Compact(all)) == len(all)
	})
	listed, _ := reply.At("/result/supportedVersions")
	_, array := listed.([]any)
	c.NotSeenIf(!array, "supportedVersions is not an array, which discover/result judges")
	return reply.Want("/result/supportedVersions", once)
}

// versionsServed checks revisions with a handshake against the answers that discovery
// got. Over HTTP the oldest revision may be served at another endpoint. How a later revision
// is spoken is not known, but for the error that disowns it.
func versionsServed(c *probe.Client) error {
	listing := discovered(c)
	listed, _ := listing.At("/result/supportedVersions")
	spoken := c.Versions()
	for _, version := range probe.Strings(listed) {
		r := requirements.Revision(version)
		switch {
		case protocol.FromStateless(version):
			reply := c.Call("server/discover", probe.Object{"_meta": probe.Object{protocol.MetaVersion: version}})
			if reply.HasCode(protocol.UnsupportedVersion) {
				return probe.Shown(listing, reply).Violation("$.result.supportedVersions lists %q, and a request at that revision got error %d",
					version, protocol.UnsupportedVersion)
			}
			continue
		case !protocol.HasHandshake(version), slices.Contains(spoken.Echoed, r):
			continue
		case c.Transport() == requirements.HTTP && !slices.Contains(protocol.Streamable(), r):
			continue
		}
		other := c.Another()
		reply := other.Handshake(other.InitializeParams(r))
		if reply.Want("/result/protocolVersion", probe.Equal(version)) != nil {
			return probe.Shown(listing, reply).Violation("$.result.supportedVersions lists %q, and %s at that revision got %s",
				version, reply.Method, reply.Outcome())
		}
	}
	return nil
}
