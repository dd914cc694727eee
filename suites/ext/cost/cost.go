// Package cost holds the cases of the cost and latency proposal: a client learns before a call
// what it costs, how long it takes, and how many calls are left.
package cost

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the proposal.
func Suite() suite.Suite {
	return suite.Suite{
		Name:      "ext-cost-latency",
		Title:     "what a call costs and how long it takes is known before it is made",
		Extension: proposal.Extension("cost-latency"),
		Cases:     slices.Concat(shapes(), quotas()),
	}
}

// stated is a case about what the server says of its tools. A row with softly set is about
// what only the kit settled.
func stated(slug, title string, rule requirements.ID, fix, what string, softly bool,
	problem func(c *probe.Client, all []proposal.Entry, e proposal.Entry) (string, bool),
) suite.Case {
	return bench.Case("ext-cost-latency/"+slug, title, rule, fix, func(c *probe.Client) error {
		err := proposal.JudgeEntries(c, proposal.EntriesAnew(c), what, func(all []proposal.Entry, e proposal.Entry) (string, bool) {
			return problem(c, all, e)
		})
		if softly {
			return probe.AtMostWarn(err)
		}
		return err
	})
}

func shapes() []suite.Case {
	return []suite.Case{
		stated("category-enum", "the cost of a tool is free, metered or requires_approval", "ext-cost-category-enum",
			"write cost as an object, with free, metered or requires_approval in category", "a cost", false, fits("cost", "Cost")),
		stated("latency-enum", "the latency of a tool is instant, seconds or minutes", "ext-latency-class-enum",
			"write instant, seconds or minutes into latency, and no figure", "a latency", false, fits("latency", "Latency")),
		stated("units", "the estimated units are a number, and their label is a string", "ext-cost-units",
			"write a number into cost.estimated_units, and a string into cost.unit_label", "a cost", false, fits("cost", "Units")),
		stated("units-not-negative", "the estimated units are not negative", "ext-cost-units",
			"write zero or more into cost.estimated_units", "estimated units", true, notNegative("cost", "estimated_units")),
		stated("units-fit-category", "metered tools state their units, and free ones none", "ext-cost-units-fit-category",
			"write what a call costs into cost.estimated_units of metered tools, and leave it out of free ones", "a cost", false, fitCategory),
		bench.Case("ext-cost-latency/declared-per-tool", "cost and latency are stated for each tool or for none", "ext-cost-declared-per-tool",
			"state cost.category and latency for every tool, also where a call is free and instant", declaredPerTool),
		stated("quota-shape", "a quota has the calls that remain and the moment of its reset", "ext-quota-shape",
			"write an integer into quota.remaining, and a moment like 2026-09-01T00:00:00Z into quota.resets_at", "a quota", false,
			fits("quota", "Quota")),
		stated("quota-not-negative", "the calls that remain are not negative", "ext-quota-shape",
			"write zero into quota.remaining where a quota is overdrawn", "a quota", true, notNegative("quota", "remaining")),
		stated("quota-reset-ahead", "the reset of a quota lies ahead", "ext-quota-reset-ahead",
			"work quota.resets_at out when the document is read", "a quota with a reset", false, resetAhead),
	}
}

// fits compares a property with a definition of the schema.
func fits(property, definition string) func(*probe.Client, []proposal.Entry, proposal.Entry) (string, bool) {
	return func(c *probe.Client, _ []proposal.Entry, e proposal.Entry) (string, bool) {
		value, there := e.Says[property]
		if !there || definition == "Units" && probe.ObjectOf(value) == nil {
			return "", false
		}
		return c.ExtensionProblem("cost-latency", definition, e.Pointer(property), value), true
	}
}

// notNegative looks at a number within a property.
func notNegative(property, name string) func(*probe.Client, []proposal.Entry, proposal.Entry) (string, bool) {
	return func(_ *probe.Client, _ []proposal.Entry, e proposal.Entry) (string, bool) {
		n, number := probe.NumberOf(probe.ObjectOf(e.Says[property])[name])
		if n >= 0 {
			return "", number
		}
		return fmt.Sprintf("%s.%s is %v, want zero or more", e.Where(property), name, n), true
	}
}

func fitCategory(_ *probe.Client, _ []proposal.Entry, e proposal.Entry) (string, bool) {
	cost := probe.ObjectOf(e.Says["cost"])
	units, states := cost["estimated_units"]
	n, _ := probe.NumberOf(units)
	switch {
	case cost["category"] == "metered" && !states:
		return e.Where("cost") + " is metered and has no estimated_units, want what a call costs", true
	case cost["category"] == "free" && n > 0:
		return fmt.Sprintf("%s is free and has estimated_units %v, want none", e.Where("cost"), n), true
	}
	return "", cost != nil
}

// declaredPerTool counts each property by itself, in the manifest where it is stated there,
// and else in tools/list: that both have the same tools is another rule.
func declaredPerTool(c *probe.Client) error {
	all := proposal.EntriesAnew(c)
	var problems []string
	var shown probe.Evidence
	seen := false
	for _, property := range []string{"cost", "latency"} {
		has := func(tool string) bool {
			value, _, there := proposal.Stated(all, tool, property)
			cost := probe.ObjectOf(value)
			_, categorised := cost["category"] // category-enum judges a null
			return there && (property != "cost" || cost == nil || categorised)
		}
		first := slices.IndexFunc(all, func(e proposal.Entry) bool { return e.Says[property] != nil })
		if first < 0 {
			continue
		}
		seen = true
		var lacking []string
		for _, e := range all {
			if e.Listed == all[first].Listed && e.Tool != "" && !has(e.Tool) &&
				!slices.Contains(lacking, e.Tool) && !slices.Contains(proposal.Standing(), e.Tool) {
				lacking = append(lacking, e.Tool)
			}
		}
		if len(lacking) > 0 {
			problems = append(problems, fmt.Sprintf("%q has a %s, and %d other tools such as %q have none", all[first].Tool, property, len(lacking),
				lacking[0]))
			shown = shown.And(all[first].Shown)
		}
	}
	c.NotSeenIf(!seen, "no tool has a cost or a latency")
	if len(problems) == 0 {
		return nil
	}
	return shown.Violation("%s, want it for each tool", strings.Join(problems, "; "))
}

func resetAhead(_ *probe.Client, _ []proposal.Entry, e proposal.Entry) (string, bool) {
	at, moment := proposal.Moment(probe.ObjectOf(e.Says["quota"])["resets_at"])
	if !moment || e.Clock.IsZero() {
		return "", false
	}
	if late := e.Clock.Sub(at); late > proposal.Tolerance {
		return fmt.Sprintf("%s.resets_at lies %s in the past, want a moment ahead", e.Where("quota"), late.Round(time.Second)), true
	}
	return "", true
}
