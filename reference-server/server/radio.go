package server

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
)

// The limits for questions about a station's weather: how many questions the station
// answers in a row, how long it rests after one more, and when it forgets the
// questions. They are so far apart that a slow machine does not change the answers.
const (
	reportsInARow = 3
	reportRest    = time.Second
	reportMemory  = time.Minute
	maxStations   = 1_000
)

// A window says how often a station was asked in a row, when it was last asked, and
// until when it rests.
type window struct {
	asked       int
	last, rests time.Time
}

// radioTools call others by radio, so their calls fail now and then.
func (o *office) radioTools() []tool {
	return []tool{
		{
			name: "pilot_boat", title: "Pilot boat", about: "Asks the pilot boat by radio where it is. Channel 16 is always busy.", hint: reads,
			input: `{"type":"object","properties":{"channel":{"type":"integer","minimum":1,"maximum":88,"default":12}},
				"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				if a.number("channel") == 16 {
					return refused(ctx, "The channel is busy; try again in a second.", core.Refusal{
						Code: "SERVER_UNAVAILABLE", Category: core.Transient, RetryAfter: time.Second,
						Suggestion: "Try again, or use another channel.",
					})
				}
				return plain("The pilot boat lies at the mole.")
			},
		},
		{
			name: "weather_report", title: "Weather report", hint: changes,
			about: "Asks a station by radio for its weather. A station answers three times in a row, then it rests for a second.",
			input: `{"type":"object","properties":{"station":{"type":"string","minLength":1,"maxLength":100}},"required":["station"],
				"additionalProperties":false}`,
			run: func(ctx context.Context, a arguments) (*mcp.CallToolResult, error) {
				if wait := o.ask(a.text("station")); wait > 0 {
					return refused(ctx, "The station was asked too often; try again in a second.", core.Refusal{
						Code: "RATE_LIMIT_EXCEEDED", Category: core.RateLimited, RetryAfter: wait, ForUsers: true,
						Message: "The station was asked more than three times in a row.", Suggestion: "Wait a second, or ask another station.",
					})
				}
				return plain("Wind from south-west, 4 Beaufort.")
			},
		},
	}
}

// ask counts a question to a station and returns the time to wait if the question is
// one too many.
func (o *office) ask(station string) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	w, known := o.stations[station]
	if !known {
		o.calls = append(o.calls, station)
	}
	if len(o.calls) > maxStations {
		delete(o.stations, o.calls[0])
		o.calls = o.calls[1:]
	}
	if now.Sub(w.last) >= reportMemory || !w.rests.IsZero() && !now.Before(w.rests) {
		w = window{}
	}
	w.last = now
	if w.asked < reportsInARow {
		w.asked++
	} else if w.rests.IsZero() {
		w.rests = now.Add(reportRest)
	}
	o.stations[station] = w
	return max(0, w.rests.Sub(now))
}
