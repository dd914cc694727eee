package sessions

import (
	"fmt"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// alikeCases compare what a client is shown with what the client before it was shown.
func alikeCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/later-clients-served",
		Title:  "clients that come later are shown tools, resources and prompts too",
		Checks: []requirements.ID{"http-several-clients"},
		Needs:  []suite.Need{suite.Lists()},
		Fix: "register tools, resources and prompts with the server of every session: make one in a function that is called for each session, " +
			"or share one that all of them use",
		Run: laterServed,
	}}
}

// laterServed reads each list that was not empty at the beginning of the run, as two more
// clients. That only a part of it is missing may have many reasons, and says nothing.
func laterServed(c *probe.Client) error {
	var second, third *probe.Client
	for _, l := range protocol.Lists() {
		shown := len(c.Survey().Lists[l.Method])
		if shown == 0 {
			continue
		}
		if second == nil {
			second = c.Opened()
		}
		early := probe.ListAnew(second, l)
		if len(early.All) > 0 || !early.Whole() {
			continue
		}
		if third == nil {
			third = c.Opened()
		}
		if late := probe.ListAnew(third, l); len(late.All) == 0 && late.Whole() {
			return probe.Shown(early.Pages[0], late.Pages[0]).Violation("%s holds nothing for two clients that came later, and %s for the first, "+
				"want the same for each", l.Method, amount(shown, l.Noun))
		}
	}
	c.NotSeenIf(second == nil, "the server lists nothing")
	return nil
}

func amount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
