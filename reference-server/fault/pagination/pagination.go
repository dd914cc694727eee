// Package pagination holds the ways to break how lists are cut into pages.
package pagination

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Faults lists them in the order of the specification page.
func Faults() []fault.Fault {
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

func lists(x fault.Exchange) bool { return strings.HasSuffix(x.Method, "/list") }

// cursorOf is the cursor that a request for a list brings.
func cursorOf(x fault.Exchange) (cursor string, given bool) {
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
func onPage(change func(x fault.Exchange, result fault.Message)) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok && lists(x) {
			change(x, result)
		}
	}
}

// atEnd puts a value into nextCursor of the last page of every list.
func atEnd(value any) fault.Change {
	return onPage(func(_ fault.Exchange, result fault.Message) {
		if _, more := result["nextCursor"]; !more {
			result["nextCursor"] = value
		}
	})
}

func cursorsGiven() []fault.Fault {
	return []fault.Fault{
		{Breaks: "pagination-next-cursor-string", Each: []fault.Fault{
			{Name: "pagination-cursor-null-at-end", Title: "the last page has nextCursor null instead of no nextCursor", Reply: atEnd(nil)},
			{
				Name: "pagination-cursor-number", Title: "cursors are numbers", May: []string{"ext-streaming/flag-matches"},
				Reply: onPage(func(_ fault.Exchange, result fault.Message) {
					if _, more := result["nextCursor"]; more {
						result["nextCursor"] = 2
					}
				}),
			},
		}},
		{
			Name: "pagination-cursor-never-advances", Title: "the cursor of a page leads back to the same page",
			Breaks: "pagination-terminates", Kills: eachList("terminates"),
			Reply: onPage(func(x fault.Exchange, result fault.Message) {
				if cursor, given := cursorOf(x); given {
					result["nextCursor"] = cursor
				}
			}),
		}, {
			Name: "pagination-pages-without-end", Title: "the last page is followed by empty ones",
			Breaks: "pagination-terminates", Kills: eachList("terminates"), In: fault.OverStdio(requirements.R20251125), Reply: emptyPages,
		}, {
			Name: "pagination-loops-second-time", Title: "the last page of tools has the first cursor once the client has had it before",
			Breaks: "pagination-terminates", Kills: []string{"pagination/terminates-tools"}, Reply: loopsSecondTime,
		}, {
			Name: "pagination-loops-later", Title: "the last page of tools has a cursor once the client has asked for a page twice",
			Breaks: "pagination-terminates", Kills: []string{"pagination/stable-cursors-tools"},
			May: []string{"pagination/empty-cursor-not-end-tools"}, In: fault.OverStdio(requirements.R20251125),
			Reply: loopsLater,
		},
	}
}

func emptyCursors() []fault.Fault {
	return []fault.Fault{{
		Name: "pagination-empty-cursor-at-end", Title: "the last page has an empty cursor, which is rejected",
		Breaks: "pagination-empty-cursor-not-end", May: []string{"tools/list-schema"}, Reply: atEnd(""),
	}, {
		Name:   "pagination-empty-cursor-starts-over",
		Title:  "the last page has an empty cursor, which leads back to the first page",
		Breaks: "pagination-empty-cursor-not-end", May: []string{"tools/names-unique"}, Skip: []fault.Check{fault.CheckCursor},
		Reply: atEnd(""),
		Inbound: onCursor(func(x fault.Exchange, cursor string) fault.Verdict {
			if nobodys(cursor) {
				return fault.Refuse(x, -32602, "the cursor was not issued for this list")
			}
			return fault.Verdict{}
		}),
	}}
}

// loopsLater leads from the last page of tools back to the first cursor that the client used, after a
// page was asked for twice.
func loopsLater(x fault.Exchange, m fault.Message) {
	result, ok := m.Result()
	if _, more := result["nextCursor"]; !ok || more || x.Method != "tools/list" {
		return
	}
	if cursors, twice := usedCursors(x); twice {
		result["nextCursor"] = cursors[0]
	}
}

// loopsSecondTime leads from the last page of tools back to the first cursor, from the second time on.
func loopsSecondTime(x fault.Exchange, m fault.Message) {
	result, ok := m.Result()
	cursor, given := cursorOf(x)
	if _, more := result["nextCursor"]; !ok || more || !given || x.Method != "tools/list" {
		return
	}
	if cursors, _ := usedCursors(x); slices.Contains(cursors, cursor) {
		result["nextCursor"] = cursors[0]
	}
}

// usedCursors are the cursors that the client has used for a list before, and whether one of them
// came twice in a row.
func usedCursors(x fault.Exchange) (cursors []string, twice bool) {
	for _, a := range x.Past {
		var params struct{ Cursor string }
		if a.Method == x.Method && json.Unmarshal(a.Params, &params) == nil && params.Cursor != "" {
			twice = twice || len(cursors) > 0 && cursors[len(cursors)-1] == params.Cursor
			cursors = append(cursors, params.Cursor)
		}
	}
	return cursors, twice
}

// emptyPages continues after the last page with cursors of its own.
func emptyPages(x fault.Exchange, m fault.Message) {
	cursor, _ := cursorOf(x)
	var number int
	_, err := fmt.Sscanf(cursor, "empty-%d", &number)
	result, ok := m.Result()
	switch {
	case !lists(x):
	case err == nil:
		m.Become(x.Answer(map[string]any{arrayOf(x.Method): []any{}, "nextCursor": fmt.Sprintf("empty-%d", number+1)}))
		return
	case ok && result["nextCursor"] == nil:
		result["nextCursor"] = "empty-1"
	}
}

func cursorsTaken() []fault.Fault {
	return []fault.Fault{{
		Name: "pagination-cursor-refused", Title: "cursors are issued, and rejected when the client sends them",
		Breaks: "pagination-cursor-accepted", Kills: eachList("cursor-accepted"),
		May: []string{"tools/list-schema", "ext-streaming/flag-matches"},
		Inbound: fault.When(func(x fault.Exchange) bool {
			_, given := cursorOf(x)
			return given
		}).Refuse(-32602, "the cursor has run out"),
	}, {
		Name: "pagination-cursors-refused-later", Title: "cursors of tools are rejected once the client has asked for a page twice",
		Breaks: "pagination-cursor-accepted", Kills: []string{"pagination/stable-cursors-tools"},
		In: fault.OverStdio(requirements.R20251125), May: []string{"tools/list-schema", "ext-streaming/flag-matches"},
		Inbound: fault.On("tools/list").And(func(x fault.Exchange) bool {
			_, given := cursorOf(x)
			_, twice := usedCursors(x)
			return given && twice
		}).Refuse(-32602, "the cursor has run out"),
	}, {
		Name: "pagination-cursor-once", Title: "a cursor is taken once, and rejected from then on", Breaks: "pagination-stable-cursors",
		In: fault.OverStdio(requirements.R20251125, requirements.R20260728),
		Inbound: fault.When(func(x fault.Exchange) bool {
			cursor, given := cursorOf(x)
			return given && slices.ContainsFunc(x.Past, func(a fault.Asked) bool {
				var before struct {
					Cursor *string `json:"cursor"`
				}
				return a.Method == x.Method && json.Unmarshal(a.Params, &before) == nil && before.Cursor != nil && *before.Cursor == cursor
			})
		}).Refuse(-32602, "the cursor has been used"),
	}, {
		Name: "pagination-page-varies", Title: "every second page lacks an item", Breaks: "pagination-stable-cursors",
		In: fault.OverStdio(requirements.R20251125),
		Reply: onPage(func(x fault.Exchange, result fault.Message) {
			for name, value := range result {
				if items, ok := value.([]fault.Message); ok && x.Nth%2 == 0 && len(items) > 0 {
					result[name] = items[1:]
				}
			}
		}),
	}, {
		Name: "pagination-pages-overlap", Title: "an item is on every page", Breaks: "pagination-stable-cursors",
		Kills: []string{"pagination/stable-cursors-prompts"}, May: []string{"prompts/names-unique"},
		Domain: func(r fault.Registry) { r.AddPrompt("a_summary", "Sum up the day.") },
		Reply: onPage(func(x fault.Exchange, result fault.Message) {
			prompts, ok := result["prompts"].([]fault.Message)
			if _, given := cursorOf(x); ok && given {
				result["prompts"] = append(slices.Clone(prompts), fault.Message{"name": "a_summary", "description": "Sum up the day."})
			}
		}),
	}}
}

func cursorsRefused() []fault.Fault {
	return []fault.Fault{
		{Breaks: "pagination-invalid-cursor-code", Each: []fault.Fault{
			{Name: "pagination-invalid-cursor-served", Title: "an unknown cursor gets the first page", Skip: []fault.Check{fault.CheckCursor}},
			{
				Name: "pagination-object-cursor-served", Title: "a cursor that is an object gets a page of the list of prompts",
				Kills: []string{"pagination/invalid-cursor-code-prompts"}, In: fault.OverStdio(requirements.R20251125),
				Inbound: fault.On("prompts/list").And(func(x fault.Exchange) bool {
					_, object := x.Param("cursor").(map[string]any)
					return object
				}).Answer(map[string]any{"prompts": []any{map[string]any{"name": "berth_request"}}}),
			},
			{
				Name: "pagination-invalid-cursor-empty", Title: "every unknown cursor gets an empty last page",
				Inbound: onCursor(func(x fault.Exchange, cursor string) fault.Verdict {
					if nobodys(cursor) || strings.HasPrefix(cursor, "!") {
						return fault.Answer(x, map[string]any{
							"resultType": "complete", arrayOf(x.Method): []any{}, "ttlMs": 0, "cacheScope": "private",
						})
					}
					return fault.Verdict{}
				}),
			},
			{
				Name: "pagination-invalid-cursor-internal", Title: "an unknown cursor gets an internal error",
				Inbound: onCursor(func(x fault.Exchange, cursor string) fault.Verdict {
					if nobodys(cursor) {
						return fault.Refuse(x, -32603, "the cursor could not be decoded")
					}
					return fault.Verdict{}
				}),
			},
		}},
		{Breaks: "pagination-invalid-cursor-handled", Each: []fault.Fault{{
			Name: "pagination-invalid-cursor-unanswered", Title: "a request with an unknown cursor is not answered",
			Kills: eachList("invalid-cursor-handled"), Hangs: true,
			May:     append(eachList("invalid-cursor-code"), "jsonrpc/all-answered"),
			Inbound: onCursor(func(_ fault.Exchange, cursor string) fault.Verdict { return fault.Verdict{Hang: nobodys(cursor)} }),
		}, {
			Name:  "pagination-altered-cursor-ends-process",
			Title: "a cursor with a character outside its alphabet ends the process", Kills: eachList("altered-cursor-handled"),
			In: fault.OverStdio(requirements.R20260728),
			Inbound: onCursor(func(_ fault.Exchange, cursor string) fault.Verdict {
				return fault.Verdict{Exits: strings.Contains(cursor, "~") && !nobodys(cursor), Exit: 1}
			}),
		}, {
			Name:  "pagination-early-cursor-ends-process",
			Title: "a cursor sent before any page of its list was requested ends the process",
			Kills: eachList("foreign-cursor-handled"), May: []string{"lifecycle/pages-across-connections"},
			In: fault.OverStdio(requirements.R20260728),
			Inbound: onCursor(func(x fault.Exchange, cursor string) fault.Verdict {
				return fault.Verdict{Exits: x.Nth == 1 && !nobodys(cursor), Exit: 1}
			}),
		}}},
	}
}

// arrayOf is the name of the array in the result of a list.
func arrayOf(method string) string {
	if method == "resources/templates/list" {
		return "resourceTemplates"
	}
	return strings.TrimSuffix(method, "/list")
}

// onCursor decides on each request for a list that brings a cursor.
func onCursor(decide func(x fault.Exchange, cursor string) fault.Verdict) func(fault.Exchange) fault.Verdict {
	return func(x fault.Exchange) fault.Verdict {
		if cursor, given := cursorOf(x); given {
			return decide(x, cursor)
		}
		return fault.Verdict{}
	}
}
