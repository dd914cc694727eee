package requirements

import (
	"cmp"
	"strings"
)

const (
	site   = "https://modelcontextprotocol.io/"
	source = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/"
)

// Link is the address of the clause in the specification of the revision; empty
// for an extension, whose source has no page there.
func (c Clause) Link(at Revision) string {
	page, anchor, anchored := strings.Cut(c.Page, "#")
	switch {
	case page == "":
		return ""
	case strings.Contains(page, "://"): // a page of another author's suite
		return c.Page
	case strings.HasPrefix(page, "seps/"):
		page = site + page
	case page == "schema.ts" && at.Before(R20250618):
		// The site has no page for these revisions, and GitHub has no links to single types.
		return source + string(at) + "/schema.ts"
	case page == "schema.ts":
		// The rendered schema has its headings in lower case.
		page, anchor = site+"specification/"+string(at)+"/schema", strings.ToLower(anchor)
	default:
		page = site + "specification/" + string(at) + "/" + page
	}
	if !anchored {
		return page
	}
	return page + "#" + anchor
}

// LinkOver is Link for a server over the transport, which may have a page of its own.
func (c Clause) LinkOver(at Revision, t Transport) string {
	page := c.Over[t]
	if t == SSE {
		page = cmp.Or(page, c.Over[HTTP])
	}
	c.Page = cmp.Or(page, c.Page)
	return c.Link(at)
}

// checklist begins the source of a content rule.
const checklist = "CC"

// Origin names the source of an extension's rule, for readers of a finding.
func (c Clause) Origin() string {
	switch c.Basis {
	case Text:
		if strings.HasPrefix(c.Source, checklist) {
			return "a checklist for what tools return; the protocol itself leaves it open"
		}
		return "the text of the proposal"
	case Schema:
		return "the schema of the proposal"
	case SEPDraft:
		return "the SEP draft of the proposal, not its text"
	case Example:
		return "example servers of the proposal, not its text"
	case Kit:
		return "mcp-conform: the proposal is silent here, or its parts disagree"
	case Core:
		return "the core specification"
	case Keyword, Prose, JSONRPCMust, JSONRPCTable, SEP: // a link shows the page
	}
	return ""
}
