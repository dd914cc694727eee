// Package discover holds the cases of server/discover: how a server tells what
// it is without a handshake.
package discover

import (
	"cmp"
	"context"
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
			Lane:   suite.Fresh, // as the first request
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

func implemented(ctx context.Context, c *probe.Client) error {
	reply, err := c.Call(ctx, "server/discover", nil, probe.WithID(`"first"`))
	if err != nil {
		return err
	}
	return reply.OrMute(ctx, reply.WantResult())
}

func withoutClientInfo(ctx context.Context, c *probe.Client) error {
	if _, err := discovered(ctx, c); err != nil {
		return err
	}
	least := probe.Object{"_meta": probe.Object{
		protocol.MetaVersion:      string(c.Revision()),
		protocol.MetaCapabilities: probe.Object{},
	}}
	reply, err := c.Ask(ctx, probe.Request(`"anonymous"`, "server/discover", least), probe.Patient())
	if err != nil {
		return err
	}
	return reply.WantResult()
}

// discovered asks for discovery where another case judges whether it is served.
func discovered(ctx context.Context, c *probe.Client) (*probe.Reply, error) {
	reply, err := c.Call(ctx, "server/discover", nil)
	if err != nil {
		return nil, err
	}
	return reply, probe.Otherwise(reply.WantResult(), probe.NotSeen("server/discover does not get a result"))
}

// A server that does not know the method at all breaks another rule, and so does one
// that treats other methods in the same way.
func unsupportedVersion(ctx context.Context, c *probe.Client) error {
	for _, version := range []string{protocol.Bygone, protocol.YetToCome} {
		if err := rejects(ctx, c, version); err != nil {
			return err
		}
	}
	return nil
}

func rejects(ctx context.Context, c *probe.Client, version string) error {
	reply, problem, err := atVersion(ctx, c, "server/discover", version)
	if err != nil || problem == nil {
		return err
	}
	if code, ok := reply.Code(); ok && code == protocol.MethodNotFound {
		if _, err := discovered(ctx, c); err != nil {
			return err
		}
	}
	if method := c.PlainMethod(); method != "server/discover" {
		_, alike, err := atVersion(ctx, c, method, version)
		if err != nil || alike == nil {
			return cmp.Or(err, problem)
		}
	}
	return probe.NotSeen("unsupported revisions are not rejected as they should be for other methods either, " +
		"which lifecycle/unsupported-version and lifecycle/unsupported-version-data judge")
}

// atVersion asks at a revision that nobody speaks, and says what is wrong with the
// answer.
func atVersion(ctx context.Context, c *probe.Client, method, version string) (reply *probe.Reply, problem, err error) {
	at := probe.Object{"_meta": probe.Object{protocol.MetaVersion: version}}
	if reply, err = c.Ask(ctx, c.Compose(method, at), probe.Patient()); err != nil {
		return nil, nil, err
	}
	if problem = reply.WantError(protocol.UnsupportedVersion); problem == nil {
		problem = reply.Want("/error/data/supported", probe.AnArray())
	}
	return reply, problem, nil
}

// What a new connection says was learned ahead of all cases. Where this one
// says something else, two new ones are asked: a server that changes by itself
// differs between those too, and shows nothing.
func sameEverywhere(ctx context.Context, c *probe.Client) error {
	if err := use(ctx, c); err != nil {
		return err
	}
	used, err := discovered(ctx, c)
	if err != nil {
		return err
	}
	if asLearned(c, used) {
		return nil
	}
	before, err := elsewhere(ctx, c)
	if err != nil {
		return err
	}
	after, err := elsewhere(ctx, c)
	if err != nil {
		return err
	}
	for _, property := range []string{"supportedVersions", "capabilities"} {
		was, is, again := unordered(before, property), unordered(used, property), unordered(after, property)
		switch {
		case !probe.Same(was, again):
			return probe.Undecide("the result of server/discover changes by itself")
		case !probe.Same(was, is):
			return probe.Shown(before, used).Violation("$.result.%s is %s after other requests on the connection, want %s as on a new one",
				property, probe.Show(is), probe.Show(was))
		}
	}
	return nil
}

// asLearned reports whether an answer says what the survey of the column holds.
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

// unordered is a property of a discovery result; the order of an array means
// nothing there.
func unordered(reply *probe.Reply, property string) any {
	v, _ := reply.At("/result/" + property)
	entries, ok := v.([]any)
	if !ok {
		return v
	}
	return slices.SortedFunc(slices.Values(entries), func(a, b any) int { return strings.Compare(probe.JSON(a), probe.JSON(b)) })
}

func elsewhere(ctx context.Context, c *probe.Client) (*probe.Reply, error) {
	other, err := c.Another(ctx)
	if err != nil {
		return nil, err
	}
	return discovered(ctx, other)
}

// use makes the connection one that was used: by discovery, by whatever lists
// there are, and by another client with other capabilities.
func use(ctx context.Context, c *probe.Client) error {
	other := probe.Object{"_meta": probe.Object{
		protocol.MetaClientInfo:   probe.Object{"name": "other", "version": "1"},
		protocol.MetaCapabilities: probe.Object{"roots": probe.Object{}, "sampling": probe.Object{}, "elicitation": probe.Object{}},
	}}
	methods := []string{"server/discover"}
	for _, l := range c.Declared() {
		methods = append(methods, l.Method)
	}
	for _, method := range methods {
		if _, err := c.Call(ctx, method, other); err != nil {
			return err
		}
	}
	return nil
}
