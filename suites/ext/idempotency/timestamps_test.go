package idempotency_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	reference "github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A moment may be told with more or less precision, in any zone, by another clock than
// that of the first answer, or by replays alone.
func TestMomentsThatAreToldInOtherWords(t *testing.T) {
	t.Parallel()
	seconds := func(at time.Time, _ bool) any { return at.Truncate(time.Second).Format(time.RFC3339) }
	for name, told := range map[string]func(at time.Time, replay bool) any{
		"in whole seconds": seconds,
		"in whole seconds, by replays alone": func(at time.Time, replay bool) any {
			if !replay {
				return nil
			}
			return seconds(at, true)
		},
		"in another zone on replays": func(at time.Time, replay bool) any {
			if !replay {
				return at.Format(time.RFC3339Nano)
			}
			return at.In(time.FixedZone("", 5*60*60+45*60)).Format(time.RFC3339Nano)
		},
		"by a clock that is late": func(at time.Time, _ bool) any { return at.Add(-4 * time.Second).Format(time.RFC3339Nano) },
		"on replays by the clock of another machine, and rounded up": func(at time.Time, replay bool) any {
			if replay {
				at = at.Add(1400 * time.Millisecond)
			}
			return at.Format(time.RFC3339Nano)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := proof.Judged(t, plan.Plan{
				Config: proof.Config(t), Local: inprocess.Server(&fault.Fault{Reply: fault.OnResult("tools/call", restamp(told))}),
				Suites: []suite.Suite{idempotency.Suite()},
				Selected: func(_ suite.Suite, c suite.Case) bool {
					return strings.HasPrefix(c.ID, "ext-idempotency/original-timestamp")
				},
			})
			for _, f := range report.Findings {
				if f.Status != reports.Pass {
					t.Errorf("%s over %s: %s %s %+v", f.Case, f.Transport, f.Status, f.Problem, f.Reason)
				}
			}
		})
	}
}

// restamp tells the moment of the first call in another way; nil leaves it out.
func restamp(told func(at time.Time, replay bool) any) func(fault.Message) {
	return func(result fault.Message) {
		meta := result.Object("_meta")
		for _, start := range []string{"", dialects.Prefix} {
			text, _ := meta[start+"original_timestamp"].(string)
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				continue
			}
			delete(meta, start+"original_timestamp")
			if value := told(at, meta[start+"was_replay"] == true); value != nil {
				meta[start+"original_timestamp"] = value
			}
		}
	}
}

// A call that works only once leaves no other moment to compare with. What the one says is
// judged all the same.
func TestMomentOfACallThatWorksOnce(t *testing.T) {
	t.Parallel()
	for want, future := range map[reports.Status]bool{reports.Pass: false, reports.Fail: true} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			const id = "ext-idempotency/original-timestamp-moment"
			report := proof.Judged(t, plan.Plan{
				Config: proof.Config(t), Suites: []suite.Suite{idempotency.Suite()},
				Local:    inprocess.Server(&fault.Fault{Ext: reference.Switches{FutureTimestamp: future}, Inbound: once()}),
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
			})
			for _, f := range report.Findings {
				if f.Case == id && f.Status != want {
					t.Errorf("%s over %s: %s %s %+v", f.Case, f.Transport, f.Status, f.Problem, f.Reason)
				}
			}
		})
	}
}

// once takes one booking with the same arguments under one key, and no other.
func once() func(fault.Exchange) fault.Verdict {
	var mu sync.Mutex
	booked := map[string]string{}
	return func(x fault.Exchange) fault.Verdict {
		key, _, ok := bookingOf(x)
		if !ok {
			return fault.Verdict{}
		}
		mu.Lock()
		defer mu.Unlock()
		what := fmt.Sprint(x.Param("arguments"))
		if first, taken := booked[what]; taken && first != key {
			return fault.Refuse(x, -32602, "this is booked already")
		}
		booked[what] = key
		return fault.Verdict{}
	}
}
