package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// headerTools have arguments that modern clients repeat in headers.
func headerTools() []tool {
	return []tool{
		{
			name: "basin_level", title: "Water level", about: "Gives the water level of a basin in a year.", hint: reads,
			input: `{"type":"object","properties":{
				"basin":{"type":"string","description":"Name of the basin.","x-mcp-header":"Basin"},
				"year":{"type":"integer","minimum":1900,"maximum":2100,"x-mcp-header":"Year"},
				"mean":{"type":"boolean","x-mcp-header":"Mean"}},
				"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprintf("basin %q, year %d, mean %t: 3.2 m", a.text("basin"), int(a.number("year")), a.flag("mean")))
			},
		},
		{
			name: "vessel_traffic", title: "Traffic", about: "Counts the vessels of a kind. What counts is the kind within the filter.", hint: reads,
			input: `{"type":"object","properties":{
				"kind":{"type":"string","description":"A note without meaning for the count."},
				"filter":{"type":"object","properties":{"kind":{"type":"string","x-mcp-header":"Kind"},
					"flag":{"type":"string","description":"Country code; nothing is counted by it yet."}},"additionalProperties":false}},
				"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				filter, _ := a["filter"].(map[string]any)
				return plain("kind " + arguments(filter).text("kind") + ": 7 vessels")
			},
		},
	}
}
