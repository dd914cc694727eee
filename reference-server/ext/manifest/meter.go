package manifest

import (
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// tooMany is the error code of requests beyond the allowance: the server's own,
// outside the range of JSON-RPC and the protocol.
const tooMany = 1000

// A meter counts the requests of a day, so that the limits in the manifest are real.
type meter struct {
	now   func() time.Time
	daily int

	mu     sync.Mutex
	served int
	ends   time.Time // end of the current day
}

// serve serves a request while the day's allowance lasts.
func (m *meter) serve(t *core.Turn, next func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	m.mu.Lock()
	m.turn()
	m.served++
	over, wait := m.served > m.daily, m.ends.Sub(m.now())
	m.mu.Unlock()
	if over {
		return nil, t.RefuseError(tooMany, "the requests of this day are used up",
			core.Refusal{Code: "RATE_LIMIT_EXCEEDED", Category: core.RateLimited, RetryAfter: wait})
	}
	return next()
}

// turn begins another day after the end of one.
func (m *meter) turn() {
	now := m.now().UTC()
	if now.Before(m.ends) {
		return
	}
	m.served, m.ends = 0, now.Truncate(24*time.Hour).Add(24*time.Hour)
}

func (m *meter) limits() map[string]any {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	return map[string]any{
		"requests_per_day": m.daily, "remaining": max(0, m.daily-m.served), "resets_at": m.ends.Format(time.RFC3339),
	}
}
