// Package progress holds the cases of the progress proposal: notifications of
// progress that say which operation they are about, how much of it is done, and
// how long the rest may take.
package progress

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-progress",
		Title:     "a call that takes its time says how far it is",
		Extension: proposal.Extension("progress"),
		Cases:     slices.Concat(records(), measures(), askings()),
	}
}

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
		cases = append(cases, bench.Case("ext-progress/"+row.slug, "progress bears the token of its request, "+row.words+", as it was sent",
			"ext-progress-only-when-asked",
			"keep the token as the JSON value that the client sent, and write it into each notification", func(c *probe.Client) error {
				return bears(c, row.token(c))
			},
			suite.Role(roles.ProgressTool)))
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
func called(c *probe.Client, beside probe.Object) (*probe.Reply, []probe.Seen) {
	call := c.Role(roles.ProgressTool).Call()
	mark := c.Mark()
	reply := c.CallTool(call, beside)
	bench.WantRun(c, roles.ProgressTool, reply)
	c.Settle(mark)
	return reply, c.Since(mark)
}

func unasked(c *probe.Client) error {
	reply, seen := called(c, nil)
	if got := operations.Progress(seen); len(got) > 0 {
		return operations.Shown(reply, got[0].Seen).Violation("%s came for a call without a progressToken, want no progress", got[0].Method)
	}
	return nil
}

func bears(c *probe.Client, token any) error {
	reply, seen := called(c, probe.Object{"_meta": probe.Object{"progressToken": token}})
	judged := 0
	for _, n := range operations.Progress(operations.Before(reply, seen)) {
		if n.Method != "notifications/progress" {
			continue // it is the extension's own, and core asks nothing of it
		}
		judged++
		bearing, ok := n.Params["progressToken"]
		if !ok || bearing == nil {
			return operations.Shown(reply, n.Seen).Violation("$.params.progressToken is missing, want %s as the request has it", probe.Show(token)).
				Unless(probe.Elsewhere{Case: "progress/schema", Why: "the notification has no progressToken that is a string or an integer"})
		}
		if !probe.Same(bearing, token) {
			broken := operations.Shown(reply, n.Seen).Violation("$.params.progressToken is %s, want %s as the request has it",
				probe.Show(bearing), probe.Show(token))
			if number, is := bearing.(json.Number); is && strings.ContainsAny(number.String(), ".eE") {
				broken = broken.Unless(probe.Elsewhere{Case: "progress/schema", Why: "the progressToken is not an integer"})
			}
			if plain(bearing) != plain(token) {
				return broken.Unless(probe.Elsewhere{Case: "ext-progress/token-string", Why: "a token that is a string is replaced, too"})
			}
			return broken
		}
	}
	c.NotSeenIf(judged == 0, "the call of roles.progress-tool yields no notifications/progress")
	return nil
}

// plain is a token without its type.
func plain(token any) string { return strings.Trim(probe.JSON(token), `"`) }

// A record that comes late may come some time after the answer.
func ends(c *probe.Client) error {
	token := "kit-" + c.Nonce()
	mark := c.Mark()
	reply, _ := called(c, probe.Object{"_meta": probe.Object{"progressToken": token}})
	late := func(seen []probe.Seen) []operations.Record {
		var found []operations.Record
		for _, n := range operations.Progress(operations.Behind(reply, seen)) {
			if n.Params["progressToken"] == token || n.Method != "notifications/progress" {
				found = append(found, n)
			}
		}
		return found
	}
	c.Await(mark, min(2*time.Second, c.Waits().Event), func(s probe.Seen) bool { return len(late([]probe.Seen{s})) > 0 })
	if found := late(c.Since(mark)); len(found) > 0 {
		return operations.Shown(reply, found[0].Seen).Violation("%s came after the answer to its request, want none", found[0].Method)
	}
	c.NotSeenIf(len(operations.Progress(operations.Before(reply, c.Since(mark)))) == 0,
		"the call of roles.progress-tool yields no progress")
	return nil
}
