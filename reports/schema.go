package reports

import schemas "github.com/mcp-conform/mcp-conform/schemas/report"

// SchemaURL is where the schema can be read, as every report says.
const SchemaURL = schemas.ReportURL

// Schema returns the JSON Schema (2020-12) of the JSON form of a Report.
func Schema() string { return schemas.Report() }
