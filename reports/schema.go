package reports

import schemas "github.com/mcp-conform/mcp-conform/schemas/report"

// SchemaURL is the address of the schema, as given in every report.
const SchemaURL = schemas.ReportURL

// Schema returns the JSON Schema (2020-12) of the JSON form of a Report.
func Schema() string { return schemas.Report() }
