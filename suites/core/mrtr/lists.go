package mrtr

import (
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// listCases ask for lists and a completion as a client that may be asked for anything: a server
// has a reason to ask only such a client.
func listCases() []suite.Case {
	return []suite.Case{{
		ID:     "mrtr/lists-ask-nothing",
		Title:  "a client that declares elicitation, sampling and roots gets lists and completions, and no question",
		Checks: []requirements.ID{"mrtr-supported-methods-only"},
		Needs:  []suite.Need{suite.Lists()},
		Fix:    "ask when a tool, a prompt or a resource needs the answer, and list what there is without it",
		Run:    listsAskNothing,
	}}
}

func listsAskNothing(c *probe.Client) error {
	none := probe.Object{}
	able := c.With(c.Capabilities().
		With("elicitation", probe.Object{"form": none, "url": none}).With("sampling", probe.Object{"tools": none}).With("roots", none))
	for _, list := range protocol.Lists() {
		if _, listed := c.Survey().Lists[list.Method]; listed {
			c.Must(complete(able.Call(list.Method, nil), list.Items))
		}
	}
	for _, prompt := range c.Survey().Lists[protocol.Prompts().Method] {
		if argument := firstArgument(prompt); argument != nil {
			return complete(able.Call("completion/complete", argument), "completion")
		}
	}
	return nil
}

// firstArgument is a completion of the first argument of a prompt; nil if it takes none.
func firstArgument(prompt any) probe.Object {
	p, _ := prompt.(map[string]any)
	arguments, _ := p["arguments"].([]any)
	if len(arguments) == 0 {
		return nil
	}
	argument, _ := arguments[0].(map[string]any)
	return probe.Object{
		"ref":      probe.Object{"type": "ref/prompt", "name": p["name"]},
		"argument": probe.Object{"name": argument["name"], "value": ""},
	}
}

// complete takes a result of the wrong type that holds what was asked for as complete.
func complete(reply *probe.Reply, holds string) error {
	kind, _ := reply.At(kindAt)
	if _, there := reply.At("/result/" + holds); kind != protocol.InputRequired || there {
		return nil
	}
	return reply.Violation("$.result.resultType of %s is input_required, want complete", reply.Method)
}
