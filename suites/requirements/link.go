package requirements

import "strings"

const site = "https://modelcontextprotocol.io/"

// Link is the address of the clause in the specification of the revision, or
// empty for an extension, whose source has no page there.
func (c Clause) Link(at Revision) string {
	page, anchor, anchored := strings.Cut(c.Page, "#")
	switch {
	case page == "":
		return ""
	case strings.Contains(page, "://"): // a suite of somebody else
		return c.Page
	case strings.HasPrefix(page, "seps/"):
		page = site + page
	case page == "schema.ts":
		// The rendered schema names its headings in lower case.
		page, anchor = site+"specification/"+string(at)+"/schema", strings.ToLower(anchor)
	default:
		page = site + "specification/" + string(at) + "/" + page
	}
	if !anchored {
		return page
	}
	return page + "#" + anchor
}
