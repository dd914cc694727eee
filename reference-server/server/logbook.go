package server

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// A logbook is state that clients name by its number in later requests.
type logbook struct {
	entry  string
	caller string // the connection that opened the logbook
}

// logbooks are the opened logbooks.
type logbooks struct {
	mu   sync.Mutex
	kept numbered[logbook]
}

func (l *logbooks) open(entry, caller string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.add(logbook{entry, caller})
}

func (l *logbooks) find(id string) (logbook, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	book, known := l.kept.byID[id]
	return book, known
}

// radioLog are tools whose log messages cannot be written.
func radioLog() []tool {
	return []tool{
		{
			name: "jam_log", title: "Jam the log", hint: changes,
			about: "Lets the log of this session take no new level, or lets it take one again.",
			input: `{"type":"object","properties":{"jammed":{"type":"boolean"}},"required":["jammed"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				jammed := a.flag("jammed")
				core.From(ctx).Jam(jammed)
				return plain(map[bool]string{true: "The log is jammed.", false: "The log runs."}[jammed])
			},
		},
		{
			name: "log_by_radio", title: "Log by radio", hint: reads, input: nothing,
			about: "Logs by a radio that is always busy, so it fails for who asks for log messages.",
			run: func(ctx context.Context, _ arguments) (*mcp.CallToolResult, error) {
				if core.From(ctx).AsksForLogs() {
					return nil, &core.Error{Code: core.InternalError, Message: "the log cannot be written"}
				}
				return plain("Nothing had to be logged.")
			},
		},
	}
}

func (l *logbooks) tools(bound bool) []tool {
	return []tool{
		{
			name: "open_logbook", title: "Open a logbook", about: "Opens a logbook with a first entry. The answer is its number.", hint: changes,
			input: `{"type":"object","properties":{"entry":{"type":"string","minLength":1,"maxLength":200}},"required":["entry"],` +
				`"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(l.open(a.text("entry"), core.From(ctx).Caller()))
			},
		},
		{
			name: "read_logbook", title: "Read a logbook", about: "Gives the entry of the logbook with a number.", hint: reads,
			input: `{"type":"object","properties":{"logbook":{"type":"string","examples":["LB-1"]}},"required":["logbook"],` +
				`"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				book, known := l.find(a.text("logbook"))
				if !known || bound && book.caller != core.From(ctx).Caller() {
					return refused(ctx, "There is no such logbook.", core.Refusal{Code: "RESOURCE_NOT_FOUND", Category: core.Permanent})
				}
				return plain(book.entry)
			},
		},
	}
}
