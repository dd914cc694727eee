package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/progress"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/streaming"
)

func informingTools() []tool {
	return []tool{
		{
			name: "tide_table", title: "Tide table", about: "Gives the tides of a day.", hint: reads,
			input: `{"type":"object","properties":{
				"day":{"type":"integer","description":"Day of the year.","minimum":1,"maximum":366,"default":1}},
				"additionalProperties":false}`,
			output: `{"type":"object","properties":{"day":{"type":"integer"},"tides":{"type":"array","items":{
				"type":"object","properties":{"time":{"type":"string"},"height":{"type":"number"}},"required":["time","height"]}}},
				"required":["day","tides"]}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				day := max(1, int(a.number("day")))
				return structured(map[string]any{"day": day, "tides": tides(day)})
			},
		},
		{
			name: "tide_heights", title: "Tide heights", about: "Gives the heights of the tides of a day as a plain list.", hint: reads,
			input:  nothing,
			output: `{"type":"array","items":{"type":"number"}}`,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				heights := []float64{}
				for _, t := range tides(1) {
					heights = append(heights, t.Height)
				}
				return structured(heights)
			},
		},
		{
			name: "mooring_fee", title: "Mooring fee", about: "Works out what a stay costs. A discount needs the number of the season card.",
			hint: reads,
			input: `{"type":"object","properties":{
				"length":{"type":"number","exclusiveMinimum":0,"examples":[12.5]},
				"nights":{"type":"integer","minimum":1,"examples":[2]},
				"discount":{"type":"number","minimum":0,"maximum":50},
				"card":{"type":"string","minLength":1}},
				"required":["length","nights"],"dependentRequired":{"discount":["card"]},"additionalProperties":false}`,
			output: `{"type":"object","properties":{"fee":{"type":"number","minimum":0}},"required":["fee"],"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				fee := a.number("length") * a.number("nights") * 2.5 * (1 - a.number("discount")/100)
				return structured(map[string]any{"fee": math.Round(fee*100) / 100})
			},
		},
		{
			name: "office_hours", title: "Office hours", about: "Says when the office is open.", hint: reads,
			input: nothing,
			run: func(context.Context, arguments) (*mcp.CallToolResult, error) {
				return plain("Daily from 8 to 18 o'clock.\nClosed in January.")
			},
		},
		{
			name: "harbour_map", title: "Map of the harbour", about: "Points to the description of a berth.", hint: reads,
			input: `{"type":"object","properties":{"berth":{"type":"string","enum":["A1","B1"],"default":"A1"}},"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				id := a.text("berth")
				if id == "" {
					id = "A1"
				}
				return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewResourceLink("harbour://berths/"+id, "Berth "+id,
					"What is known of the berth.", "application/json")}}, nil
			},
		},
	}
}

func logTools(exports *tally) []tool {
	return []tool{
		{
			name: "export_log", title: "Export the log", about: "Exports the log of the harbour, which takes as long as it is told to.",
			hint: changes,
			input: `{"type":"object","properties":{
				"seconds":{"type":"number","minimum":0,"maximum":60},
				"label":{"type":"string","maxLength":200,"default":"log"}},
				"required":["seconds"],"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) { return exportLog(ctx, a, exports) },
		},
		{
			name: "read_log", title: "Read the log", about: "Reads the entries of a watch, one after the other. The answer is a list of them.",
			hint: reads,
			input: `{"type":"object","properties":{
				"watch":{"type":"string","maxLength":200,"default":"morning"},
				"entries":{"type":"integer","minimum":1,"maximum":100,"default":6}},"additionalProperties":false}`,
			run: readLog,
		},
		{
			name: "count_exports", title: "Number of exports",
			about: "Says how many exports with a label were finished. The answer is the bare number.", hint: reads,
			input: `{"type":"object","properties":{"label":{"type":"string","default":"log"}},"additionalProperties":false}`,
			run: func(_ context.Context, a arguments) (*mcp.CallToolResult, error) {
				return plain(fmt.Sprint(exports.of(label(a))))
			},
		},
	}
}

// exportLog works page by page, reports each page, and has its effect at the end. The
// answer begins as a stream, so that a client can stop it by disconnecting; a
// disconnected client can resume after the last page that it got.
func exportLog(ctx context.Context, a arguments, exports *tally) (*mcp.CallToolResult, error) {
	const pages = 5
	call := core.From(ctx)
	call.Open()
	work := streaming.Of(call)
	done := work.From()
	if done == 0 {
		progress.Report(call, progress.Step{Total: pages, Message: "The log is being read."})
	}
	step := time.Duration(a.number("seconds") * float64(time.Second) / pages)
	for done < pages {
		if err := pause(ctx, step); err != nil {
			return failed("The export was stopped.")
		}
		done++
		checkpoint := work.Part(page(done), done, done == pages)
		progress.Report(call, progress.Step{
			Done: float64(done), Total: pages, Message: fmt.Sprintf("%d of %d pages are written.", done, pages),
			Partial: map[string]any{"pages": done}, Checkpoint: checkpoint,
		})
	}
	exports.add(label(a))
	log := ""
	for n := 1; n <= pages; n++ {
		log += page(n)
	}
	return plain(log)
}

// page is one page of the exported log.
func page(n int) string { return fmt.Sprintf("Page %d: calm sea, %d vessels.\n", n, 3+n*n%7) }

// readLog gives the entries of a watch one by one, fast enough for every client, and
// slowly enough for a client to disconnect in the middle.
func readLog(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
	const beat = time.Millisecond
	last := 6
	if n := int(a.number("entries")); n > 0 {
		last = n
	}
	watch := cmp.Or(a.text("watch"), "morning")
	entries := make([]string, last)
	for n := range entries {
		entries[n] = fmt.Sprintf("%s: vessel %d passed", watch, n+1)
	}
	call := core.From(ctx)
	work := streaming.Of(call)
	for n := work.From(); n < last; n++ {
		if n > 0 && pause(ctx, beat) != nil {
			return failed("The reading was stopped.")
		}
		checkpoint := work.Part(entries[n:n+1], n+1, n+1 == last)
		progress.Report(call, progress.Step{
			Done: float64(n + 1), Total: float64(last), Message: fmt.Sprintf("Entry %d of %d was read.", n+1, last),
			Partial: map[string]any{"entries": n + 1}, Checkpoint: checkpoint,
		})
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	return plain(string(text))
}

func label(a arguments) string {
	if given := a.text("label"); given != "" {
		return given
	}
	return "log"
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type tide struct {
	Time   string  `json:"time"`
	Height float64 `json:"height"`
}

func tides(day int) []tide {
	var all []tide
	for i := range 4 {
		minutes := (i*373 + day*50) % (24 * 60)
		height := 2 + 1.5*math.Cos(float64(i)*math.Pi+float64(day)/15)
		all = append(all, tide{Time: fmt.Sprintf("%02d:%02d", minutes/60, minutes%60), Height: math.Round(height*100) / 100})
	}
	return all
}
