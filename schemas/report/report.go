// Package report holds the schemas of the files that the kit writes. Only the writers
// know the content of these files.
package report

import _ "embed" // the schemas are part of the program

// The public addresses of the schemas, as named in the files.
const (
	ReportURL        = base + "report.json"
	FleetURL         = base + "fleet.json"
	ProposalURL      = base + "proposal-report.json"
	ProposalCasesURL = base + "proposal-cases.json"

	base = "https://raw.githubusercontent.com/mcp-conform/mcp-conform/main/schemas/report/"
)

var (
	//go:embed report.json
	report string
	//go:embed fleet.json
	fleet string
	//go:embed proposal-report.json
	proposal string
	//go:embed proposal-cases.json
	proposalCases string
	//go:embed junit.xsd
	junit string
)

// Report is the JSON Schema (2020-12) of report.json.
func Report() string { return report }

// Fleet is the JSON Schema (2020-12) of fleet.json.
func Fleet() string { return fleet }

// Proposal is the JSON Schema of the conformance report in the form of the proposals.
func Proposal() string { return proposal }

// ProposalCases is the JSON Schema of the list of cases in the form of the proposals.
func ProposalCases() string { return proposalCases }

// JUnit is the XML Schema of junit.xml, in the strict shape.
func JUnit() string { return junit }
