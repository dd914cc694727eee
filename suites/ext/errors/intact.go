package errors

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func intact() []suite.Case {
	// That error.message is a string is judged by jsonrpc/error-shape, for all errors.
	checks := []requirements.ID{"ext-error-numeric-code-kept"}
	return []suite.Case{
		{
			ID:     "ext-structured-errors/error-code-integer",
			Title:  "error.code stays an integer beside a record",
			Checks: checks,
			Fix:    "keep the number of JSON-RPC in error.code, and put the word into data.code",
			Sees:   "a JSON-RPC error with a record",
			Watch: onError(func(m probe.Message, _ []string) probe.Opinion {
				n, _ := m.Value("/error/code").(json.Number)
				if f, err := n.Float64(); err != nil || f != math.Trunc(f) {
					return probe.Breaks("%s is %s, want an integer", m.Where("/error/code"), probe.Show(m.Value("/error/code")))
				}
				return probe.Kept()
			}),
		},
		{
			ID:     "ext-structured-errors/record-in-data",
			Title:  "the record of a JSON-RPC error stands in its data",
			Checks: checks,
			Fix:    "put the whole record into error.data, and nothing but code, message and data into error",
			Sees:   "a JSON-RPC error with a record",
			Watch: onError(func(m probe.Message, spread []string) probe.Opinion {
				if len(spread) > 0 {
					return probe.Breaks("%s is present, want it in error.data", m.Where("/error/"+spread[0]))
				}
				return probe.Kept()
			}),
		},
		{
			ID:        "ext-structured-errors/error-code-range",
			Title:     "error.code is not one that the protocol keeps for itself",
			Checks:    checks,
			Revisions: []requirements.Revision{requirements.R20260728},
			Fix:       "use -32602 for bad params and unknown handles, and numbers outside of -32768 to -32000 for failures of your own",
			Sees:      "a JSON-RPC error with a record",
			Watch: onError(func(m probe.Message, _ []string) probe.Opinion {
				n, _ := m.Value("/error/code").(json.Number)
				code, ok := frame.Integer(n.String())
				switch {
				case !ok:
					return probe.Nothing() // error-code-integer judges that
				case kept(code):
					return probe.Breaks("%s is %d, want a code that the protocol defines or leaves free", m.Where("/error/code"), code)
				}
				return probe.Kept()
			}),
		},
		{
			ID:     "ext-structured-errors/places-agree",
			Title:  "a failure that is told in several places is told alike",
			Checks: []requirements.ID{"ext-error-places-agree"},
			Fix:    "write code, category and time from one value into every place",
			Sees:   "a failure that is told in several places",
			Watch:  placesAgree,
		},
	}
}

// kept reports whether a code is one that the protocol keeps without having given
// it a meaning, or that it has given up.
func kept(code int) bool {
	defined := []int{protocol.HeaderMismatch, protocol.MissingCapability, protocol.UnsupportedVersion}
	return code >= -32099 && code <= -32020 && !slices.Contains(defined, code) || code == -32002 || code == -32042
}

// onError makes watchers of the JSON-RPC errors that have a record. Spread are the
// properties of a record that stand beside code and message instead of in data.
func onError(judge func(m probe.Message, spread []string) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if m.Class != frame.Error {
			return probe.Nothing()
		}
		object, _ := m.Value("/error").(map[string]any)
		spread := slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(name string) bool {
			return !slices.Contains([]string{"category", "retry_after_seconds", "user_actionable"}, name)
		})
		if len(spread) == 0 && len(tells(m)) == 0 {
			return probe.Nothing()
		}
		return judge(m, spread)
	})
}
