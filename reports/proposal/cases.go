package proposal

import (
	"cmp"
	"io"
	"regexp"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	schemas "github.com/mcp-conform/mcp-conform/schemas/report"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Cases lists the cases of the kit.
type Cases struct {
	Version  string                // version of the kit
	Revision requirements.Revision // the newest revision that the kit judges
	Tests    []Case
}

// A Case is one entry of the list.
type Case struct {
	ID        string
	Title     string
	Extension string // the proposal it judges, empty for the core
	Source    string // the document of its first requirement, as named in the catalogue
	Level     requirements.Level
	Checks    []requirements.ID
}

type casesDocument struct {
	Schema   string   `json:"$schema"`
	Metadata metadata `json:"metadata"`
	Tests    []test   `json:"tests"`
}

type metadata struct {
	Suite    string                `json:"suite_version"`
	Revision requirements.Revision `json:"mcp_spec_version"`
	Total    int                   `json:"total_tests"`
}

type test struct {
	ID          string             `json:"test_id"`
	Proposal    string             `json:"proposal_ref"`
	Description string             `json:"description"`
	Category    string             `json:"category,omitempty"`
	Level       requirements.Level `json:"level"`
	Checks      []requirements.ID  `json:"requirements"`
}

// WriteCases writes the list of cases. The messages that a case sends and wants are
// code, not data, so the members for them stay out.
func WriteCases(w io.Writer, c Cases) error {
	doc := casesDocument{Schema: schemas.ProposalCasesURL, Metadata: metadata{c.Version, c.Revision, len(c.Tests)}, Tests: []test{}}
	for _, one := range c.Tests {
		doc.Tests = append(doc.Tests, test{
			ID: one.ID, Proposal: Ref(one.Source, c.Revision), Description: one.Title,
			Category: category(one.Extension), Level: one.Level, Checks: one.Checks,
		})
	}
	return jsonfile.Encode(w, doc)
}

// category is one of the six categories of the form. The form has none for the other
// proposals, so they get none.
func category(extension string) string {
	switch extension {
	case "manifest", "idempotency", "permissions", "streaming", "transactions":
		return extension
	case "progress":
		return "streaming"
	case "structured-errors":
		return "error_handling"
	}
	return ""
}

// Ref names the document of a requirement in the way of the form; a requirement without
// a proposal belongs to the core at that revision.
func Ref(source string, core requirements.Revision) string {
	first, rest, _ := strings.Cut(source, " ")
	first = strings.TrimRight(first, ";,")
	switch n := proposalNumber().FindStringSubmatch(first); {
	case n != nil:
		return "proposal-" + n[1]
	case first == "EP":
		return "proposal-principles"
	case first == "DD":
		return "dashdash-" + section(rest)
	case first == "WK":
		return "well-known"
	case first == "CC":
		return "content-" + cmp.Or(slug(rest), "checklist")
	}
	return "core-" + string(core)
}

func proposalNumber() *regexp.Regexp { return regexp.MustCompile(`^EP([0-9]+)`) }

// section is the first section that a source names, or else its words.
func section(s string) string {
	if number := regexp.MustCompile(`^[0-9]+(\.[0-9]+)*`).FindString(s); number != "" {
		return number
	}
	return cmp.Or(slug(s), "document")
}

// slug turns a few words into a part of a name.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
