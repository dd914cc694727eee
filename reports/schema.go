package reports

import _ "embed" // the schema is part of the program

//go:embed schema.json
var schema string

// SchemaURL is where the schema can be read, as every report says.
const SchemaURL = "https://raw.githubusercontent.com/mcp-conform/mcp-conform/main/reports/schema.json"

// Schema returns the JSON Schema (2020-12) of the JSON form of a Report.
func Schema() string { return schema }
