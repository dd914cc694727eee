package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func unsupportedCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/unsupported-version",
			Title:  "a request at a revision the server does not serve is refused as such",
			Checks: []requirements.ID{"lifecycle-unsupported-version-error"},
			Fix:    "compare the protocol version in _meta with the served ones before anything else, and answer error -32022",
			Lane:   suite.Fresh,
			Run:    unsupportedVersion,
		},
		{
			ID:     "lifecycle/unsupported-version-data",
			Title:  "the refusal of a revision names those that are served and the one that was asked for",
			Checks: []requirements.ID{"lifecycle-unsupported-version-data"},
			Fix:    "put the list of served revisions into error.data.supported and the refused one into error.data.requested",
			Lane:   suite.Fresh,
			Run:    unsupportedVersionData,
		},
		{
			ID:     "lifecycle/offered-versions-served",
			Title:  "the revisions that a refusal names are served",
			Checks: []requirements.ID{"lifecycle-unsupported-version-list-accurate"},
			Fix:    "fill error.data.supported from the same list that requests are compared with",
			Lane:   suite.Fresh,
			Run:    offeredVersionsServed,
		},
		{
			ID:     "lifecycle/version-per-request",
			Title:  "each request is accepted or refused by the revision it names itself",
			Checks: []requirements.ID{"lifecycle-version-checked-per-request"},
			Fix:    "read the protocol version from each request; remember none for the connection",
			Lane:   suite.Fresh,
			Run:    versionPerRequest,
		},
	}
}

// composeAt composes a request that names another revision and is good otherwise.
func composeAt(c *probe.Client, method, version string) string {
	return c.Compose(method, probe.Object{"_meta": probe.Object{probe.MetaVersion: version}})
}

// A server without lists is asked for discovery, and whether it knows that is
// another rule's.
func unsupportedVersion(ctx context.Context, c *probe.Client) error {
	for _, version := range []string{bygone, yetToCome} {
		if err := refuses(ctx, c, version); err != nil {
			return err
		}
	}
	return nil
}

func refuses(ctx context.Context, c *probe.Client, version string) error {
	l := plainest(c)
	text := composeAt(c, l.method, version)
	reply, err := c.AskPatiently(ctx, text)
	if err != nil {
		return err
	}
	if code, ok := reply.Code(); ok && code == probe.MethodNotFound && l.capability == "" {
		return probe.NotSeen("the server declares no lists and does not know server/discover")
	}
	if id := frame.Read([]byte(text)).ID; reply.Answered() && reply.ID() != id {
		c.Note(fmt.Sprintf("the refusal has the id %q, the request had %s", reply.ID(), id))
	}
	return reply.WantError(probe.UnsupportedVersion)
}

// refused makes the server refuse a revision and says which; whether it does
// is unsupported-version's to judge. One that takes the past for the handshake
// era still refuses the future.
func refused(ctx context.Context, c *probe.Client) (reply *probe.Reply, version string, err error) {
	for _, version := range []string{bygone, yetToCome} {
		reply, err := c.AskPatiently(ctx, composeAt(c, plainest(c).method, version))
		if err != nil {
			return nil, "", err
		}
		if reply.WantError(probe.UnsupportedVersion) == nil {
			return reply, version, nil
		}
	}
	return nil, "", probe.NotSeen(fmt.Sprintf("no request at a revision that is not served is refused with error %d", probe.UnsupportedVersion))
}

func unsupportedVersionData(ctx context.Context, c *probe.Client) error {
	reply, asked, err := refused(ctx, c)
	if err != nil {
		return err
	}
	// This revision is served, or nothing would be judged here.
	current := string(c.Revision())
	served := probe.That("a list of revisions with "+current+" and without "+asked, func(v any) bool {
		all, ok := v.([]any)
		return ok && slices.Contains(texts(v), current) && !slices.ContainsFunc(all, func(each any) bool {
			text, ok := each.(string)
			return !ok || text == asked
		})
	})
	if err := reply.Want("/error/data/supported", served); err != nil {
		return err
	}
	return reply.Want("/error/data/requested", probe.Equal(asked))
}

// Only revisions without a handshake are tried: a server of both eras may
// list those that are reached through initialize. Each has a connection of its
// own, since the refusal must not count against it.
func offeredVersionsServed(ctx context.Context, c *probe.Client) error {
	refusal, _, err := refused(ctx, c)
	if err != nil {
		return err
	}
	supported, _ := refusal.At("/error/data/supported")
	offered := texts(supported)
	noteDifferences(c, offered)
	tried := false
	for _, version := range offered {
		if !handshakeless(version) {
			continue
		}
		tried = true
		other, err := c.Another(ctx)
		if err != nil {
			return err
		}
		reply, err := other.AskPatiently(ctx, composeAt(other, plainest(c).method, version))
		if err != nil {
			return err
		}
		if code, ok := reply.Code(); ok && code == probe.UnsupportedVersion {
			return probe.Broken(append(refusal.Evidence(), reply.Evidence()...),
				"$.error.data.supported names %q, and a request at that revision is refused with code %d", version, code)
		}
	}
	if !tried {
		return probe.NotSeen("the refusal names no revision without a handshake")
	}
	return nil
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

// handshakeless tells of a date whether a revision of that day has no
// handshake, be it known here or not.
func handshakeless(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && !requirements.Revision(version).Before(requirements.R20260728)
}

func noteDifferences(c *probe.Client, offered []string) {
	seen := c.Survey().Versions
	for _, version := range offered {
		r := requirements.Revision(version)
		if r.Known() && !r.Modern() && !slices.Contains(seen.Echoed, r) {
			c.Note("the refusal names " + version + ", which initialize does not agree to")
		}
	}
	discovered := slices.Clone(seen.Supported)
	slices.Sort(discovered)
	if slices.Compare(slices.Sorted(slices.Values(offered)), discovered) != 0 && len(discovered) > 0 {
		c.Note("the refusal and server/discover name different revisions")
	}
}

// The first refusal shows that the server compares at all; only what a request
// makes of the next one is judged here.
func versionPerRequest(ctx context.Context, c *probe.Client) error {
	_, unserved, err := refused(ctx, c)
	if err != nil {
		return err
	}
	good, err := c.Call(ctx, plainest(c).method, nil)
	if err != nil {
		return err
	}
	if code, ok := good.Code(); ok && code == probe.UnsupportedVersion {
		return good.Violation("after a request at %s, one at %s is refused with code %d as well", unserved, c.Revision(), code)
	}
	again, err := c.AskPatiently(ctx, composeAt(c, plainest(c).method, unserved))
	if err != nil {
		return err
	}
	if again.WantError(probe.UnsupportedVersion) != nil {
		return probe.Broken(append(good.Evidence(), again.Evidence()...),
			"after a request at %s the answer to one at %s is %s, want $.error with code %d",
			c.Revision(), unserved, again.Outcome(), probe.UnsupportedVersion)
	}
	return nil
}
