package meta

import (
	"maps"
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// undeclaredCases send requests as a client without capabilities.
func undeclaredCases() []suite.Case {
	asking := suite.Role(roles.InputRequired)
	cases := []suite.Case{
		{
			ID:     "meta/undeclared-capability",
			Title:  "a call that needs what the client does not declare is rejected with error -32021",
			Checks: []requirements.ID{"meta-undeclared-capability-error", "meta-no-reliance-on-undeclared"},
			Needs:  []suite.Need{asking},
			Fix:    "look at clientCapabilities of the request before asking for input, and answer error -32021 if what it takes is not there",
			Run:    undeclaredCapability,
		},
		{
			ID:     "meta/undeclared-capability-data",
			Title:  "error -32021 names the missing capabilities in data.requiredCapabilities",
			Checks: []requirements.ID{"meta-undeclared-capability-data"},
			Needs:  []suite.Need{asking},
			Fix:    `put an object like {"elicitation": {}} with all that is missing into data.requiredCapabilities`,
			Run:    undeclaredCapabilityData,
		},
		{
			ID:     "meta/undeclared-capability-status",
			Title:  "error -32021 has HTTP status 400",
			Checks: []requirements.ID{"meta-undeclared-capability-http-400"},
			Needs:  []suite.Need{suite.Over(requirements.HTTP), asking},
			Fix:    "answer a request over HTTP that lacks a capability with status 400",
			Run:    undeclaredCapabilityStatus,
		},
	}
	for _, row := range []struct {
		slug string
		need suite.Need
		ask  func(c *probe.Client) *probe.Reply
	}{
		{"tool", suite.Role(roles.ReadOnlyTool), callBare},
		{"prompt", suite.Either(suite.Capability("prompts"), suite.Role(roles.Prompt)), getBare},
		{"resource", suite.Either(suite.Capability("resources"), suite.Role(roles.Resource)), readBare},
	} {
		cases = append(cases, suite.Case{
			ID:     "meta/undeclared-unused-" + row.slug,
			Title:  "a " + row.slug + " asks nothing of a client that declares nothing",
			Checks: []requirements.ID{"meta-no-reliance-on-undeclared"},
			Needs:  []suite.Need{row.need},
			Fix:    "ask for input only what clientCapabilities of the same request allow",
			Run: func(c *probe.Client) error {
				return wantNoQuestions(c, row.ask(c))
			},
		})
	}
	return cases
}

// nothing is the metadata of a client without capabilities.
func nothing() probe.Object {
	return probe.Object{"_meta": probe.Object{protocol.MetaCapabilities: probe.Object{}}}
}

func callBare(c *probe.Client) *probe.Reply {
	return c.CallTool(c.Role(roles.ReadOnlyTool).Call(), nothing())
}

// getBare gets the prompt of the role, or else the first one by name with strings made up
// for its arguments: getting a prompt changes nothing.
func getBare(c *probe.Client) *probe.Reply {
	prompt := c.Role(roles.Prompt).Fields()
	if prompt.Text("name") == "" {
		return getListed(c)
	}
	params := nothing().With("name", prompt.Text("name"))
	if given, ok := prompt.Arguments("arguments"); ok {
		expanded, err := roles.Call{Arguments: given}.Expand(roles.Vars{Nonce: c.Nonce()})
		c.Must(err)
		params = params.With("arguments", expanded.Arguments)
	}
	return c.Call("prompts/get", params)
}

func getListed(c *probe.Client) *probe.Reply {
	prompt := firstOf(c, protocol.Prompts())
	arguments := probe.Object{}
	wanted, _ := prompt["arguments"].([]any)
	for _, each := range wanted {
		if name, ok := probe.ObjectOf(each)["name"].(string); ok && probe.ObjectOf(each)["required"] == true {
			arguments[name] = "example"
		}
	}
	params := nothing().With("name", prompt["name"])
	if len(arguments) > 0 {
		params = params.With("arguments", arguments)
	}
	reply := c.Call("prompts/get", params)
	c.NotSeenIf(reply.Failed() && len(arguments) > 0,
		"the prompt "+probe.Show(prompt["name"])+
			" is not served with made-up arguments; roles.prompt may give some: "+reply.Outcome())
	return reply
}

// readBare reads the resource of the role, or else the first one by its URI: reading changes
// nothing.
func readBare(c *probe.Client) *probe.Reply {
	uri := c.Role(roles.Resource).Fields().Text("uri")
	if uri == "" {
		uri, _ = firstOf(c, protocol.Resources())["uri"].(string)
	}
	return c.Call("resources/read", nothing().With("uri", uri))
}

func firstOf(c *probe.Client, of protocol.List) map[string]any {
	items := probe.Surveyed(c, of)
	c.NotSeenIf(len(items) == 0, "the list of "+of.Name+" is empty")
	return probe.ObjectOf(items[0].Value)
}

// wantNoQuestions forbids questions, which a client without capabilities cannot answer. A
// result that only asks the client to come back later contains no question.
func wantNoQuestions(c *probe.Client, reply *probe.Reply) error {
	asked, ok := reply.At("/result/inputRequests")
	if kind, _ := reply.At("/result/resultType"); kind != protocol.InputRequired || !ok || len(probe.ObjectOf(asked)) == 0 {
		c.UndecideIf(!reply.Answered() && !reply.Refused(), "the answer to "+reply.Method+" is "+reply.Outcome())
		return nil
	}
	said := reply.Violation("$.result.inputRequests is %s for a client that declares no capabilities, want error %d",
		probe.Show(asked), protocol.MissingCapability).Under("meta-no-reliance-on-undeclared")
	all := probe.ObjectOf(asked)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		said = said.Unless(questions.AskedUndeclared(probe.TextOf(probe.ObjectOf(all[key])["method"])))
	}
	return said
}

// questioned calls the tool that asks for input, once for all cases.
func questioned(c *probe.Client) *probe.Reply {
	return probe.Once(c, "meta:questioned", func() (*probe.Reply, bool) {
		return c.CallTool(c.Role(roles.InputRequired).Call(), nothing()), true
	})
}

// undeclaredCapability allows a result, because a tool may do without the input. It only
// notes a tool error, which may have that reason too.
func undeclaredCapability(c *probe.Client) error {
	reply := questioned(c)
	c.Must(wantNoQuestions(c, reply))
	switch kind, _ := reply.At("/result/resultType"); {
	case reply.ErrorFlag():
		c.Note("the call is answered by a result marked as an error, where error -32021 says what is missing")
		return nil
	case kind == protocol.InputRequired, !reply.Failed():
		return nil
	}
	return probe.Under(reply.WantError(protocol.MissingCapability), "meta-undeclared-capability-error")
}

// missing is the answer with the error for a missing capability.
func missing(c *probe.Client) *probe.Reply {
	reply := questioned(c)
	c.NotSeenIf(!reply.HasCode(protocol.MissingCapability), "the call is not rejected with error -32021")
	return reply
}

func undeclaredCapabilityData(c *probe.Client) error {
	reply := missing(c)
	some := probe.That("an object with the missing capabilities", func(v any) bool { return len(probe.ObjectOf(v)) > 0 })
	c.Must(reply.Want("/error/data/requiredCapabilities", some))
	required, _ := reply.At("/error/data/requiredCapabilities")
	return reply.Fits("ClientCapabilities", "/error/data/requiredCapabilities", required)
}

func undeclaredCapabilityStatus(c *probe.Client) error {
	reply := missing(c)
	if reply.Status() != http.StatusBadRequest {
		return reply.Violation("the HTTP status is %d, want 400", reply.Status())
	}
	return nil
}
