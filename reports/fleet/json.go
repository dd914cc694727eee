package fleet

import (
	"io"

	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
)

// Write writes the index as JSON, in the form of report.json.
func Write(w io.Writer, x Index) error {
	if x.Servers == nil {
		x.Servers = []Row{} // the schema wants a list, not null
	}
	return jsonfile.Encode(w, struct {
		Schema string `json:"$schema"`
		Index
	}{schemas.FleetURL, x})
}
