package progress

import (
	"context"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func askings() []suite.Case {
	needs := []suite.Need{suite.Role(roles.ProgressTool)}
	asked := []requirements.ID{"ext-progress-only-when-asked"}
	cases := []suite.Case{{
		ID:     "ext-progress/unasked",
		Title:  "a call without a progressToken gets no progress",
		Checks: asked,
		Needs:  needs,
		Fix:    "send progress only for requests with _meta.progressToken, and make up no token",
		Run:    unasked,
	}}
	for _, row := range []struct {
		slug, words string
		token       func(c *probe.Client) any
	}{
		{"token-string", "a string", func(c *probe.Client) any { return "kit-" + c.Nonce() }},
		{"token-integer", "an integer", func(*probe.Client) any { return 900_719_925 }},
	} {
		cases = append(cases, suite.Case{
			ID:     "ext-progress/" + row.slug,
			Title:  "progress bears the token of its request, " + row.words + ", as it was sent",
			Checks: asked,
			Needs:  needs,
			Fix:    "keep the token as the JSON value that the client sent, and write it into each notification",
			Run: func(ctx context.Context, c *probe.Client) error {
				return bears(ctx, c, row.token(c))
			},
		})
	}
	return append(cases, suite.Case{
		ID:     "ext-progress/ends",
		Title:  "no progress follows the answer",
		Checks: []requirements.ID{"ext-progress-ends"},
		Needs:  needs,
		Lane:   suite.Waits,
		Fix:    "send the last record before the answer, and stop whatever sends them",
		Run:    ends,
	})
}

// called makes the call with the metadata, and gives all that came until requests
// behind it were answered.
func called(ctx context.Context, c *probe.Client, beside probe.Object) (*probe.Reply, []probe.Seen, error) {
	call, err := c.Role(roles.ProgressTool).Call()
	if err != nil {
		return nil, nil, err
	}
	mark := c.Mark()
	reply, err := c.CallTool(ctx, call, beside)
	if err != nil {
		return nil, nil, err
	}
	if proposal.WantDone(reply) != nil {
		return nil, nil, probe.Undecide("the call of roles.progress-tool had no result: " + reply.Outcome())
	}
	if err := c.Settle(ctx, mark); err != nil {
		return nil, nil, err
	}
	return reply, c.Since(mark), nil
}

func unasked(ctx context.Context, c *probe.Client) error {
	reply, seen, err := called(ctx, c, nil)
	if err != nil {
		return err
	}
	if got := operations.Progress(seen); len(got) > 0 {
		return operations.Shown(reply, got[0].Seen).Violation("%s came for a call without a progressToken, want no progress", got[0].Method)
	}
	return nil
}

func bears(ctx context.Context, c *probe.Client, token any) error {
	reply, seen, err := called(ctx, c, probe.Object{"_meta": probe.Object{"progressToken": token}})
	if err != nil {
		return err
	}
	judged := 0
	for _, n := range operations.Progress(operations.Before(reply, seen)) {
		if n.Method != "notifications/progress" {
			continue // it is the extension's own, and core asks nothing of it
		}
		judged++
		if bearing, ok := n.Params["progressToken"]; !ok || !probe.Same(bearing, token) {
			return operations.Shown(reply, n.Seen).Violation("$.params.progressToken is %s, want %s as the request has it",
				probe.Show(n.Params["progressToken"]), probe.Show(token))
		}
	}
	if judged == 0 {
		return probe.NotSeen("the call of roles.progress-tool yields no notifications/progress")
	}
	return nil
}

// A record that comes late may come some time after the answer.
func ends(ctx context.Context, c *probe.Client) error {
	token := "kit-" + c.Nonce()
	mark := c.Mark()
	reply, _, err := called(ctx, c, probe.Object{"_meta": probe.Object{"progressToken": token}})
	if err != nil {
		return err
	}
	late := func(seen []probe.Seen) []operations.Record {
		var found []operations.Record
		for _, n := range operations.Progress(operations.Behind(reply, seen)) {
			if n.Params["progressToken"] == token || n.Method != "notifications/progress" {
				found = append(found, n)
			}
		}
		return found
	}
	_, _, err = c.Await(ctx, mark, min(2*time.Second, c.Waits().Event), func(s probe.Seen) bool { return len(late([]probe.Seen{s})) > 0 })
	if err != nil {
		return err
	}
	if found := late(c.Since(mark)); len(found) > 0 {
		return operations.Shown(reply, found[0].Seen).Violation("%s came after the answer to its request, want none", found[0].Method)
	}
	if len(operations.Progress(operations.Before(reply, c.Since(mark)))) == 0 {
		return probe.NotSeen("the call of roles.progress-tool yields no progress")
	}
	return nil
}
