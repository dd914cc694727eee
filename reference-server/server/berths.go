package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

const (
	bookingSchema = `{"type":"object","properties":{
		"id":{"type":"string"},"vessel":{"type":"string"},"berth":{"type":"string"},
		"night":{"type":"integer"},"nights":{"type":"integer"}},
		"required":["id","vessel","berth","night","nights"]}`
	berthSchema = `{"type":"object","properties":{
		"id":{"type":"string"},"length":{"type":"number"},"draught":{"type":"number"}},
		"required":["id","length","draught"]}`
	vesselOnly = `{"type":"object","properties":{
		"vessel":{"type":"string","description":"Name of the vessel.","maxLength":200}},
		"additionalProperties":false}`
)

func (o *office) berthTools() []tool {
	return []tool{
		{
			name: "list_berths", title: "All berths", about: "Lists the berths of the harbour with their measures in metres.", hint: reads,
			input:  nothing,
			output: `{"type":"object","properties":{"berths":{"type":"array","items":` + berthSchema + `}},"required":["berths"]}`,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return structured(map[string]any{"berths": berths()})
			},
		},
		{
			name: "find_berth", title: "Find a berth", about: "Finds the smallest berth that a vessel fits into.", hint: reads,
			input: `{"type":"object","properties":{
				"length":{"type":"number","description":"Length of the vessel in metres.","exclusiveMinimum":0,"examples":[14]},
				"draught":{"type":"number","description":"Draught of the vessel in metres.","minimum":0,"default":2}},
				"required":["length"],"additionalProperties":false}`,
			output: berthSchema,
			run:    fittingBerth,
		},
		{
			name: "book_berth", title: "Book a berth", about: "Books the next free nights at a berth for a vessel.", hint: changes,
			input: `{"type":"object","properties":{
				"vessel":{"type":"string","description":"Name of the vessel.","minLength":1,"maxLength":200},
				"berth":{"type":"string","description":"Which berth.","enum":["A1","A2","A3","A4","A5","A6","B1","B2","B3","B4","B5","B6"]},
				"nights":{"type":"integer","minimum":1,"maximum":30,"default":1}},
				"required":["vessel","berth"],"additionalProperties":false}`,
			output: `{"type":"object","properties":{"booking":{"type":"string"},"night":{"type":"integer"}},"required":["booking","night"]}`,
			run:    o.bookBerth,
		},
		{
			name: "release_berth", title: "Release a berth", about: "Gives up a booking.", hint: destroys,
			input: `{"type":"object","properties":{
				"booking":{"type":"string","description":"Id of the booking, as book_berth gave it.","pattern":"^BK-[0-9]+$"}},
				"required":["booking"],"additionalProperties":false}`,
			output: `{"type":"object","properties":{"released":{"type":"string"}},"required":["released"]}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				if !o.release(a.text("booking")) {
					return refused(ctx, "There is no booking "+a.text("booking")+".", core.Refusal{
						Code: "RESOURCE_NOT_FOUND", Category: core.Permanent, ForUsers: true,
						Suggestion: "List the bookings to find the one that is meant.", Details: map[string]any{"booking": a.text("booking")},
					})
				}
				return structured(map[string]any{"released": a.text("booking")})
			},
		},
	}
}

func (o *office) bookingTools() []tool {
	return []tool{
		{
			name: "list_bookings", title: "Bookings", about: "Lists the latest bookings, of one vessel or of all, and counts them.", hint: reads,
			input: vesselOnly,
			output: `{"type":"object","properties":{"bookings":{"type":"array","items":` + bookingSchema +
				`},"total":{"type":"integer"}},"required":["bookings","total"]}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				latest, total := o.bookings(a.text("vessel"))
				if latest == nil {
					latest = []booking{}
				}
				return structured(map[string]any{"bookings": latest, "total": total})
			},
		},
		{
			name: "count_bookings", title: "Number of bookings",
			about: "Says how many bookings there are, of one vessel or of all. The answer is the bare number.", hint: reads,
			input: vesselOnly,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				_, total := o.bookings(a.text("vessel"))
				return plain(fmt.Sprint(total))
			},
		},
	}
}

func fittingBerth(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
	draught := 2.0
	if _, given := a["draught"]; given {
		draught = a.number("draught")
	}
	var best berth
	for _, b := range berths() {
		if b.Length >= a.number("length") && b.Draught >= draught && (best.ID == "" || b.Length < best.Length) {
			best = b
		}
	}
	if best.ID == "" {
		return failed("No berth is long and deep enough.")
	}
	return structured(best)
}

// bookBerth repeats the id of the booking in a text of its own: at revisions without
// structured content clients can read the id nowhere else.
func (o *office) bookBerth(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
	if !isBerth(a.text("berth")) {
		return failed("There is no such berth.")
	}
	made := o.book(a.text("vessel"), a.text("berth"), max(1, int(a.number("nights"))))
	return structured(map[string]any{"booking": made.ID, "night": made.Night}, mcp.NewTextContent(made.ID))
}
