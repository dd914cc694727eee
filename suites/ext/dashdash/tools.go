package dashdash

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Tools returns the cases of the objects of listed tools.
func Tools() suite.Suite {
	d := described{suite: "ext-dashdash-tools", list: protocol.Tools}
	return suite.Suite{
		Name:      d.suite,
		Title:     "tools say what they do, how to undo it and how it is done elsewhere",
		Extension: proposal.Extension("dashdash-tools"),
		Cases:     slices.Concat(shapes(d), hints(d), effects(d)),
	}
}

func shapes(d described) []suite.Case {
	return []suite.Case{
		d.objects("ext-dd-tool-object", "put an object dashdash beside name and inputSchema of each tool, or of none"),
		d.each("category", "category of a tool is a string, and so is its rateLimit", "ext-dd-tool-category",
			"send category as one short string, and rateLimit, if any, as a string such as 20/minute", func(c *probe.Client, i item) probe.Opinion {
				if _, there := i.get("category"); !there {
					return i.breaks("category", "a string")
				}
				return i.fits(c, "Text", "category").And(i.fits(c, "Text", "rateLimit"))
			}),
		d.each("operation-type", "operationType of a tool is read, write, delete or admin", "ext-dd-tool-operation-type",
			"send one of read, write, delete and admin, in small letters", func(c *probe.Client, i item) probe.Opinion {
				if _, there := i.get("operationType"); !there {
					return i.breaks("operationType", "read, write, delete or admin")
				}
				return i.fits(c, "OperationType", "operationType")
			}),
		d.each("booleans", "idempotent, idempotentWithKey and reversible of a tool are booleans", "ext-dd-tool-booleans",
			"send true or false", func(c *probe.Client, i item) probe.Opinion {
				return probe.Fits(c.ExtensionProblem("dashdash", "ToolFlags", i.Pointer+"/"+i.property, i.object), nil)
			}),
		d.each("cli-equivalent", "the placeholders of cliEquivalent are arguments of the tool", "ext-dd-tool-cli-equivalent",
			"write each placeholder as the name of a property of inputSchema, in braces", cliEquivalent),
		d.each("api-equivalent", "apiEquivalent of a tool is a method and a path", "ext-dd-tool-api-equivalent",
			"write a method in capitals, a blank and a path, as in POST /v1/berths", endpoint),
		d.each("errors", "errors of a tool lists codes with a description and a resolution", "ext-dd-tool-errors",
			"send an array of objects with code, description and resolution, all strings", func(c *probe.Client, i item) probe.Opinion {
				for _, one := range probe.ArrayOf(i.object["errors"]) {
					if code := probe.TextOf(probe.ObjectOf(one)["code"]); code != "" && !patterns().code.MatchString(code) {
						c.Note(i.at("errors") + " has the code " + code + "; codes are usually words in capitals, joined by underscores")
					}
				}
				return i.fits(c, "Errors", "errors")
			}),
		d.each("recommended", "the object of a tool says how the tool is used", "ext-dd-tool-recommended",
			"add idempotent, cliEquivalent, apiEquivalent, examples and errors", recommended),
	}
}

// recommended leaves category and operationType to their own cases.
func recommended(_ *probe.Client, i item) probe.Opinion {
	var lacking []string
	for _, name := range []string{"idempotent", "cliEquivalent", "apiEquivalent", "examples", "errors"} {
		if _, there := i.get(name); !there {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return probe.Breaks("%s lacks %s, want them", i.Where(i.property), strings.Join(lacking, ", "))
	}
	return probe.Kept()
}

// cliEquivalent compares names without case and separators, since commands often have
// hyphens where JSON has none. A schema that names no properties has none to compare.
func cliEquivalent(c *probe.Client, i item) probe.Opinion {
	command, there := i.get("cliEquivalent")
	if !there {
		return probe.Nothing()
	}
	said := i.fits(c, "Text", "cliEquivalent")
	schema := probe.ObjectOf(i.Get("inputSchema"))
	arguments, named := schema["properties"].(map[string]any)
	if schema["additionalProperties"] != false && !named {
		return said
	}
	for _, found := range patterns().placeholder.FindAllStringSubmatch(probe.TextOf(command), -1) {
		known := false
		for name := range arguments {
			first, _, _ := strings.Cut(found[2], ".")
			known = known || guide.Fold(name) == guide.Fold(found[2]) || guide.Fold(name) == guide.Fold(first)
		}
		if !known {
			return probe.Breaks("%s has the placeholder {%s}, and the tool has no such argument", i.at("cliEquivalent"), found[2])
		}
	}
	return said
}

func hints(d described) []suite.Case {
	return []suite.Case{
		d.each("side-effects", "sideEffects of a tool is an array of strings, and empty where the tool only reads", "ext-dd-tool-side-effects",
			"send sideEffects as an array of strings, and operationType write for a tool that has any", func(c *probe.Client, i item) probe.Opinion {
				if len(probe.ArrayOf(i.object["sideEffects"])) > 0 && i.object["operationType"] == "read" {
					return probe.Breaks("%s is %s, and operationType is read, want no side effects of a tool that reads",
						i.at("sideEffects"), probe.Show(i.object["sideEffects"]))
				}
				return i.fits(c, "Texts", "sideEffects")
			}),
		d.each("reverse", "reverseMethod of a tool is another tool, and reversible is not false beside it", "ext-dd-tool-reverse",
			"name a tool of tools/list that undoes the call, and say reversible true beside it", reverse),
		bench.Observing(roles.StateChange, bench.Case(d.suite+"/reverse-works", "a call of reverseMethod undoes the call of its tool",
			"ext-dd-tool-reverse-works",
			"name the tool that takes the effect back, or leave reverseMethod out", reverseWorks,
			suite.Capability("tools"), suite.Role(roles.StateChange, "observe"), suite.Role(roles.StateChange, "undo"))),
		d.each("hints-agree", "the object of a tool and its annotations say the same", "ext-dd-tool-hints-agree",
			"derive operationType, idempotent and the annotations from one description of the tool", hintsAgree),
		d.each("examples", "the examples of a tool fit its schemas", "ext-dd-tool-examples",
			"send an array of objects with description, input and output, and test them against inputSchema and outputSchema", examples),
	}
}

func reverse(c *probe.Client, i item) probe.Opinion {
	value, there := i.get("reverseMethod")
	switch {
	case !there && i.object["reversible"] == true:
		c.Note(i.Where(i.property) + " says reversible and names no reverseMethod")
		return probe.Nothing()
	case !there:
		return probe.Nothing()
	case i.object["reversible"] == false:
		return probe.Breaks("%s is %s, and reversible is false, want true beside it", i.at("reverseMethod"), probe.Show(value))
	case value == i.Get("name"):
		return i.breaks("reverseMethod", "another tool")
	}
	items := probe.List(c, protocol.Tools())
	if _, listed := items.Find(probe.TextOf(value)); !listed && items.Whole() {
		return i.breaks("reverseMethod", "a tool of tools/list")
	}
	return probe.Kept()
}

// reverseWorks undoes a call as the configuration says, where the server names the same tool for it.
func reverseWorks(c *probe.Client) error {
	b := bench.New(c)
	role := c.Role(roles.StateChange)
	call := role.Call()
	tool, _ := probe.List(c, protocol.Tools()).Find(call.Tool)
	value, _ := proposal.ItemBlock(tool.Value)
	named := probe.TextOf(probe.ObjectOf(value)["reverseMethod"])
	undo, _ := role.Fields().At("undo").Call()
	c.NotSeenIf(named == "", call.Tool+" has no reverseMethod")
	c.NotSeenIf(named != undo.Tool, "reverseMethod of "+call.Tool+" is another tool than roles.state-change.undo")
	w := b.Watch(call)
	done := c.CallTool(call, nil)
	bench.WantRun(c, roles.StateChange, done)
	_, unchanged := b.Look(w, false)
	c.UndecideIf(unchanged, "the effect of "+call.Tool+" is not seen")
	b.Said = probe.Shown(done)
	undone := c.Undo(call, done)
	c.UndecideIf(undone == nil, "roles.state-change.undo could not be called")
	b.Require(proposal.WantDone(undone), "the call of roles.state-change.undo had no result: "+undone.Outcome())
	return b.WantUndone(w, "a call of "+named+", its reverseMethod")
}

func hintsAgree(_ *probe.Client, i item) probe.Opinion {
	annotations := probe.ObjectOf(i.Get("annotations"))
	reads, destroys, repeats := annotations["readOnlyHint"], annotations["destructiveHint"], annotations["idempotentHint"]
	kind, idempotent := i.object["operationType"], i.object["idempotent"]
	for _, pair := range []struct {
		property string
		value    any
		hint     string
		is       any
		clash    bool
	}{
		{"operationType", kind, "readOnlyHint", reads, kind == "read" && reads == false || kind == "delete" && reads == true},
		{
			"operationType", kind, "destructiveHint", destroys,
			kind == "read" && destroys == true && reads != true || kind == "delete" && destroys == false,
		},
		// A tool that only reads may leave out that it can be repeated.
		{
			"idempotent", idempotent, "idempotentHint", repeats,
			idempotent == true && repeats == false && reads != true || idempotent == false && repeats == true,
		},
	} {
		if pair.clash {
			return probe.Breaks("%s is %v, and %s is %v, want the same in both", i.at(pair.property), pair.value, pair.hint, pair.is)
		}
	}
	return probe.Kept()
}

func examples(c *probe.Client, i item) probe.Opinion {
	said := i.fits(c, "Examples", "examples")
	if said.Violation() != nil {
		return said
	}
	for n, one := range probe.ArrayOf(i.object["examples"]) {
		example := probe.ObjectOf(one)
		for _, side := range []struct{ property, schema string }{{"input", "inputSchema"}, {"output", "outputSchema"}} {
			value, there := example[side.property]
			if !there {
				continue
			}
			if problem := misfit(c, i.Get(side.schema), value); problem != "" {
				return probe.Breaks("%s[%d].%s does not fit %s: %s", i.at("examples"), n, side.property, side.schema, problem)
			}
		}
	}
	return said
}

// misfit says how a value breaks a schema; empty where it fits or nothing can be said. A
// value may stand within a whole result.
func misfit(c *probe.Client, schema, value any) string {
	described := probe.ObjectOf(schema)
	if described == nil {
		return ""
	}
	compiled, err := schemas.Compile(described)
	if err != nil {
		c.Note(fmt.Sprintf("a schema could not be judged: %v", err))
		return ""
	}
	faults, undecided := compiled.Validate(value)
	if len(faults) == 0 || undecided {
		return ""
	}
	if inner, there := probe.ObjectOf(value)["structuredContent"]; there {
		if within, unknown := compiled.Validate(inner); len(within) == 0 || unknown {
			return ""
		}
	}
	return probe.Faults("", faults)
}

func effects(d described) []suite.Case {
	repeated := func(c suite.Case) suite.Case { return bench.Observing(roles.StateChange, c) }
	return []suite.Case{
		repeated(bench.Case(d.suite+"/idempotent-true", "a tool that is idempotent has no further effect when it is called again",
			"ext-dd-tool-idempotent-true", "say idempotent false for a tool whose repeated call acts again", idempotentTrue,
			suite.Role(roles.StateChange, "observe"))),
		repeated(bench.Case(d.suite+"/idempotent-with-key", "a tool that is idempotent with a key has one effect for two calls with one key",
			"ext-dd-tool-idempotent-true", "read the key of a call, or say idempotentWithKey false", idempotentWithKey,
			suite.Role(roles.StateChange, "observe"))),
	}
}

// promises reports whether the object of the tool of a call says a flag.
func promises(c *probe.Client, call *probe.ToolCall, flag string) bool {
	tool, _ := probe.List(c, protocol.Tools()).Find(call.Tool)
	value, _ := proposal.ItemBlock(tool.Value)
	return probe.ObjectOf(value)[flag] == true
}

func idempotentTrue(c *probe.Client) error {
	role := c.Role(roles.StateChange)
	calls := []*probe.ToolCall{role.Call()}
	_ = c.Try(func() { calls = append(calls, role.Field("idempotent")) }) // where the configuration names one
	promised := false
	for _, call := range calls {
		if !promises(c, call, "idempotent") {
			continue
		}
		promised = true
		if err := twice(c, call, nil); err != nil {
			return err
		}
	}
	c.NotSeenIf(!promised, "the tool of roles.state-change does not say idempotent")
	return nil
}

func idempotentWithKey(c *probe.Client) error {
	call := c.Role(roles.StateChange).Call()
	c.NotSeenIf(!promises(c, call, "idempotentWithKey"), "the tool of roles.state-change does not say idempotentWithKey")
	err := twice(c, call, probe.Object{"idempotency_key": "kit" + c.Nonce()})
	c.NotSeenIf(err != nil && proposal.Explicit(c, "idempotency"), "a key is not read; ext-idempotency/no-second-effect says so")
	return err
}

// twice makes a call and makes it again, with the key in all places that proposals know.
func twice(c *probe.Client, call *probe.ToolCall, values probe.Object) error {
	b := bench.New(c)
	b.ToolCall, b.Earlier = call, b.Before(call)
	b.Dialect = proposal.Bare + proposal.Prefixed + proposal.Beside + proposal.Header
	first := b.MakeCall(bench.Call{Values: values})
	b.Permitted(call, first)
	bench.WantRun(c, roles.StateChange, first)
	after := b.Settled(bench.Watched{ToolCall: call, Before: b.Earlier})
	again := b.MakeCall(bench.Call{Values: values})
	c.NotSeenIf(proposal.Declined(again), "the repeated call is refused: "+again.Outcome())
	return b.WantNoEffect(after, "a repeated call of "+call.Tool)
}
