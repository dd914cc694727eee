package badge

import (
	"encoding/json"
	"io"

	"github.com/mcp-conform/mcp-conform/reports"
)

// endpoint is the JSON form that shields.io reads. It refuses unknown keys.
type endpoint struct {
	SchemaVersion int    `json:"schemaVersion"`
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
}

// Endpoint writes the badge as JSON for the endpoint badge of shields.io.
func Endpoint(w io.Writer, v reports.Verdict) error {
	message, c := face(v)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(endpoint{SchemaVersion: 1, Label: Label, Message: message, Color: c.name})
}
