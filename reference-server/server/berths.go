package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// A berth is a place where a vessel can lie.
type berth struct {
	ID      string  `json:"id"`
	Length  float64 `json:"length"`
	Draught float64 `json:"draught"`
}

func berths() []berth {
	var all []berth
	for pier, draught := range map[string]float64{"A": 3.5, "B": 6} {
		for number := 1; number <= 6; number++ {
			all = append(all, berth{ID: fmt.Sprintf("%s%d", pier, number), Length: float64(8 + 4*number), Draught: draught})
		}
	}
	slices.SortFunc(all, func(a, b berth) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func isBerth(id string) bool {
	return slices.ContainsFunc(berths(), func(b berth) bool { return b.ID == id })
}

const berthSchema = `{"type":"object","properties":{
		"id":{"type":"string"},"length":{"type":"number"},"draught":{"type":"number"}},
		"required":["id","length","draught"]}`

func berthTools() []tool {
	return []tool{
		{
			name: "list_berths", title: "All berths", about: "Lists the berths of the harbour with their measures in metres.", hint: reads,
			input:  nothing,
			output: `{"type":"object","properties":{"berths":{"type":"array","items":` + berthSchema + `}},"required":["berths"]}`,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return structured(map[string]any{"berths": berths()})
			},
		},
		{
			name: "find_berth", title: "Find a berth", about: "Finds the smallest berth that a vessel fits into.", hint: reads,
			input: `{"type":"object","properties":{
				"length":{"type":"number","description":"Length of the vessel in metres.","exclusiveMinimum":0,"examples":[14]},
				"draught":{"type":"number","description":"Draught of the vessel in metres.","minimum":0,"default":2}},
				"required":["length"],"additionalProperties":false}`,
			output: berthSchema,
			run:    fittingBerth,
		},
	}
}

func fittingBerth(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
	draught := 2.0
	if _, given := a["draught"]; given {
		draught = a.number("draught")
	}
	var best berth
	for _, b := range berths() {
		if b.Length >= a.number("length") && b.Draught >= draught && (best.ID == "" || b.Length < best.Length) {
			best = b
		}
	}
	if best.ID == "" {
		return failed("No berth is long and deep enough.")
	}
	return structured(best)
}
