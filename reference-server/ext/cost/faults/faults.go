// Package faults holds the ways to break the cost and latency extension.
package faults

import (
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/cost"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// The tools that the faults are about.
const (
	metered = "weather_report"
	costly  = "sink_vessel"
	free    = "office_hours"
)

// each changes what the manifest says of each tool.
func each(change func(tool fault.Message)) fault.Change {
	return fault.OnResult("get_manifest", func(manifest fault.Message) {
		tools, _ := manifest["tools"].([]any)
		for _, entry := range tools {
			if tool, ok := entry.(map[string]any); ok {
				change(tool)
			}
		}
	})
}

// of changes what the manifest says of one tool.
func of(name string, change func(tool fault.Message)) fault.Change {
	return each(func(tool fault.Message) {
		if tool["name"] == name {
			change(tool)
		}
	})
}

func set(property, name string, value any) func(fault.Message) {
	return func(tool fault.Message) {
		if name == "" {
			tool[property] = value
			return
		}
		tool.Object(property)[name] = value
	}
}

// Faults lists the faults of the extension.
func Faults() []fault.Fault {
	const page = "ext-cost-latency/"
	return []fault.Fault{
		{Breaks: "ext-cost-category-enum", Each: []fault.Fault{
			{Name: "cost-category-paid", Title: "the category of a cost is paid", Reply: of(free, set("cost", "category", "paid"))},
			{Name: "cost-category-capital", Title: "the category of a cost is Free", Reply: of(free, set("cost", "category", "Free"))},
			{Name: "cost-string", Title: "the cost of a tool is a string", Reply: of(free, set("cost", "", "free"))},
		}},
		{Breaks: "ext-latency-class-enum", Each: []fault.Fault{
			{Name: "cost-latency-number", Title: "the latency of a tool is a number", Reply: of(free, set("latency", "", 200))},
			{Name: "cost-latency-fast", Title: "the latency of a tool is fast", Reply: of(free, set("latency", "", "fast"))},
			{Name: "cost-latency-figure", Title: "the latency of a tool is a figure", Reply: of(free, set("latency", "", "200ms"))},
		}},
		{Breaks: "ext-cost-units", Kills: []string{page + "units"}, Each: []fault.Fault{
			{Name: "cost-units-text", Title: "estimated_units is a string", Reply: of(metered, set("cost", "estimated_units", "5"))},
			{Name: "cost-label-number", Title: "unit_label is a number", Reply: of(metered, set("cost", "unit_label", 5))},
			{
				Name: "cost-units-negative", Title: "estimated_units is negative", Kills: []string{page + "units-not-negative"},
				Reply: of(metered, set("cost", "estimated_units", -1)),
			},
		}},
		{Breaks: "ext-cost-units-fit-category", Each: []fault.Fault{
			{
				Name: "cost-metered-without-units", Title: "a metered tool does not say what a call costs",
				Reply: of(metered, func(tool fault.Message) { delete(tool.Object("cost"), "estimated_units") }),
			},
			{Name: "cost-free-with-units", Title: "a call of a free tool costs 5 units", Reply: of(free, set("cost", "estimated_units", 5))},
		}},
		{Breaks: "ext-cost-declared-per-tool", Each: []fault.Fault{
			{
				Name: "cost-one-tool", Title: "one tool of many states its cost",
				Reply: each(func(tool fault.Message) {
					if tool["name"] != metered {
						delete(tool, "cost")
					}
				}),
			}, {
				Name: "cost-without-latency", Title: "no tool that states its cost states its latency",
				Reply: each(func(tool fault.Message) {
					if tool["name"] == metered || tool["name"] == costly {
						delete(tool, "latency")
					} else {
						delete(tool, "cost")
					}
				}),
			},
		}},
		{Breaks: "ext-quota-shape", Kills: []string{page + "quota-shape"}, Each: []fault.Fault{
			{Name: "cost-remaining-text", Title: "the calls that remain are a string", Reply: of(metered, set("quota", "remaining", "12"))},
			{Name: "cost-reset-word", Title: "the quota is reset tomorrow", Reply: of(metered, set("quota", "resets_at", "tomorrow"))},
			{Name: "cost-quota-number", Title: "the quota of a tool is a number", Reply: of(metered, set("quota", "", 12))},
			{
				Name: "cost-remaining-negative", Title: "the calls that remain are negative", Kills: []string{page + "quota-not-negative"},
				Reply: of(metered, set("quota", "remaining", -1)),
			},
		}},
		{
			Name: "cost-reset-past", Title: "the quota was reset a year ago", Breaks: "ext-quota-reset-ahead",
			Reply: of(metered, func(tool fault.Message) {
				tool.Object("quota")["resets_at"] = time.Now().AddDate(-1, 0, 0).UTC().Format(time.RFC3339)
			}),
		},
		{Breaks: "ext-quota-counts-down", Each: []fault.Fault{
			{Name: "cost-quota-stays", Title: "the quota of a tool never changes", Ext: cost.Switches{Uncounted: true}},
			{Name: "cost-quota-rises", Title: "the quota of a tool rises with each call", Ext: cost.Switches{Rising: true}},
		}},
		{
			Name: "cost-unapproved", Title: "a tool whose cost requires approval runs at once", Breaks: "ext-cost-approval-gated",
			May: []string{"ext-confirmation/token-bound-tool"},
			Ext: confirmation.Switches{RunsAtOnce: costly},
		},
	}
}
