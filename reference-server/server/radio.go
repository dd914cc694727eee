package server

import (
	"context"
	"sync"
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

// stations are the stations that were asked for their weather.
type stations struct {
	now   func() time.Time
	mu    sync.Mutex
	asked map[string]window
	order []string // names of asked stations, the oldest first
}

// tools are those that call others by radio, so their calls fail now and then.
func (s *stations) tools() []tool {
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
				if wait := s.ask(a.text("station")); wait > 0 {
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
func (s *stations) ask(station string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	w, known := s.asked[station]
	if !known {
		s.order = append(s.order, station)
	}
	if len(s.order) > maxStations {
		delete(s.asked, s.order[0])
		s.order = s.order[1:]
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
	s.asked[station] = w
	return max(0, w.rests.Sub(now))
}
