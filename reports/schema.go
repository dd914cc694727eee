package reports

import _ "embed" // the schema is part of the program

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of the JSON form of a Report.
func Schema() string { return schema }
