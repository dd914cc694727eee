// Package completion holds the cases of server/utilities/completion: what a server
// suggests for an argument while it is typed.
package completion

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/refusals"
	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "completion",
		Title: "suggestions for an argument are few and in the shape that clients expect",
		Cases: slices.Concat(
			declaredCases(), resultCases(), suggestingCases(), refusedCases(), sturdyCases(), guardedCases(),
		),
	}
}

const complete = "completion/complete"

// declared is what cases need that ask something odd. 2024-11-05 has no such capability.
func declared() []suite.Need { return []suite.Need{suite.Capability("completions")} }

// known is what cases need that the configuration has to tell something: who declares no
// completions need not be asked for it. 2024-11-05 has the role alone.
func known(role roles.Name, field string) []suite.Need {
	told := suite.Role(role, field)
	return []suite.Need{suite.Either(suite.Capability("completions"), told), told}
}

// resultCases judge suggestions, whichever case asks for them.
func resultCases() []suite.Case {
	whether := probe.That("true or false", func(v any) bool { _, ok := v.(bool); return ok })
	number := probe.That("a number", func(v any) bool { _, ok := probe.NumberOf(v); return ok })
	const completion = "/completion"
	return shapes.Cases(shapes.In{Suite: "completion", Methods: []string{complete}, When: final}, shapes.Row{
		Slug: "result-schema", Title: "suggestions are an array of strings, total is a number, and hasMore true or false",
		Rule: "completion-result-schema",
		Fix: "answer with completion.values as an array of strings, an empty one if need be, " +
			"and leave out total and hasMore where they are not known; for a ref that does not exist answer error -32602",
		Values: []shapes.Value{
			{At: completion, Want: probe.AnObject()},
			{At: completion + "/values", Want: probe.AnArray()},
			{At: completion + "/values", When: array, Want: probe.That("an array of strings", allStrings)},
			{At: completion + "/total", Given: true, Want: number},
			{At: completion + "/hasMore", Given: true, Want: whether},
			{At: completion, When: counted, Want: probe.That("a total no lower than the number of values", agrees), Mild: true},
			{At: completion, When: whole, Want: probe.That("hasMore false or absent, since total values came", notMore), Mild: true},
			{At: completion, When: cut, Want: probe.That("hasMore true or absent, since total counts more than came", maybeMore), Mild: true},
		},
		Owns: []suite.Part{{Of: complete, At: completion}},
	})
}

func final(a probe.Answer) bool { return a.Request.Plain() }

func array(v any) bool { _, ok := v.([]any); return ok }

// counted reports whether a completion has a total beside its values.
func counted(v any) bool {
	_, total := probe.NumberOf(probe.ObjectOf(v)["total"])
	return total && array(probe.ObjectOf(v)["values"])
}

func agrees(v any) bool {
	total, _ := probe.NumberOf(probe.ObjectOf(v)["total"])
	return total >= float64(len(probe.ArrayOf(probe.ObjectOf(v)["values"])))
}

// whole reports whether a completion has all values that its total counts.
func whole(v any) bool {
	total, _ := probe.NumberOf(probe.ObjectOf(v)["total"])
	return counted(v) && total == float64(len(probe.ArrayOf(probe.ObjectOf(v)["values"])))
}

func notMore(v any) bool { return probe.ObjectOf(v)["hasMore"] != true }

// most is how many values may come at once.
const most = 100

// cut reports whether a completion has as many values as may come, and a total of more. With
// fewer values, the total may count what is not suggested for the text.
func cut(v any) bool {
	total, _ := probe.NumberOf(probe.ObjectOf(v)["total"])
	return counted(v) && len(probe.ArrayOf(probe.ObjectOf(v)["values"])) == most && total > most
}

func maybeMore(v any) bool { return probe.ObjectOf(v)["hasMore"] != false }

func allStrings(v any) bool {
	return !slices.ContainsFunc(probe.ArrayOf(v), func(one any) bool { return !shapes.Text(one) })
}

// suggestingCases ask for what may be suggested.
func suggestingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "completion/values-max",
			Title:  "at most 100 values are suggested at once",
			Checks: []requirements.ID{"completion-max-100", "completion-max-100-legacy"},
			Fix:    "cut the suggestions off after the first 100, and say hasMore",
			Run:    valuesMax,
		},
		{
			ID:     "completion/reference-types",
			Title:  "completions of prompts and of templates are answered, each where the server lists some",
			Checks: []requirements.ID{"completion-reference-types", refusals.Answer},
			Fix:    "answer ref/prompt and ref/resource alike, with no values or error -32602 where there is nothing to suggest",
			Run:    referenceTypes,
		},
		{
			ID:     "completion/context-accepted",
			Title:  "values of other arguments are accepted as context",
			Checks: []requirements.ID{"completion-context-accepted"},
			Fix:    "accept context.arguments with the names and values of other arguments, and ignore them where they make no difference",
			Run:    contextAccepted,
		},
		{
			ID:     "completion/sorted",
			Title:  "suggestions come in the order of their relevance",
			Checks: []requirements.ID{"completion-sorted"},
			Needs:  known(roles.Completion, "ranked"),
			Fix:    "sort the suggestions by how well they fit before they are cut off",
			Run:    sorted,
		},
	}
}

// valuesMax looks at what is suggested before anything is typed, and after the first letter:
// some servers search only then. What a server suggests is free.
func valuesMax(c *probe.Client) error {
	judge := func(r *probe.Reply) error {
		if n := len(valuesOf(r)); n > most {
			return r.Violation("$.result.completion.values has %d values, want at most %d", n, most)
		}
		return nil
	}
	all := served(c)
	for _, s := range all {
		c.Must(judge(s.reply))
	}
	for _, s := range all {
		if typed := s.typed(c); typed != "" {
			c.Must(judge(s.ask(c, typed, nil)))
		}
	}
	return nil
}

// referenceTypes judges only what the server lists: references to what is not there may be
// refused in any way.
func referenceTypes(c *probe.Client) error {
	var kinds []string
	for _, s := range suggestions(c) {
		if s.reply.Died() {
			return probe.Under(s.reply.WantAnswer(), refusals.Answer)
		}
	}
	all := served(c)
	for _, s := range all {
		kinds = append(kinds, s.kind())
	}
	for _, s := range suggestions(c) {
		if s.reply.HasCode(protocol.MethodNotFound) {
			return probe.Shown(all[0].reply, s.reply).Violation("%s for %s, and a result for %s, want a result or error -32602",
				s.reply.AnswerTo(complete), s.kind(), all[0].kind())
		}
		if !s.reply.Served() && !slices.Contains(kinds, s.kind()) {
			c.Note("a request that completes by " + s.kind() + " gets " + s.reply.Outcome())
		}
	}
	return nil
}

// contextAccepted chooses one value that the server itself suggests: others, and several at
// once, may be refused for what they are.
func contextAccepted(c *probe.Client) error {
	all := served(c)
	for _, s := range all {
		chosen := probe.Object{}
		if i := slices.IndexFunc(all, func(other suggestion) bool {
			return other.first() != "" && other.name != s.name && probe.Same(other.ref, s.ref)
		}); i >= 0 {
			chosen[all[i].name] = all[i].first()
		}
		reply := s.ask(c, "", chosen)
		if reply.Served() {
			continue
		}
		if reply.Refused() {
			c.UndecideIf(!s.ask(c, "", nil).Served(), "the same completion without context is not answered any more")
		}
		return probe.Shown(s.reply, reply).Violation("%s with context.arguments %s, and a result without, want a result",
			reply.AnswerTo(complete), probe.Show(chosen))
	}
	return nil
}

// sorted asks nothing of values that the configuration does not rank.
func sorted(c *probe.Client) error {
	role := c.Role(roles.Completion).Fields()
	ranked := role.At("ranked")
	want := ranked.Texts("values")
	s := named(role)
	reply := s.ask(c, ranked.Text("value"), nil)
	c.Require(reply.WantResult(), "nothing was suggested for roles.completion.ranked.value")
	got := slices.DeleteFunc(probe.Strings(valuesOf(reply)), func(v string) bool { return !slices.Contains(want, v) })
	c.UndecideIf(len(got) < 2, "fewer than two values of roles.completion.ranked.values were suggested")
	for i := 1; i < len(got); i++ {
		if slices.Index(want, got[i]) < slices.Index(want, got[i-1]) {
			return reply.Violation("%s is suggested before %s, want the order of roles.completion.ranked.values",
				probe.Show(got[i-1]), probe.Show(got[i]))
		}
	}
	return nil
}
