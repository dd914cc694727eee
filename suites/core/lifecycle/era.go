package lifecycle

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func eraCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/initialize-refused",
			Title:  "a server without handshake refuses initialize",
			Checks: []requirements.ID{"lifecycle-initialize-rejected-modern-only"},
			Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
			Fix:    "answer initialize with an error, over HTTP with status 400, unless a handshake revision is really served",
			Lane:   suite.Fresh,
			Run:    initializeRefused,
		},
		{
			ID:     "lifecycle/initialize-error-versions",
			Title:  "the refusal of initialize names the revisions that are served",
			Checks: []requirements.ID{"lifecycle-initialize-error-names-versions"},
			Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
			Fix:    "name the supported revisions in the message or the data of the error that answers initialize",
			Lane:   suite.Fresh,
			Run:    initializeErrorVersions,
		},
		{
			ID:     "lifecycle/dual-era-stateless",
			Title:  "a request with modern metadata is served as such even after a handshake",
			Checks: []requirements.ID{"lifecycle-dual-era-modern-stateless"},
			// A process may hold to the era that its handshake chose.
			Needs: []suite.Need{suite.Trait(probe.DualEra), suite.Over(requirements.HTTP)},
			Fix:   "look for the protocol version in a request's _meta before treating it as part of a session",
			Lane:  suite.Fresh,
			Run:   dualEraStateless,
		},
	}
}

// handshake is an initialize as a client from before 2026-07-28 sends it.
func handshake(ctx context.Context, c *probe.Client, r requirements.Revision) (*probe.Reply, error) {
	return c.AskPatiently(ctx, probe.Request(`"handshake"`, "initialize", c.InitializeParams(r)))
}

// Over HTTP the matrix says 400 and the rule on unknown methods 404, so both
// are right whatever the body says.
func initializeRefused(ctx context.Context, c *probe.Client) error {
	reply, err := handshake(ctx, c, requirements.R20251125)
	if err != nil {
		return err
	}
	switch status := reply.Status(); status {
	case 0:
		return reply.WantError()
	case http.StatusBadRequest, http.StatusNotFound:
		return nil
	default:
		return reply.Violation("the answer to initialize has the HTTP status %d, want 400 or 404", status)
	}
}

func initializeErrorVersions(ctx context.Context, c *probe.Client) error {
	reply, err := handshake(ctx, c, requirements.R20251125)
	if err != nil {
		return err
	}
	if !reply.Refused() {
		return probe.NotSeen("initialize is not refused")
	}
	discovered, err := c.Call(ctx, "server/discover", nil)
	if err != nil {
		return err
	}
	listed, _ := discovered.At("/result/supportedVersions")
	if len(texts(listed)) == 0 {
		return probe.NotSeen("server/discover lists no revisions")
	}
	said := refusalText(reply)
	for _, version := range texts(listed) {
		if !strings.Contains(said, version) {
			return reply.Violation("the refusal of initialize does not name %q, which server/discover lists", version)
		}
	}
	return nil
}

// refusalText is what a client could show of the refusal: the error, or over
// HTTP whatever body there is.
func refusalText(reply *probe.Reply) string {
	var said []string
	for _, f := range reply.Evidence() {
		if f.Dir == frame.Received && f.Kind != frame.KindHead {
			said = append(said, string(f.Raw()))
		}
	}
	return strings.Join(said, "\n")
}

// The session that the handshake opened is left out of the modern request, and
// ended with the connection.
func dualEraStateless(ctx context.Context, c *probe.Client) error {
	legacy := requirements.R20251125
	if echoed := c.Survey().Versions.Echoed; len(echoed) > 0 {
		legacy = slices.Max(echoed)
	}
	usual, err := c.Call(ctx, plainest(c).method, nil)
	if err != nil {
		return err
	}
	if usual.Want("/result/resultType", probe.AString()) != nil {
		return probe.NotSeen(usual.Method + " is not served with a resultType before a handshake either")
	}
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	opening, err := handshake(ctx, other, legacy)
	if err != nil {
		return err
	}
	if opening.WantResult() != nil {
		return probe.NotSeen("the handshake of the older era did not come about")
	}
	other.Adopt(opening)
	if err := other.Initialized(ctx); err != nil {
		return err
	}
	reply, err := other.CallWith(ctx, plainest(c).method, nil, http.Header{"Mcp-Session-Id": nil})
	if err != nil {
		return err
	}
	if reply.WantResult() == nil && reply.Want("/result/resultType", probe.AString()) == nil {
		return nil
	}
	return probe.Broken(append(opening.Evidence(), reply.Evidence()...),
		"after a handshake the answer to %s with modern metadata is %s, want a result with resultType", reply.Method, reply.Outcome())
}
