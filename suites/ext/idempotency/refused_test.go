package idempotency_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	reference "github.com/mcp-conform/mcp-conform/reference-server/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/idempotency"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A key may be rejected after a bad call: where the tool error is a stored result, and
// where the server has had enough of calls, whatever their keys.
func TestAGoodCallAfterABadOne(t *testing.T) {
	t.Parallel()
	const id = "ext-idempotency/after-failure"
	for name, row := range map[string]struct {
		fault *fault.Fault
		want  reports.Status
		told  string
	}{
		"runs":                      {nil, reports.Pass, ""},
		"is a conflict":             {&fault.Fault{Ext: reference.Switches{BlockRefused: true}}, reports.Warn, "IDEMPOTENCY_CONFLICT"},
		"meets a stored tool error": {&fault.Fault{Inbound: storing(), List: anyArguments}, reports.Skip, "stored like the result of one that ran"},
		"meets a stored rejection":  {&fault.Fault{Inbound: storing()}, reports.Warn, "do not fit the inputSchema of book_berth"},
		"is one call too many":      {&fault.Fault{Inbound: closing()}, reports.Skip, "rejected under a fresh key too"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := proof.Config(t)
			cfg.Revisions.Dates, cfg.Transport = []string{string(requirements.R20251125)}, config.Stdio
			report := proof.Judged(t, plan.Plan{
				Config: cfg, Local: inprocess.Server(row.fault), Suites: []suite.Suite{idempotency.Suite()},
				Selected: func(_ suite.Suite, c suite.Case) bool { return c.ID == id },
			})
			at := slices.IndexFunc(report.Findings, func(f reports.Finding) bool { return f.Case == id })
			if at < 0 {
				t.Fatal("nothing was judged")
			}
			f := report.Findings[at]
			if told := fmt.Sprint(f.Problem, f.Reason); f.Status != row.want || !strings.Contains(told, row.told) {
				t.Errorf("%s %s, want %s with %q", f.Status, told, row.want, row.told)
			}
		})
	}
}

// anyArguments is a list of tools that leave it to themselves which arguments are good.
func anyArguments(_ fault.Exchange, tools []fault.Message) []fault.Message {
	for _, tool := range tools {
		tool["inputSchema"] = map[string]any{"type": "object"}
	}
	return tools
}

// bookingOf is the key of a booking, and whether its berth makes it a bad one.
func bookingOf(x fault.Exchange) (key string, bad, ok bool) {
	meta, _ := x.Param("_meta").(map[string]any)
	arguments, _ := x.Param("arguments").(map[string]any)
	key, ok = meta["idempotency_key"].(string)
	_, good := arguments["berth"].(string)
	return key, !good, ok && x.Tool() == "book_berth"
}

// storing checks arguments inside of the tool, and stores what comes of it.
func storing() func(fault.Exchange) fault.Verdict {
	var mu sync.Mutex
	stored := map[string]bool{}
	return func(x fault.Exchange) fault.Verdict {
		key, bad, ok := bookingOf(x)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case !ok, !bad && !stored[key]:
			return fault.Verdict{}
		case !bad:
			return fault.Refuse(x, -32602, "the key was used for another call")
		}
		replay := stored[key]
		stored[key] = true
		return fault.Verdict{Instead: true, Answer: []fault.Message{x.Answer(map[string]any{
			"content": []any{map[string]any{"type": "text", "text": "There is no such berth."}}, "isError": true,
			"_meta": map[string]any{"idempotency_key": key, "was_replay": replay},
		})}}
	}
}

// closing takes no bookings any more after a bad one.
func closing() func(fault.Exchange) fault.Verdict {
	var closed atomic.Bool
	return func(x fault.Exchange) fault.Verdict {
		_, bad, ok := bookingOf(x)
		switch {
		case ok && bad:
			closed.Store(true)
		case ok && closed.Load():
			return fault.Refuse(x, -32602, "you have called too often")
		}
		return fault.Verdict{}
	}
}
