package errors

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
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
	return code >= protocol.LowestOwn && code <= protocol.HighestOwn && !slices.Contains(defined(), code) ||
		code == protocol.FormerNotFound || code == protocol.FormerURLWanted
}

func defined() []int {
	return []int{protocol.HeaderMismatch, protocol.MissingCapability, protocol.UnsupportedVersion}
}

// onError makes watchers of the JSON-RPC errors that have a record. Spread are the
// properties of a record that stand beside code and message instead of in data.
func onError(judge func(m probe.Message, spread []string) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		if m.Class != frame.Error {
			return probe.Nothing()
		}
		spread := slices.DeleteFunc(slices.Sorted(maps.Keys(probe.ObjectOf(m.Value("/error")))), func(name string) bool {
			return !slices.Contains([]string{"category", "retry_after_seconds", "user_actionable"}, name)
		})
		if len(spread) == 0 && len(tells(m)) == 0 {
			return probe.Nothing()
		}
		return judge(m, spread)
	})
}

// An agreement compares the places in which one failure is told. Over HTTP the head
// of the response comes first, and may say when to try again.
type agreement struct {
	messages probe.Watcher
	waits    map[int]string // Retry-After by exchange
}

func placesAgree() probe.Watcher {
	a := &agreement{waits: map[int]string{}}
	a.messages = probe.OnBinding(a.judge)()
	return a
}

// See keeps what the head of a response says until its message has come.
func (a *agreement) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Kind == frame.KindHead && s.HTTP != nil && s.HTTP.Header.Get("Retry-After") != "" {
		a.waits[s.Exchange] = s.HTTP.Header.Get("Retry-After")
	}
	if s.Kind == frame.KindEnd {
		delete(a.waits, s.Exchange)
	}
	return a.messages.See(s)
}

func (a *agreement) judge(m probe.Message) probe.Opinion {
	all := tells(m)
	if len(all) == 0 {
		return probe.Nothing()
	}
	first, said := all[0], probe.Nothing()
	for _, other := range all[1:] {
		for _, property := range []string{"code", "category", retryAfter} {
			// One that says more than the other is no contradiction.
			if value, too := other.Record[property]; too && first.Record[property] != nil {
				said = said.And(same(name(first, property), probe.Member(first.Record, property), name(other, property), value))
			}
		}
	}
	if seconds, err := strconv.Atoi(a.waits[m.Frame.Exchange]); err == nil {
		said = said.And(sameTime(first, "the header Retry-After", seconds))
	}
	if n, ok := first.Record["retryAfter"].(json.Number); ok {
		said = said.And(sameTime(first, name(first, "retryAfter"), n))
	}
	return said.And(textAgrees(m, first))
}

func same(place string, value any, otherPlace string, other any) probe.Opinion {
	if !probe.Same(value, other) {
		return probe.Breaks("%s is %s and %s is %s, want the same", place, probe.Show(value), otherPlace, probe.Show(other))
	}
	return probe.Kept()
}

// sameTime compares where both say when.
func sameTime(first proposal.Told, place string, value any) probe.Opinion {
	own, ok := first.Record[retryAfter]
	if !ok {
		return probe.Nothing()
	}
	return same(name(first, retryAfter), own, place, value)
}

var codeForm = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+\b`)

// textAgrees looks for a code of the proposal among the words for people. Another
// word for the same cause is no contradiction, and neither is a text that names
// several.
func textAgrees(m probe.Message, first proposal.Told) probe.Opinion {
	code, _ := first.Record["code"].(string)
	if _, listed := causes()[code]; !listed {
		return probe.Nothing()
	}
	text, _ := m.Value("/error/message").(string)
	if content, ok := m.Value("/result/content").([]any); ok && len(content) > 0 {
		text, _ = probe.ObjectOf(content[0])["text"].(string)
	}
	named := slices.DeleteFunc(codeForm.FindAllString(text, -1), func(word string) bool {
		_, listed := causes()[word]
		return !listed
	})
	if len(named) == 0 {
		return probe.Nothing()
	}
	if slices.ContainsFunc(named, func(word string) bool { return synonyms(word, code) }) {
		return probe.Kept()
	}
	return probe.Breaks("the text says %s and %s is %s, want the same", named[0], name(first, "code"), probe.Show(code))
}

// synonyms reports whether two codes are names for one cause.
func synonyms(a, b string) bool {
	if a == b {
		return true
	}
	for _, group := range [][]string{
		{"INVALID_INPUT", "INVALID_PARAMETERS"}, {"SERVER_UNAVAILABLE", "SERVER_ERROR"}, {"OPERATION_TIMEOUT", "TIMEOUT"},
		{"RATE_LIMIT_EXCEEDED", "RATE_LIMITED", "QUOTA_EXHAUSTED"}, {"RESOURCE_NOT_FOUND", "NOT_FOUND"},
		{"TRANSACTION_CONFLICT", "CONFLICT"}, {"AUTHENTICATION_REQUIRED", "AUTH_FAILED"}, {"PERMISSION_DENIED", "SCOPE_INSUFFICIENT"},
	} {
		if slices.Contains(group, a) && slices.Contains(group, b) {
			return true
		}
	}
	return false
}
