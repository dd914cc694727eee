package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/sessionstate"
)

// draftTools write a notice line by line. The draft is the client's: it travels in the
// token of the session-state extension, and the office keeps nothing of it.
func draftTools() []tool {
	return []tool{
		{
			name: "draft_notice", title: "Draft a notice", about: "Adds a line to the notice that the client drafts.", hint: changes,
			input: `{"type":"object","properties":{"line":{"type":"string","minLength":1,"maxLength":200}},"required":["line"],` +
				`"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				lines := sessionstate.Of(core.From(ctx)).Add(a.text("line"))
				return plain(fmt.Sprintf("The draft has %d lines.", len(lines)))
			},
		},
		{
			name: "read_draft", title: "Read the draft", about: "Gives the notice that the client drafts.", hint: reads, input: nothing,
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				if lines := sessionstate.Of(core.From(ctx)).Lines(); len(lines) > 0 {
					return plain(strings.Join(lines, "\n"))
				}
				return plain("There is no draft.")
			},
		},
	}
}
