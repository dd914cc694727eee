package discover

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func accuracyCases() []suite.Case {
	cases := []suite.Case{
		{
			ID:     "discover/current-version",
			Title:  "discovery lists the revision it is answered in, and none twice",
			Checks: []requirements.ID{"discover-lists-current-version"},
			Fix:    "list each revision the server serves once in supportedVersions",
			Run:    currentVersion,
		},
		{
			ID:     "discover/versions-served",
			Title:  "the revisions that discovery lists are served",
			Checks: []requirements.ID{"discover-versions-accurate"},
			Fix:    "list in supportedVersions only what a request, or an initialize, may name",
			Lane:   suite.Fresh,
			Run:    versionsServed,
		},
	}
	for _, capability := range listed() {
		cases = append(cases, suite.Case{
			ID:     "discover/declared-" + capability,
			Title:  "the " + capability + " that discovery declares can be listed",
			Checks: []requirements.ID{"discover-capabilities-accurate"},
			Fix:    "serve " + capability + "/list or leave " + capability + " out of the capabilities",
			Run:    func(ctx context.Context, c *probe.Client) error { return known(ctx, c, capability) },
		})
	}
	return cases
}

// listed are the capabilities whose offers are listed by a method of that name.
func listed() []string { return []string{"tools", "resources", "prompts"} }

// declaredLists are the lists of what the server declares.
func declaredLists(c *probe.Client) []string {
	var methods []string
	for _, capability := range listed() {
		if c.Survey().Capabilities[capability] != nil {
			methods = append(methods, capability+"/list")
		}
	}
	return methods
}

func currentVersion(ctx context.Context, c *probe.Client) error {
	reply, err := discovered(ctx, c)
	if err != nil {
		return err
	}
	current := string(c.Revision())
	return reply.Want("/result/supportedVersions", probe.That("a list with "+current+" in which nothing stands twice", func(v any) bool {
		all := texts(v)
		slices.Sort(all)
		return slices.Contains(all, current) && len(slices.Compact(all)) == len(all)
	}))
}

func texts(v any) []string {
	all, _ := v.([]any)
	var found []string
	for _, each := range all {
		if text, ok := each.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// Revisions from before 2026-07-28 are reached through initialize. Over HTTP
// the oldest may be meant for the transport it had, at another address.
func versionsServed(ctx context.Context, c *probe.Client) error {
	listing, err := discovered(ctx, c)
	if err != nil {
		return err
	}
	listed, _ := listing.At("/result/supportedVersions")
	for _, version := range texts(listed) {
		r := requirements.Revision(version)
		switch {
		case !r.Known() || r.Modern():
			continue // not known how to speak, or spoken all the time
		case c.Transport() == requirements.HTTP && r == requirements.R20241105:
			continue
		}
		other, err := c.Another(ctx)
		if err != nil {
			return err
		}
		reply, err := other.Handshake(ctx, other.InitializeParams(r))
		if err != nil {
			return err
		}
		if reply.Want("/result/protocolVersion", probe.Equal(version)) != nil {
			return probe.Broken(append(listing.Evidence(), reply.Evidence()...),
				"$.result.supportedVersions names %q, and the answer to %s at that revision is %s", version, reply.Method, reply.Outcome())
		}
	}
	return nil
}

// The capability is no need of this case: what serves as proof of it is the
// very list that is missing when this rule is broken.
func known(ctx context.Context, c *probe.Client, capability string) error {
	if !slices.Contains(declaredLists(c), capability+"/list") {
		return probe.NotSeen("the server does not declare " + capability)
	}
	reply, err := c.Call(ctx, capability+"/list", nil)
	if err != nil {
		return err
	}
	if code, ok := reply.Code(); ok && code == probe.MethodNotFound {
		return reply.Violation("$.error.code is %d, want a list, since discovery declares %s", code, capability)
	}
	return nil
}
