package transactions_test

import (
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A role whose steps have wrong arguments, or observers that look elsewhere, is a mistake of
// the file, and nothing is failed for it. A server that refuses calls as steps only is at
// fault, and is failed.
func TestMistakenRole(t *testing.T) {
	t.Parallel()
	const right = "kit-${nonce}"
	pilot := func(arguments, observed object) func(*config.Config) {
		return func(c *config.Config) {
			c.Revisions = config.Revisions{Dates: []string{"2026-07-28"}}
			call := func(tool string, arguments, observed object, observer string) roles.Fields {
				return roles.Fields{"tool": tool, "arguments": arguments, "observe": roles.Fields{
					"tool": observer, "arguments": observed, "mode": "count",
				}}
			}
			*c = c.With(roles.Filled{Name: roles.Transaction, Source: roles.Config, Fields: roles.Fields{"steps": []roles.Fields{
				call("book_berth", object{"vessel": right, "berth": "B2"}, object{"vessel": right}, "count_bookings"),
				call("order_pilot", arguments, observed, "count_pilots"),
			}}})
		}
	}
	good, there := object{"vessel": right, "day": 120}, object{"vessel": right}
	for name, row := range map[string]struct {
		config func(*config.Config)
		server dialects.Translator
		why    string // why cases with steps are skipped
		fails  bool
	}{
		"right":            {config: pilot(good, there)},
		"another argument": {config: pilot(object{"vesel": right, "day": 120}, there), why: "steps[1]: order_pilot refuses the call"},
		"looks elsewhere":  {config: pilot(good, object{"vessel": "other"}), why: "steps[1]: the observer sees no effect of a call of order_pilot"},
		"no step is served": {config: pilot(good, there), fails: true, server: onRequest(func(message, params, meta object) {
			noMethod(message, params, meta)
			if meta["transaction_id"] != nil {
				params["arguments"] = object{}
			}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, skipped, passed := 0, 0, 0
			for _, f := range page().Judge(t, row.server, row.config).Findings {
				switch {
				case f.Status == reports.Skip && row.why != "" && strings.HasPrefix(f.Reason.Text, row.why):
					skipped++
				case f.Status == reports.Skip:
				case f.Status == reports.Pass:
					passed++
				default:
					said++
					if !row.fails {
						t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
					}
				}
			}
			if row.why == "" && !row.fails && passed < 40 {
				t.Errorf("%d cases passed", passed)
			}
			if row.fails != (said > 0) || row.why != "" && skipped < 20 {
				t.Errorf("%d findings, and %d cases are skipped: %s", said, skipped, row.why)
			}
		})
	}
}

// Where the observer of a step sees other calls too, nobody can tell whose effect it shows.
func TestStepsThatShareAnObserver(t *testing.T) {
	t.Parallel()
	told := map[string]string{
		"ext-transactions/parallel-independent": "steps[0] sees the effects of other calls",
		"ext-transactions/step-id-parallel":     "see each other's effect",
	}
	report := page().Judge(t, dialects.Translator{}, func(c *config.Config) {
		c.Revisions, c.Transport = config.Revisions{Dates: []string{"2026-07-28"}}, config.Stdio
		call := roles.Fields{"tool": "book_berth", "arguments": object{"vessel": "Titan", "berth": "B2"}, "observe": roles.Fields{
			"tool": "count_bookings", "arguments": object{"vessel": "Titan"}, "mode": "count",
		}}
		*c = c.With(roles.Filled{Name: roles.Transaction, Source: roles.Config, Fields: roles.Fields{"steps": []roles.Fields{call, call}}})
	})
	for _, f := range report.Findings {
		switch why := told[f.Case]; {
		case f.Status == reports.Fail || f.Status == reports.Warn:
			t.Errorf("%s %s: %s", f.Status, f.Case, f.Problem)
		case why != "" && f.Status == reports.Skip && strings.Contains(f.Reason.Text, why):
			delete(told, f.Case)
		}
	}
	if len(told) > 0 {
		t.Errorf("undecided is not %v", told)
	}
}
