// Package discover holds the cases of server/discover: how a server tells what
// it is without a handshake.
package discover

import (
	"context"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "discover",
		Title: "a server tells what it is to whoever asks",
		Grade: suite.Core,
		Cases: slices.Concat(answerCases(), accuracyCases()),
	}
}

// bygone is a revision that nobody ever had.
const bygone = "1900-01-01"

func answerCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "discover/implemented",
			Title:  "server/discover is answered as the first request, with the least metadata",
			Checks: []requirements.ID{"discover-implemented"},
			Fix:    "implement server/discover, and ask for no more metadata than a version and capabilities",
			Lane:   suite.Fresh,
			Run:    implemented,
		},
		{
			ID:     "discover/result",
			Title:  "discovery lists revisions and capabilities in the form of the schema",
			Checks: []requirements.ID{"discover-result-schema"},
			Fix:    "answer server/discover with supportedVersions, capabilities, resultType, ttlMs and cacheScope",
			Run:    result,
		},
		{
			ID:     "discover/instructions",
			Title:  "the instructions of discovery are a text",
			Checks: []requirements.ID{"discover-instructions-string"},
			Fix:    "return instructions as one string, or leave the member out",
			Run:    instructions,
		},
		{
			ID:     "discover/unsupported-version",
			Title:  "discovery at a revision the server does not serve is refused as such",
			Checks: []requirements.ID{"discover-unsupported-version"},
			Fix:    "compare the protocol version of server/discover like that of any request, and answer error -32022 with the supported ones",
			Lane:   suite.Fresh,
			Run:    unsupportedVersion,
		},
		{
			ID:     "discover/same-everywhere",
			Title:  "discovery says the same whatever was asked before on the connection",
			Checks: []requirements.ID{"discover-same-on-every-connection"},
			Fix:    "make supportedVersions and capabilities depend on nothing that the connection has seen",
			Lane:   suite.Fresh,
			Run:    sameEverywhere,
		},
	}
}

func implemented(ctx context.Context, c *probe.Client) error {
	least := probe.Object{"_meta": probe.Object{
		probe.MetaVersion:      string(c.Revision()),
		probe.MetaCapabilities: probe.Object{},
	}}
	reply, err := c.AskPatiently(ctx, probe.Request(`"first"`, "server/discover", least))
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
	if reply.WantResult() != nil {
		return nil, probe.NotSeen("server/discover is not answered with a result")
	}
	return reply, nil
}

// What has a rule of its own is left out: instructions, and the extensions
// among the capabilities.
func result(ctx context.Context, c *probe.Client) error {
	reply, err := discovered(ctx, c)
	if err != nil {
		return err
	}
	if err := reply.Want("/result/resultType", probe.Equal("complete")); err != nil {
		return err
	}
	whole, _ := reply.Result()
	rest := probe.Object(whole).Without("instructions")
	if capabilities, ok := whole["capabilities"].(map[string]any); ok {
		rest["capabilities"] = map[string]any(probe.Object(capabilities).Without("extensions"))
	}
	return reply.Fits("DiscoverResult", "/result", map[string]any(rest))
}

func instructions(ctx context.Context, c *probe.Client) error {
	reply, err := discovered(ctx, c)
	if err != nil {
		return err
	}
	return reply.Want("/result/instructions", probe.OrMissing(probe.AString()))
}

// A server that does not know the method at all breaks another rule.
func unsupportedVersion(ctx context.Context, c *probe.Client) error {
	at := probe.Object{"_meta": probe.Object{probe.MetaVersion: bygone}}
	reply, err := c.AskPatiently(ctx, c.Compose("server/discover", at))
	if err != nil {
		return err
	}
	if code, ok := reply.Code(); ok && code == probe.MethodNotFound {
		if _, err := discovered(ctx, c); err != nil {
			return err
		}
	}
	if err := reply.WantError(probe.UnsupportedVersion); err != nil {
		return err
	}
	return reply.Want("/error/data/supported", probe.AnArray())
}

// A server that changes by itself differs between the two fresh connections
// too, and shows nothing.
func sameEverywhere(ctx context.Context, c *probe.Client) error {
	before, err := elsewhere(ctx, c)
	if err != nil {
		return err
	}
	if err := use(ctx, c); err != nil {
		return err
	}
	used, err := discovered(ctx, c)
	if err != nil {
		return err
	}
	after, err := elsewhere(ctx, c)
	if err != nil {
		return err
	}
	for _, member := range []string{"/result/supportedVersions", "/result/capabilities"} {
		was, is, again := unordered(before, member), unordered(used, member), unordered(after, member)
		switch {
		case !probe.Same(was, again):
			return probe.Undecide("what discovery says changes by itself")
		case !probe.Same(was, is):
			return probe.Broken(append(before.Evidence(), used.Evidence()...),
				"$%s is %s after other requests on the connection, want %s as on fresh ones",
				strings.ReplaceAll(member, "/", "."), probe.Show(is), probe.Show(was))
		}
	}
	return nil
}

// unordered is a member of a discovery answer; the order in which it lists texts
// means nothing.
func unordered(reply *probe.Reply, pointer string) any {
	v, _ := reply.At(pointer)
	if list, ok := v.([]any); ok {
		return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(probe.JSON(a), probe.JSON(b)) })
	}
	return v
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
		probe.MetaClientInfo:   probe.Object{"name": "other", "version": "1"},
		probe.MetaCapabilities: probe.Object{"roots": probe.Object{}, "sampling": probe.Object{}, "elicitation": probe.Object{}},
	}}
	for _, method := range append([]string{"server/discover"}, declaredLists(c)...) {
		if _, err := c.Call(ctx, method, other); err != nil {
			return err
		}
	}
	return nil
}
