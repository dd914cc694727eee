package server

import (
	"context"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

const maxLamps = 1_000

// lamps are the pier lamps.
type lamps struct {
	mu sync.Mutex
	on []string
}

// set switches a lamp. Beyond a maximum the oldest lamp that is on is forgotten.
func (l *lamps) set(lamp string, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.on, lamp); i >= 0 {
		l.on = slices.Delete(l.on, i, i+1)
	}
	if on {
		l.on = append(l.on, lamp)
	}
	if len(l.on) > maxLamps {
		l.on = l.on[1:]
	}
}

func (l *lamps) isOn(lamp string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.on, lamp)
}

func (l *lamps) tools() []tool {
	return []tool{
		{
			name: "switch_lamp", title: "Switch a lamp", about: "Switches a pier lamp on or off.", hint: settles,
			input: `{"type":"object","properties":{"lamp":{"type":"string","minLength":1,"maxLength":100},"on":{"type":"boolean"}},
				"required":["lamp","on"],"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				l.set(a.text("lamp"), a.flag("on"))
				return plain("The lamp was switched.")
			},
		},
		{
			name: "lamp_state", title: "State of a lamp", about: "Says whether a pier lamp is on.", hint: reads,
			input: `{"type":"object","properties":{"lamp":{"type":"string"}},"required":["lamp"],"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				if l.isOn(a.text("lamp")) {
					return plain("on")
				}
				return plain("off")
			},
		},
	}
}
