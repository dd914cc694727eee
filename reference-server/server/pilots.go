package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A pilot is the order of a pilot for a vessel.
type pilot struct {
	vessel string
	firm   bool // the order cannot be cancelled
}

// pilots are the ordered pilots.
type pilots struct {
	mu      sync.Mutex
	ordered numbered[pilot]
}

func (p *pilots) order(ordered pilot) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ordered.add(ordered)
}

func (p *pilots) cancel(id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	ordered, known := p.ordered.byID[id]
	switch {
	case !known:
		return fmt.Errorf("there is no pilot %s", id)
	case ordered.firm:
		return fmt.Errorf("the order of pilot %s is firm", id)
	}
	delete(p.ordered.byID, id)
	return nil
}

func (p *pilots) of(vessel string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, ordered := range p.ordered.byID {
		if ordered.vessel == vessel {
			n++
		}
	}
	return n
}

func (p *pilots) tools() []tool {
	return []tool{
		{
			name: "order_pilot", title: "Order a pilot", about: "Orders a pilot for a vessel. There are none in January.", hint: changes,
			input: `{"type":"object","properties":{
				"vessel":{"type":"string","description":"Name of the vessel.","minLength":1,"maxLength":200},
				"day":{"type":"integer","description":"Day of the year.","minimum":1,"maximum":366},
				"firm":{"type":"boolean","description":"The order cannot be cancelled.","default":false}},
				"required":["vessel","day"],"additionalProperties":false}`,
			output: `{"type":"object","properties":{"pilot":{"type":"string"}},"required":["pilot"]}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				if a.number("day") <= 31 {
					return failed("There are no pilots in January.")
				}
				return structured(map[string]any{"pilot": p.order(pilot{vessel: a.text("vessel"), firm: a.flag("firm")})})
			},
		},
		{
			name: "cancel_pilot", title: "Cancel a pilot", about: "Cancels the order of a pilot, unless it is firm.", hint: destroys,
			input: `{"type":"object","properties":{
				"pilot":{"type":"string","description":"Id of the pilot, as order_pilot gave it.","pattern":"^PL-[0-9]+$"}},
				"required":["pilot"],"additionalProperties":false}`,
			output: `{"type":"object","properties":{"cancelled":{"type":"string"}},"required":["cancelled"]}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				if err := p.cancel(a.text("pilot")); err != nil {
					return failed(err.Error())
				}
				return structured(map[string]any{"cancelled": a.text("pilot")})
			},
		},
		{
			name: "count_pilots", title: "Number of pilots",
			about: "Says how many pilots are ordered for a vessel. The answer is the bare number.", hint: reads,
			input: vesselOnly,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(p.of(a.text("vessel"))))
			},
		},
	}
}
