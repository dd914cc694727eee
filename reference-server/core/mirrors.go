package core

import "github.com/mark3labs/mcp-go/mcp"

// A Mirror is an argument of a tool that modern clients repeat in a header.
type Mirror struct {
	Path   []string // names of properties, from the arguments down
	Header string   // without the common prefix
}

// Mirrors lists the arguments that calls of the tool repeat in headers.
func (c *Core) Mirrors(tool string) []Mirror {
	known := c.Tool(tool)
	if known == nil {
		return nil
	}
	return inputOf(known.Tool.RawInputSchema).mirrors()
}

func mirrors(of *mcp.Tool) []Mirror {
	var all []Mirror
	for _, binding := range mcp.ExtractParamHeaderBindings(of) {
		all = append(all, Mirror{Path: binding.Path, Header: binding.Header})
	}
	return all
}
