package lifecycle

import (
	"context"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func statelessCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/no-handshake",
			Title:  "the first request on a connection is served if its metadata is complete",
			Checks: []requirements.ID{"lifecycle-no-handshake-needed"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "serve each request by its own metadata; wait for no initialize and no server/discover",
			Lane:   suite.Fresh,
			Run:    noHandshake,
		},
		{
			ID:     "lifecycle/metadata-not-remembered",
			Title:  "a request without metadata is refused even after a complete one",
			Checks: []requirements.ID{"lifecycle-no-connection-context"},
			Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
			Fix:    "keep nothing of a request's metadata for the next one on the connection",
			Lane:   suite.Fresh,
			Run:    metadataNotRemembered,
		},
		{
			ID:     "lifecycle/capabilities-not-remembered",
			Title:  "the capabilities of one request count for that request only",
			Checks: []requirements.ID{"lifecycle-no-connection-context"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "elicitation")},
			Fix:    "ask for input only what the capabilities of the same request allow",
			Lane:   suite.Fresh,
			Run:    capabilitiesNotRemembered,
		},
		{
			ID:     "lifecycle/interleaved",
			Title:  "requests of different conversations are served side by side on one connection",
			Checks: []requirements.ID{"lifecycle-interleaved-conversations"},
			Fix:    "answer each request from its own metadata, whoever else uses the connection",
			Lane:   suite.Fresh,
			Run:    interleaved,
		},
		{
			ID:     "lifecycle/pages-across-connections",
			Title:  "a list that was begun on one connection goes on on another",
			Checks: []requirements.ID{"lifecycle-no-connection-affinity"},
			Needs:  []suite.Need{suite.Trait(probe.AnyPaginates)},
			Fix:    "put all a cursor needs into the cursor, instead of keeping it with the connection",
			Lane:   suite.Fresh,
			Run:    pagesAcrossConnections,
		},
		{
			ID:     "lifecycle/state-handle",
			Title:  "state that was made on one connection is reached by its identifier on another",
			Checks: []requirements.ID{"lifecycle-explicit-state-handle"},
			Needs: []suite.Need{
				suite.Role(roles.SessionState), suite.Either(suite.Over(requirements.HTTP), suite.Trait(probe.Durable)),
			},
			Fix:  "keep state under the identifier that the client sends, not with the connection it was made on",
			Lane: suite.Fresh,
			Run:  stateHandle,
		},
	}
}

// What the list answers after discovery, on a connection of its own, says
// whether there is anything to expect of it.
func noHandshake(ctx context.Context, c *probe.Client) error {
	declared := slices.DeleteFunc(lists(), func(l list) bool { return c.Survey().Capabilities[l.capability] == nil })
	l := declared[len(declared)-1]
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	if _, err := other.Call(ctx, "server/discover", nil); err != nil {
		return err
	}
	usual, err := other.Call(ctx, l.method, nil)
	if err != nil {
		return err
	}
	if usual.WantResult() != nil {
		return probe.NotSeen(l.method + " is not served after discovery either")
	}
	first, err := c.Call(ctx, l.method, nil)
	if err != nil {
		return err
	}
	if first.WantResult() != nil {
		return first.Violation("the answer to %s as the first request is %s, want a result as after server/discover", l.method, first.Outcome())
	}
	return nil
}

// A server that serves a request without metadata from the start remembers
// nothing; what is wrong with that is another rule's.
func metadataNotRemembered(ctx context.Context, c *probe.Client) error {
	l := plainest(c)
	bare := func(c *probe.Client, id string) (*probe.Reply, error) {
		return c.AskPatiently(ctx, probe.Request(id, l.method, probe.Object{}))
	}
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	alone, err := bare(other, `"alone"`)
	if err != nil {
		return err
	}
	if _, served := alone.Result(); served {
		return probe.NotSeen("a request without metadata is served from the start")
	}
	whole, err := c.Call(ctx, l.method, nil)
	if err != nil {
		return err
	}
	after, err := bare(c, `"after"`)
	if err != nil {
		return err
	}
	if _, served := after.Result(); served {
		return probe.Broken(append(whole.Evidence(), after.Evidence()...),
			"the answer to %s without metadata, refused as the first request, is a result after a complete one", l.method)
	}
	return nil
}

func capabilitiesNotRemembered(ctx context.Context, c *probe.Client) error {
	call, err := c.Role(roles.ClientRequest).Field("elicitation")
	if err != nil {
		return err
	}
	with := func(c *probe.Client, capabilities probe.Object) (*probe.Reply, error) {
		return c.CallTool(ctx, call, probe.Object{"_meta": probe.Object{probe.MetaCapabilities: capabilities}})
	}
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	alone, err := with(other, probe.Object{})
	if err != nil {
		return err
	}
	if elicits(alone) {
		return probe.NotSeen("the tool asks even a client that never declared elicitation")
	}
	able, err := with(c, probe.Object{"elicitation": probe.Object{}})
	if err != nil {
		return err
	}
	if !elicits(able) {
		return probe.NotSeen("the tool did not ask a client that declared elicitation")
	}
	unable, err := with(c, probe.Object{})
	if err != nil {
		return err
	}
	if elicits(unable) {
		return probe.Broken(append(able.Evidence(), unable.Evidence()...),
			"a request without elicitation among its capabilities is answered by an elicitation, as if those of the request before still held")
	}
	return nil
}

// elicits reports whether the answer asks for input by elicitation.
func elicits(reply *probe.Reply) bool {
	asked, _ := reply.At("/result/inputRequests")
	all, _ := asked.(map[string]any)
	for _, each := range all {
		if request, ok := each.(map[string]any); ok && request["method"] == "elicitation/create" {
			return true
		}
	}
	return false
}

// That the page is served where the cursor came from is pagination's to judge.
func pagesAcrossConnections(ctx context.Context, c *probe.Client) error {
	method := ""
	for _, l := range append(lists(), list{method: "resources/templates/list"}) {
		if method == "" && c.Survey().Traits[probe.Trait("paginates:"+l.method)] {
			method = l.method
		}
	}
	first, err := c.Call(ctx, method, nil)
	if err != nil {
		return err
	}
	cursor, ok := first.At("/result/nextCursor")
	if !ok {
		return probe.NotSeen(method + " has one page only this time")
	}
	here, err := c.Call(ctx, method, probe.Object{"cursor": cursor})
	if err != nil {
		return err
	}
	if here.WantResult() != nil {
		return probe.NotSeen("the second page is not served on the first connection either")
	}
	other, err := c.Another(ctx)
	if err != nil {
		return err
	}
	there, err := other.Call(ctx, method, probe.Object{"cursor": cursor})
	if err != nil {
		return err
	}
	if there.WantResult() != nil {
		return probe.Broken(append(first.Evidence(), there.Evidence()...),
			"the second page, served on the connection of the first, is on another one %s, want a result", there.Outcome())
	}
	return nil
}
