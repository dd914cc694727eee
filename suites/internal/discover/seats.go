package discover

import (
	"runtime"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Seats says how many of most cases should run at once, by what their connections cost. Over
// stdio each has a process: where its start keeps a core busy and answers come at once, more
// processes take longer than they save. Waiting for answers needs no core.
func (f *Found) Seats(most int, surveys []*probe.Survey) int {
	const few, some, dear, slow = 3, 6, 100 * time.Millisecond, 1500 * time.Millisecond
	if f.look.Transport != requirements.Stdio || f.Started >= slow {
		return most
	}
	var answer time.Duration
	for _, s := range surveys {
		answer = max(answer, s.RoundTrip)
	}
	if f.Started >= dear && answer < f.Started/10 {
		return min(most, max(few, runtime.NumCPU()))
	}
	return min(most, max(some, runtime.NumCPU()))
}

// Lead is how long quick cases go first at most: ten times as long as a process takes to start.
// Each case that lets time pass starts one, and the server may leave the quick cases waiting.
func Lead(start time.Duration) time.Duration {
	const starts, most = 10, 3 * time.Second
	return min(starts*start, most)
}
