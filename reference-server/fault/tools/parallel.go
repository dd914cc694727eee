package tools

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// parallel are faults of calls of one tool that are made at the same time.
func parallel() []fault.Fault {
	last := func(all []string, _ int) string { return all[len(all)-1] }
	first := func(all []string, _ int) string { return all[0] }
	next := func(all []string, own int) string { return all[(own+1)%len(all)] }
	return []fault.Fault{{Breaks: "jsonrpc-response-id-echo", Kills: []string{"tools/parallel-arguments"}, Each: []fault.Fault{
		{
			Name: "tools-parallel-last-wins", Title: "calls of a tool at the same time all get the result for the last arguments",
			Domain: planner(last),
		},
		{
			Name: "tools-parallel-first-wins", Title: "calls of a tool at the same time all get the result for the first arguments",
			Domain: planner(first),
		},
		{
			Name: "tools-parallel-swapped", Title: "of two calls of a tool at the same time each gets the result for the arguments of the other",
			Domain: planner(next),
		},
	}}}
}

// inARow are results of a tool that are right for the examples of its schema, where another tool
// was called before: most cases see no other ones.
func inARow() []fault.Fault {
	kills := []string{"tools/varied-structured-content"}
	again := fault.When(func(x fault.Exchange) bool {
		arguments, _ := x.Param("arguments").(map[string]any)
		usual := arguments["length"] == 14.0 && len(arguments) == 1
		return x.Tool() == "find_berth" && (!usual || lastCalled(x) == x.Tool())
	})
	return []fault.Fault{{
		Name: "tools-structured-missing-in-a-row", Title: "structured content is missing with unusual arguments, and once these were sent",
		Breaks: "tools-structured-content-present", Kills: kills, Reply: again.Drop("/result/structuredContent"),
	}, {
		Name:   "tools-structured-null-in-a-row",
		Title:  "the length in structured content is null with unusual arguments, and once these were sent",
		Breaks: "tools-structured-content-conforms", Kills: kills, Silent: []string{"tools/varied-structured-text"},
		Reply: again.Set("/result/structuredContent/length", nil),
	}, {
		Name:   "tools-structured-stale-in-a-row",
		Title:  "structured content and its text differ with unusual arguments, and once these were sent",
		Breaks: "tools-structured-content-text-copy", Kills: []string{"tools/varied-structured-text"},
		Reply: again.Set("/result/structuredContent/length", 12345),
	}}
}

// lastCalled is the tool of the latest call on the conversation.
func lastCalled(x fault.Exchange) string {
	for _, a := range slices.Backward(x.Past) {
		if a.Method == "tools/call" {
			return fault.Exchange{Method: a.Method, Params: a.Params}.Tool()
		}
	}
	return ""
}

// planner adds a tool that keeps the arguments of all calls at work in one place, and takes those
// that which says.
func planner(which func(all []string, own int) string) func(fault.Registry) {
	return func(r fault.Registry) {
		var open openCalls
		r.AddTool(fault.Message{
			"name": "a_plan_of_berths", "description": "Tells which ships lie where on a day.",
			"annotations": map[string]any{"readOnlyHint": true},
			"inputSchema": fault.Message{"type": "object", "properties": fault.Message{
				"day": fault.Message{"type": "integer", "minimum": 1, "maximum": 366},
			}},
		}, func(arguments map[string]any) string {
			own, met := open.begin(fmt.Sprint(arguments["day"]))
			select { // another call may come, on a busy machine late
			case <-met:
			case <-time.After(100 * time.Millisecond):
			}
			return "Berths on day " + open.end(own, which)
		})
	}
}

// openCalls are the days of the calls that are at work.
type openCalls struct {
	mu   sync.Mutex
	days []string // since no call was at work
	busy int
	met  chan struct{} // closed when a second call begins
}

func (o *openCalls) begin(day string) (own int, met <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy++
	switch o.days = append(o.days, day); len(o.days) {
	case 1:
		o.met = make(chan struct{})
	case 2:
		close(o.met)
	}
	return len(o.days) - 1, o.met
}

func (o *openCalls) end(own int, which func(all []string, own int) string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := slices.Clone(o.days)
	if o.busy--; o.busy == 0 {
		o.days = nil
	}
	return which(all, own)
}
