// Package report holds the schemas of the files that the kit writes. It refuses to
// know what is in them: the writers do.
package report

import _ "embed" // the schemas are part of the program

// Where the schemas can be read, as the files that fit them say.
const (
	ReportURL        = base + "report.json"
	ProposalURL      = base + "proposal-report.json"
	ProposalCasesURL = base + "proposal-cases.json"

	base = "https://raw.githubusercontent.com/mcp-conform/mcp-conform/main/schemas/report/"
)

var (
	//go:embed report.json
	report string
	//go:embed proposal-report.json
	proposal string
	//go:embed proposal-cases.json
	proposalCases string
	//go:embed junit.xsd
	junit string
)

// Report is the JSON Schema (2020-12) of report.json.
func Report() string { return report }

// Proposal is that of the conformance report in the form of the proposals.
func Proposal() string { return proposal }

// ProposalCases is that of the list of cases in the form of the proposals.
func ProposalCases() string { return proposalCases }

// JUnit is the XML Schema of junit.xml, in the strict shape.
func JUnit() string { return junit }
