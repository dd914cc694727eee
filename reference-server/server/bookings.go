package server

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// A booking gives a vessel some nights at a berth.
type booking struct {
	ID     string `json:"id"`
	Vessel string `json:"vessel"`
	Berth  string `json:"berth"`
	Night  int    `json:"night"` // counted from the opening of the office
	Nights int    `json:"nights"`
}

// bookings are the kept bookings of all vessels.
type bookings struct {
	mu       sync.Mutex
	issued   int                  // number of bookings made
	free     map[string]int       // by berth: the first free night
	order    []string             // ids of the kept bookings, the oldest first
	byID     map[string]booking   //
	byVessel map[string][]booking // the oldest first
}

// book gives a vessel the first free nights at a berth, so that there is always room.
func (b *bookings) book(vessel, berth string, nights int) booking {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.issued++
	made := booking{ID: fmt.Sprintf("BK-%d", b.issued), Vessel: vessel, Berth: berth, Night: b.free[berth] + 1, Nights: nights}
	b.free[berth] += nights
	b.byID[made.ID] = made
	b.byVessel[vessel] = append(b.byVessel[vessel], made)
	b.order = append(b.order, made.ID)
	if len(b.order) > maxKept {
		b.drop(b.order[0])
	}
	return made
}

func (b *bookings) release(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.drop(id)
}

func (b *bookings) drop(id string) bool {
	gone, known := b.byID[id]
	if !known {
		return false
	}
	delete(b.byID, id)
	kept := slices.DeleteFunc(b.byVessel[gone.Vessel], func(one booking) bool { return one.ID == id })
	if len(kept) == 0 {
		delete(b.byVessel, gone.Vessel)
	} else {
		b.byVessel[gone.Vessel] = kept
	}
	if i := slices.Index(b.order, id); i >= 0 {
		b.order = slices.Delete(b.order, i, i+1)
	}
	return true
}

// latest lists and counts the bookings of a vessel, or the latest bookings of all
// vessels.
func (b *bookings) latest(vessel string) ([]booking, int) {
	const most = 50
	b.mu.Lock()
	defer b.mu.Unlock()
	if vessel != "" {
		of := b.byVessel[vessel]
		return slices.Clone(of[max(len(of)-most, 0):]), len(of)
	}
	var latest []booking
	for _, id := range b.order[max(len(b.order)-most, 0):] {
		latest = append(latest, b.byID[id])
	}
	return latest, len(b.order)
}

const (
	bookingSchema = `{"type":"object","properties":{
		"id":{"type":"string"},"vessel":{"type":"string"},"berth":{"type":"string"},
		"night":{"type":"integer"},"nights":{"type":"integer"}},
		"required":["id","vessel","berth","night","nights"]}`
	vesselOnly = `{"type":"object","properties":{
		"vessel":{"type":"string","description":"Name of the vessel.","maxLength":200}},
		"additionalProperties":false}`
)

func (b *bookings) tools() []tool {
	return []tool{
		{
			name: "book_berth", title: "Book a berth", about: "Books the next free nights at a berth for a vessel.", hint: changes,
			input: `{"type":"object","properties":{
				"vessel":{"type":"string","description":"Name of the vessel.","minLength":1,"maxLength":200},
				"berth":{"type":"string","description":"Which berth.","enum":["A1","A2","A3","A4","A5","A6","B1","B2","B3","B4","B5","B6"]},
				"nights":{"type":"integer","minimum":1,"maximum":30,"default":1}},
				"required":["vessel","berth"],"additionalProperties":false}`,
			output: `{"type":"object","properties":{"booking":{"type":"string"},"night":{"type":"integer"}},"required":["booking","night"]}`,
			run:    b.bookBerth,
		},
		{
			name: "release_berth", title: "Release a berth", about: "Gives up a booking.", hint: destroys,
			input: `{"type":"object","properties":{
				"booking":{"type":"string","description":"Id of the booking, as book_berth gave it.","pattern":"^BK-[0-9]+$"}},
				"required":["booking"],"additionalProperties":false}`,
			output: `{"type":"object","properties":{"released":{"type":"string"}},"required":["released"]}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				if !b.release(a.text("booking")) {
					return refused(ctx, "There is no booking "+a.text("booking")+".", core.Refusal{
						Code: "RESOURCE_NOT_FOUND", Category: core.Permanent, ForUsers: true,
						Suggestion: "List the bookings to find the one that is meant.", Details: map[string]any{"booking": a.text("booking")},
					})
				}
				return structured(map[string]any{"released": a.text("booking")})
			},
		},
		{
			name: "list_bookings", title: "Bookings", about: "Lists the latest bookings, of one vessel or of all, and counts them.", hint: reads,
			input: vesselOnly,
			output: `{"type":"object","properties":{"bookings":{"type":"array","items":` + bookingSchema +
				`},"total":{"type":"integer"}},"required":["bookings","total"]}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				latest, total := b.latest(a.text("vessel"))
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
				_, total := b.latest(a.text("vessel"))
				return plain(fmt.Sprint(total))
			},
		},
	}
}

// bookBerth repeats the id of the booking in a text of its own: at revisions without
// structured content clients can read the id nowhere else.
func (b *bookings) bookBerth(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
	if !isBerth(a.text("berth")) {
		return failed("There is no such berth.")
	}
	made := b.book(a.text("vessel"), a.text("berth"), max(1, int(a.number("nights"))))
	if made.Nights > longestStay {
		return partlyBooked(ctx, made)
	}
	return structured(map[string]any{"booking": made.ID, "night": made.Night}, mcp.NewTextContent(made.ID))
}

// longestStay is how many nights the customs office does not ask about.
const longestStay = 28

// partlyBooked answers a booking that was made while something that belongs to it failed.
func partlyBooked(ctx context.Context, made booking) (*mcp.CallToolResult, error) {
	result, err := refused(ctx, "Booked as "+made.ID+", but the customs office does not answer.", core.Refusal{
		Code: "UPSTREAM_ERROR", Category: core.Permanent, ForUsers: true,
		Suggestion: "Call the customs office about the long stay.", Details: map[string]any{"booking": made.ID},
	})
	if result != nil {
		result.Content = append(result.Content, mcp.NewTextContent(made.ID))
	}
	return result, err
}
