package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func pagination() []Fault {
	return slices.Concat(cursorsGiven(), emptyCursors(), cursorsTaken(), cursorsRefused())
}

// eachList names the cases of a rule that is checked of every list.
func eachList(rule string) []string {
	var cases []string
	for _, name := range []string{"resources", "templates", "prompts", "tools"} {
		cases = append(cases, "pagination/"+rule+"-"+name)
	}
	return cases
}

func lists(x Exchange) bool { return strings.HasSuffix(x.Method, "/list") }

// cursorOf is the cursor that a request for a list brings.
func cursorOf(x Exchange) (cursor string, given bool) {
	if !lists(x) {
		return "", false
	}
	cursor, given = x.Param("cursor").(string)
	return cursor, given
}

// nobodys recognizes a cursor that this server cannot have issued: its own are
// short and hold no blanks.
func nobodys(cursor string) bool { return len(cursor) > 100 || strings.Contains(cursor, " ") }

// onPage changes each page of every list.
func onPage(change func(x Exchange, result Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if result, ok := m.Result(); ok && lists(x) {
			change(x, result)
		}
		return []Message{m}
	}
}

// atEnd puts a value into nextCursor of the last page of every list.
func atEnd(value any) func(Exchange, Message) []Message {
	return onPage(func(_ Exchange, result Message) {
		if _, more := result["nextCursor"]; !more {
			result["nextCursor"] = value
		}
	})
}

func cursorsGiven() []Fault {
	return []Fault{
		{
			Name: "pagination-cursor-null-at-end", Title: "the last page says nextCursor null instead of leaving it out",
			Breaks: "pagination-next-cursor-string",
			Kills:  []string{"pagination/next-cursor-string"},
			Also:   []string{"schema/messages-valid"},
			Reply:  atEnd(nil),
		},
		{
			Name: "pagination-cursor-number", Title: "cursors are numbers",
			Breaks: "pagination-next-cursor-string",
			Kills:  []string{"pagination/next-cursor-string"},
			Also:   []string{"schema/messages-valid"},
			Reply: onPage(func(_ Exchange, result Message) {
				if _, more := result["nextCursor"]; more {
					result["nextCursor"] = 2
				}
			}),
		},
		{
			Name: "pagination-cursor-never-advances", Title: "a page leads back to itself",
			Breaks: "pagination-terminates",
			Kills:  eachList("terminates"),
			Reply: onPage(func(x Exchange, result Message) {
				if cursor, given := cursorOf(x); given {
					result["nextCursor"] = cursor
				}
			}),
		},
		{
			Name: "pagination-pages-without-end", Title: "the last page is followed by empty ones",
			Breaks: "pagination-terminates",
			Kills:  eachList("terminates"),
			In:     pipes(requirements.R20251125),
			Reply:  emptyPages,
		},
	}
}

func emptyCursors() []Fault {
	return []Fault{
		{
			Name: "pagination-empty-cursor-at-end", Title: "the last page has an empty cursor, and that one is refused",
			Breaks: "pagination-empty-cursor-not-end",
			Kills:  eachList("empty-cursor-not-end"),
			Also:   []string{"tools/list-schema"},
			Reply:  atEnd(""),
		},
		{
			Name: "pagination-empty-cursor-starts-over", Title: "the last page has an empty cursor, and that one leads back to the first",
			Breaks: "pagination-empty-cursor-not-end",
			Kills:  eachList("empty-cursor-not-end"),
			Also:   []string{"tools/names-unique"},
			Skip:   []Check{CheckCursor},
			Reply:  atEnd(""),
			Inbound: onCursor(func(x Exchange, cursor string) Verdict {
				if nobodys(cursor) {
					return refusing(x, -32602, "the cursor was not issued for this list")
				}
				return Verdict{}
			}),
		},
	}
}

// emptyPages goes on behind the last page with cursors of its own.
func emptyPages(x Exchange, m Message) []Message {
	cursor, _ := cursorOf(x)
	var number int
	_, err := fmt.Sscanf(cursor, "empty-%d", &number)
	result, ok := m.Result()
	switch {
	case !lists(x):
	case err == nil:
		member := strings.TrimSuffix(x.Method, "/list")
		if member == "resources/templates" {
			member = "resourceTemplates"
		}
		return []Message{x.Answer(map[string]any{member: []any{}, "nextCursor": fmt.Sprintf("empty-%d", number+1)})}
	case ok && result["nextCursor"] == nil:
		result["nextCursor"] = "empty-1"
	}
	return []Message{m}
}

func cursorsTaken() []Fault {
	return []Fault{
		{
			Name: "pagination-cursor-refused", Title: "cursors are handed out and refused when they come back",
			Breaks: "pagination-cursor-accepted",
			Kills:  eachList("cursor-accepted"),
			Also:   []string{"tools/list-schema"},
			Inbound: func(x Exchange) Verdict {
				if _, given := cursorOf(x); given {
					return refusing(x, -32602, "the cursor has run out")
				}
				return Verdict{}
			},
		},
		{
			Name: "pagination-page-varies", Title: "every second page lacks an item",
			Breaks: "pagination-stable-cursors",
			Kills:  eachList("stable-cursors"),
			In:     pipes(requirements.R20251125),
			Reply: onPage(func(x Exchange, result Message) {
				for name, value := range result {
					if items, ok := value.([]Message); ok && x.Nth%2 == 0 && len(items) > 0 {
						result[name] = items[1:]
					}
				}
			}),
		},
		{
			Name: "pagination-pages-overlap", Title: "an item is on every page",
			Breaks: "pagination-stable-cursors",
			Kills:  []string{"pagination/stable-cursors-prompts"},
			Domain: func(r Registry) { r.AddPrompt("a_summary", "Sum up the day.") },
			Reply: onPage(func(x Exchange, result Message) {
				prompts, ok := result["prompts"].([]Message)
				if _, given := cursorOf(x); ok && given {
					result["prompts"] = append(slices.Clone(prompts), Message{"name": "a_summary", "description": "Sum up the day."})
				}
			}),
		},
	}
}

func cursorsRefused() []Fault {
	return []Fault{
		{
			Name: "pagination-invalid-cursor-served", Title: "a cursor the server never issued gives the first page",
			Breaks: "pagination-invalid-cursor-code",
			Kills:  eachList("invalid-cursor-code"),
			Skip:   []Check{CheckCursor},
		},
		{
			Name: "pagination-invalid-cursor-internal", Title: "a cursor the server never issued is an internal error",
			Breaks: "pagination-invalid-cursor-code",
			Kills:  eachList("invalid-cursor-code"),
			Inbound: onCursor(func(x Exchange, cursor string) Verdict {
				if nobodys(cursor) {
					return refusing(x, -32603, "the cursor could not be decoded")
				}
				return Verdict{}
			}),
		},
		{
			Name: "pagination-invalid-cursor-unanswered", Title: "a request with a cursor the server never issued is not answered",
			Breaks: "pagination-invalid-cursor-handled",
			Kills:  eachList("invalid-cursor-handled"),
			Also:   append(eachList("invalid-cursor-code"), "jsonrpc/all-answered"),
			Inbound: onCursor(func(_ Exchange, cursor string) Verdict {
				return Verdict{Hang: nobodys(cursor)}
			}),
		},
		{
			Name: "pagination-altered-cursor-ends-process", Title: "a cursor with a character outside of its alphabet ends the process",
			Breaks: "pagination-invalid-cursor-handled",
			Kills:  eachList("altered-cursor-handled"),
			In:     pipes(requirements.R20260728),
			Inbound: onCursor(func(_ Exchange, cursor string) Verdict {
				return Verdict{Exits: strings.Contains(cursor, "~") && !nobodys(cursor), Exit: 1}
			}),
		},
		{
			Name: "pagination-early-cursor-ends-process", Title: "a cursor that comes before any page of its list was asked for ends the process",
			Breaks: "pagination-invalid-cursor-handled",
			Kills:  eachList("foreign-cursor-handled"),
			Also:   []string{"lifecycle/pages-across-connections"},
			In:     pipes(requirements.R20260728),
			Inbound: onCursor(func(x Exchange, cursor string) Verdict {
				return Verdict{Exits: x.Nth == 1 && !nobodys(cursor), Exit: 1}
			}),
		},
	}
}

// onCursor decides on each request for a list that brings a cursor.
func onCursor(decide func(x Exchange, cursor string) Verdict) func(Exchange) Verdict {
	return func(x Exchange) Verdict {
		if cursor, given := cursorOf(x); given {
			return decide(x, cursor)
		}
		return Verdict{}
	}
}
