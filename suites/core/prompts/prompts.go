// Package prompts holds the cases of server/prompts: what prompts a server lists, and what
// it makes of them and of their arguments.
package prompts

import (
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/lists"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "prompts",
		Title: "prompts are listed, and got with their arguments, as declared",
		Cases: slices.Concat(
			listCases(), argumentCases(), gettingCases(), messageCases(), contentCases(),
			refusedCases(), validatedCases(), changedCases(), guardedCases(),
		),
	}
}

const get = "prompts/get"

// declared is what every case needs.
func declared() []suite.Need { return []suite.Need{suite.Capability("prompts")} }

// listCases judge what is listed.
func listCases() []suite.Case {
	return lists.Cases(protocol.Prompts(), lists.Rules{
		Declared:      "prompts-capability-declared",
		Answered:      []requirements.ID{"prompts-list-answered", "prompts-list-answered-legacy"},
		Schema:        lists.Schema{Rule: "prompts-list-schema", Has: "a name", Give: "a name that is a string"},
		Unique:        []requirements.ID{"prompts-name-unique"},
		PerConnection: "prompts-list-not-per-connection",
		NoSideEffects: "prompts-list-no-side-effects",
		// With a handshake lifecycle/negotiated-capabilities judges it, by a rule that is no weaker.
		ChangedDeclared: []requirements.ID{"prompts-respect-capabilities"},
		ChangedIn:       protocol.Stateless(),
	})
}

// changedCases judge that a change of the list is announced.
func changedCases() []suite.Case {
	return lists.Cases(protocol.Prompts(), lists.Rules{ChangedSent: "prompts-list-changed-sent"})
}

// argumentCases judge the arguments that are listed.
func argumentCases() []suite.Case {
	return shapes.Cases(shapes.In{Suite: "prompts", Needs: declared(), List: protocol.Prompts()}, shapes.Row{
		Slug: "argument-schema", Title: "each argument of a prompt has a name, and required is true or false", Rule: "prompts-argument-schema",
		Fix:  "list arguments as an array, give each a name that is a string, and leave out what an argument does not have instead of null",
		Each: arguments, Owns: []suite.Part{{Of: protocol.Prompts().Method, At: "/prompts/*/arguments"}},
	})
}

// arguments tells of a name that comes twice, which no rule forbids.
func arguments(c *probe.Client, item probe.Item) probe.Opinion {
	given := item.Get("arguments")
	if given == any(probe.Absent{}) {
		return probe.Nothing()
	}
	list, ok := given.([]any)
	if !ok {
		return probe.Breaks("%s is %s, want an array", item.Where("arguments"), probe.Show(given))
	}
	said, known := probe.Kept(), map[string]bool{}
	for i, one := range list {
		at := item.Pointer + "/arguments/" + strconv.Itoa(i)
		said = said.And(probe.Fits(c.SchemaProblem("PromptArgument", at, one), nil))
		name, named := probe.ObjectOf(one)["name"].(string)
		if named && known[name] {
			c.Note("the prompt " + probe.Show(item.Key) + " lists the argument " + probe.Show(name) + " twice")
		}
		known[name] = named
	}
	return said
}
