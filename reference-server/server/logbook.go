package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// A logbook is state that clients name by its number in later requests.
type logbook struct {
	entry  string
	caller string // the connection that opened the logbook
}

func (o *office) openLogbook(entry, caller string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.logbooks.add(logbook{entry, caller})
}

func (o *office) logbook(id string) (logbook, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	book, known := o.logbooks.byID[id]
	return book, known
}

func (o *office) logbookTools(bound bool) []tool {
	return []tool{
		{
			name: "open_logbook", title: "Open a logbook", about: "Opens a logbook with a first entry. The answer is its number.", hint: changes,
			input: `{"type":"object","properties":{"entry":{"type":"string","minLength":1,"maxLength":200}},"required":["entry"],` +
				`"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(o.openLogbook(a.text("entry"), core.From(ctx).Caller()))
			},
		},
		{
			name: "read_logbook", title: "Read a logbook", about: "Gives the entry of the logbook with a number.", hint: reads,
			input: `{"type":"object","properties":{"logbook":{"type":"string","examples":["LB-1"]}},"required":["logbook"],` +
				`"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				book, known := o.logbook(a.text("logbook"))
				if !known || bound && book.caller != core.From(ctx).Caller() {
					return refused(ctx, "There is no such logbook.", core.Refusal{Code: "RESOURCE_NOT_FOUND", Category: core.Permanent})
				}
				return plain(book.entry)
			},
		},
	}
}
