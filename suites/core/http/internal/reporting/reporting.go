// Package reporting finds the tool with which cases on streams make the server say
// something before its response.
package reporting

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Need is the need of the cases that make calls which report progress.
func Need() suite.Need {
	return suite.Either(suite.Role(roles.ProgressTool), suite.Role(roles.ReadOnlyTool))
}

// enough is how many notifications of progress the role asks for. prompt is how long a tool
// that no role names may take, since several cases wait for it.
const (
	enough = 3
	prompt = time.Second
)

// Call makes a call of a tool that reports progress: the tool of the role, or else a
// read-only tool that does. The case ends where there is none.
func Call(c *probe.Client) *probe.ToolCall {
	role := c.Role(roles.ProgressTool)
	if _, named := role.Fields().Call(); named {
		return role.Call()
	}
	candidates := candidates(c)
	name := c.Learn("read-only tool that reports progress", func() string { return find(c, candidates) })
	for _, call := range candidates {
		if call.Tool == name {
			return call
		}
	}
	c.Unfilled(roles.ProgressTool,
		"a tool that reports progress at least three times when asked; no read-only tool did within "+prompt.String())
	return nil
}

// candidates are calls of the tools that only read.
func candidates(c *probe.Client) []*probe.ToolCall {
	var all []*probe.ToolCall
	if role := c.Role(roles.ReadOnlyTool); role.From("tool") != "" {
		all = append(all, role.Call())
	}
	safe := c.Survey().Safe
	for _, call := range safe[:min(len(safe), c.Waits().Reads)] {
		all = append(all, &probe.ToolCall{Tool: call.Tool, Arguments: probe.Object(call.Arguments)})
	}
	return all
}

// find names the first tool that reports often enough, or else the one that reports most.
// A tool that takes long ends the search: the next one may take as long.
func find(c *probe.Client, candidates []*probe.ToolCall) string {
	best, most := "", 0
	for _, call := range candidates {
		times, in := c.Progress(call, min(c.Waits().Answer, prompt))
		switch {
		case !in:
			return best
		case times >= enough:
			return call.Tool
		case times > most:
			best, most = call.Tool, times
		}
	}
	return best
}
