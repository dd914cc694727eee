package errors

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

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
				said = said.And(same(name(first, property), get(first, property), name(other, property), value))
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
		block, _ := content[0].(map[string]any)
		text, _ = block["text"].(string)
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
