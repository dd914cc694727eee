package dashdash_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/ext/dashdash"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A box is one of the checklist that the proposal ends with, and the cases that look at it,
// without the beginning of their suite; or why no case can.
type box struct {
	what  string
	cases []string
	why   string
}

func checklist() []box {
	const init, tools, help = "ext-dashdash-init/", "ext-dashdash-tools/", "ext-dashdash-ai-help/"
	return []box{
		{what: "the object of the opening", cases: []string{init + "present"}},
		{what: "`specVersion`", cases: []string{init + "spec-version"}},
		{what: "`identity.name`", cases: []string{init + "identity-name", init + "name-agrees"}},
		{what: "`identity.description`", cases: []string{init + "identity-description"}},
		{what: "`accessLevel`", cases: []string{init + "access-level", init + "level-fits-tools"}},
		{what: "`alternativeAccess.cliUrl`", cases: []string{init + "alternatives", init + "cross-reference"}},
		{what: "`alternativeAccess.apiUrl`", cases: []string{init + "alternatives", init + "cross-reference"}},
		{what: "`alternativeAccess.webUrl`", cases: []string{init + "alternatives", init + "cross-reference"}},
		{what: "`ai_help` in Markdown", cases: []string{help + "available", help + "defaults", help + "markdown-shape", help + "title-summary"}},
		{what: "its front matter", cases: []string{help + "front-matter", help + "front-required", help + "front-values", help + "front-recommended"}},
		{what: "its section When to Use", cases: []string{help + "when-to-use"}},
		{what: "its section Quick Reference", cases: []string{help + "quick-reference", help + "tools-exist"}},
		{what: "objects of tools", cases: []string{tools + "object"}},
		{what: "`category`", cases: []string{tools + "category"}},
		{what: "`operationType`", cases: []string{tools + "operation-type", tools + "hints-agree"}},
		{what: "`idempotent`", cases: []string{tools + "booleans", tools + "recommended", tools + "idempotent-true"}},
		{what: "`cliEquivalent`", cases: []string{tools + "cli-equivalent", tools + "recommended"}},
		{what: "`apiEquivalent`", cases: []string{tools + "api-equivalent", tools + "recommended"}},
		{what: "`examples`", cases: []string{tools + "examples", tools + "recommended"}},
		{what: "`errors`", cases: []string{tools + "errors", tools + "recommended"}},
		{what: "how to install", cases: []string{init + "install", help + "other-sections"}},
		{what: "rate limits", cases: []string{init + "recommended-links", help + "json-sections", help + "other-sections", help + "rate-errors"}},
		{what: "authentication", cases: []string{init + "requires", help + "json-sections", help + "other-sections"}},
		{what: "the guide, tried with an agent", why: "what an agent does with it is not part of the protocol"},
		{what: "tools are listed with their objects", cases: []string{tools + "object"}},
		{what: "a SKILL.md can be generated", cases: []string{init + "skill"}},
	}
}

// The table in the documentation is the list above, and the cases in it exist.
func TestChecklist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range []suite.Suite{dashdash.Handshake(), dashdash.Tools(), dashdash.Help(), dashdash.Resources()} {
		for _, c := range s.Cases {
			known[c.ID] = true
		}
	}
	rows := []string{"| box | cases |", "|---|---|"}
	for _, b := range checklist() {
		for _, id := range b.cases {
			if !known[id] {
				t.Errorf("%s names %s, which is no case", b.what, id)
			}
		}
		if (len(b.cases) == 0) != (b.why != "") {
			t.Errorf("%s has %d cases and the reason %q", b.what, len(b.cases), b.why)
		}
		told := b.why
		if told == "" {
			told = "`" + strings.Join(b.cases, "`, `") + "`"
		}
		rows = append(rows, "| "+b.what+" | "+told+" |")
	}
	page, err := os.ReadFile("../../../docs/ext-dashdash.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## The checklist of the proposal\n")
	var got []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "|") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(got, rows) {
		t.Errorf("the table of docs/ext-dashdash.md differs, want\n%s", strings.Join(rows, "\n"))
	}
}
