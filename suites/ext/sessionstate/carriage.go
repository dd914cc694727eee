package sessionstate

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func checks(rule requirements.ID) []requirements.ID { return []requirements.ID{rule} }

func carriage() []suite.Case {
	return []suite.Case{
		stateful("continues", "a call with a token continues where the call before stopped", "ext-state-carried",
			"read _meta.session_state and work on with the state that it holds, not with the latest one", continues, expecting()),
		stateful("fresh-without-token", "a call without a token does not continue", "ext-state-carried",
			"take the state from the token of the call, and from nowhere else", freshWithout, expecting()),
		stateful("token-optional", "a call without a token is not rejected for that", "ext-state-optional",
			"begin a new session where session_state is missing", optional),
		bench.Case("ext-session-state/plain-call", "a tool without state takes calls without a token", "ext-state-optional",
			"ask for session_state in no call", plainCall, suite.Role(roles.ReadOnlyTool)),
	}
}

// expected is what the second call answers with the token of the first.
func (x *carrier) expected() any {
	want, known := x.role.Fields().Any("expect")
	if !known {
		x.Unfilled(roles.SessionState, "roles.session-state does not say what the second call answers: expect is missing")
	}
	return want
}

// continues has another session go further meanwhile: the token of the first one leads to
// the state of its own.
func continues(x *carrier) error {
	want, token := x.expected(), x.take()
	if other, ok := x.token(x.call("first", nil)); ok {
		x.call("first", other)
	}
	reply := x.call("second", token)
	if !proposal.Done(reply) {
		return x.Said.Violation("%s, want a result", reply.AnswerTo("the second call with the token of the first"))
	}
	if got := answer(reply); !fits(got, want) {
		return x.Said.Violation("with the token of the first call the second answers %s, want %s", probe.Show(got), probe.Show(want))
	}
	return nil
}

func freshWithout(x *carrier) error {
	want := x.expected()
	x.take()
	reply := x.call("second", nil)
	fresh, known := x.role.Fields().Any("expect-fresh")
	got := answer(reply)
	switch {
	case proposal.Declined(reply), known && fits(got, fresh):
		return nil
	case !proposal.Done(reply):
		return x.Said.Violation("%s, want a result or a refusal", reply.AnswerTo("the second call without a token"))
	case fits(got, want) && known:
		return x.Said.Violation("without a token the second call answers %s as with one, want %s", probe.Show(got), probe.Show(fresh))
	case fits(got, want):
		return x.Said.Violation("without a token the second call answers %s as with one", probe.Show(got)).AtMostWarn()
	case known && contains(got, want):
		return x.Said.Violation("without a token the second call answers %s, which holds the %s of the first call, want %s",
			probe.Show(got), probe.Show(want), probe.Show(fresh)).AtMostWarn()
	case known:
		x.Undecide("without a token the second call answers " + probe.Show(got) + ", and roles.session-state expects " + probe.Show(fresh))
	}
	return nil
}

// contains reports whether the words of one text stand in the other, one behind the other.
func contains(got, want any) bool {
	words := func(v any) string { return " " + strings.Join(strings.Fields(probe.TextOf(within(v))), " ") + " " }
	return words(want) != "  " && strings.Contains(words(got), words(want))
}

func optional(x *carrier) error {
	for _, field := range []string{"first", "second"} {
		reply := x.call(field, nil)
		if proposal.Done(reply) || field != "first" {
			continue
		}
		if saysState(reply) {
			return reply.Violation("%s, want a result for a call that begins", reply.AnswerTo("the first call, without a token"))
		}
		x.Undecide("the first call without a token is refused, and nothing says that the token is missing: " + reply.Outcome())
	}
	return nil
}

func plainCall(c *probe.Client) error {
	reply := c.CallTool(c.Role(roles.ReadOnlyTool).Call(), nil)
	c.Require(reply.WantAnswer(), "the call of roles.read-only-tool had no answer: "+reply.Outcome())
	if !proposal.Done(reply) && saysState(reply) {
		return reply.Violation("%s, want a result for a call without a token", reply.AnswerTo("the call of roles.read-only-tool"))
	}
	c.UndecideIf(!proposal.Done(reply), "the call of roles.read-only-tool is refused, and nothing says that the token is missing: "+
		reply.Outcome())
	return nil
}

// altered changes one character in the middle: a letter to a digit and a digit to a letter.
func altered(token string) (string, bool) {
	for offset := range len(token) {
		i := (len(token)/2 + offset) % len(token)
		switch c := token[i]; {
		case c >= '0' && c <= '9':
			return token[:i] + "q" + token[i+1:], true
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			return token[:i] + "7" + token[i+1:], true
		}
	}
	return "", false
}

// rewritten is a token of which the strings and numbers have changed, where it is base64
// of a JSON object; ok is false for other tokens.
func rewritten(token string) (string, bool) {
	for _, encoding := range encodings() {
		raw, err := encoding.DecodeString(token)
		var held map[string]any
		if err != nil || json.Unmarshal(raw, &held) != nil || len(held) == 0 {
			continue
		}
		text, err := json.Marshal(changed(held))
		return encoding.EncodeToString(text), err == nil && string(text) != string(raw)
	}
	return "", false
}

func encodings() []*base64.Encoding {
	return []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}
}

// retold is a token in which a text of an answer is another one, where the token, or a part
// of it between dots, is base64 of something that holds this text.
func retold(token string, told any) (string, bool) {
	const telling = 3 // bytes of a text that does not stand there by chance
	parts := strings.Split(token, ".")
	for i, part := range parts {
		for _, encoding := range encodings() {
			raw, err := encoding.DecodeString(part)
			if err != nil {
				continue
			}
			for _, text := range probe.Texts(told) {
				other, ok := altered(text)
				if !ok || len(text) < telling || !strings.Contains(string(raw), text) {
					continue
				}
				parts[i] = encoding.EncodeToString([]byte(strings.ReplaceAll(string(raw), text, other)))
				return strings.Join(parts, "."), true
			}
		}
	}
	return "", false
}

// changed is a value with other strings and numbers. What names or dates a session stays:
// that is looked up.
func changed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		other := map[string]any{}
		for name, value := range v {
			other[name] = changed(value)
		}
		return other
	case []any:
		other := make([]any, len(v))
		for i, value := range v {
			other[i] = changed(value)
		}
		return other
	case string:
		if _, dated := proposal.Moment(v); dated {
			return v
		}
		return v + " kit"
	case float64:
		return v + 1
	default:
		return v
	}
}
