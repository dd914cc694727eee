package server

import "github.com/mcp-conform/mcp-conform/reference-server/ext/provenance"

// sources are where the data of some tools comes from.
func sources() map[string][]provenance.Record {
	return map[string][]provenance.Record{
		"mooring_fee": {
			{Source: "harbour:tariff", Location: map[string]any{"page": 3, "line": 12, "cell": "C12"}, Version: "2026", Confidence: "exact"},
			{
				Source: "harbour:season-cards", Location: map[string]any{"json_path": "$.discounts"}, Confidence: "derived",
				Transformation: "The rate by metre and night, less the discount of the season card.",
			},
		},
		"office_hours": {{Source: "harbour:statutes", Location: map[string]any{"paragraph": 7}, Confidence: "exact"}},
	}
}
