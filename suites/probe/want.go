package probe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/mcp-conform/mcp-conform/internal/excerpt"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// WantAnswer expects a JSON-RPC response, a result or an error. Some revisions
// only recommend an answer on a stream that was opened for it.
func (r *Reply) WantAnswer() error {
	if r.Answered() && !r.hollow() {
		return nil
	}
	v := r.Violation("%s, want a result or an error", r.AnswerTo(r.name()))
	if r.streamEnded() && protocol.EmptyStream().At(r.client.Revision()) {
		return v.AtMostWarn()
	}
	return v
}

// OrMute tests a server that left the most harmless request without an answer:
// it marks the violation where the server leaves every request so. Other cases
// judge a server that merely does not know this request.
func (c *Client) OrMute(r *Reply, err error) error {
	v, broken := errors.AsType[*Violation](err)
	if !r.Silent() || !broken {
		return err
	}
	other := c.Call("no/such_method", nil, Within(c.Waits().Answer/4))
	v.mute = other.Silent()
	return err
}

// WantResult expects a result that is an object.
func (r *Reply) WantResult() error {
	if r.got == nil || r.Message().Class != frame.Result {
		return r.Violation("%s, want a result", r.AnswerTo(r.name()))
	}
	if _, ok := r.Result(); !ok {
		return r.Violation("$.result is %s, want an object", clip(r.got.Hide(JSON(member(r.Message(), "/result"))))).
			Unless(r.NotObject())
	}
	return nil
}

// NotObject tells what judges a result that is not an object; its case is empty for any other
// answer.
func (r *Reply) NotObject() Elsewhere {
	if r.got == nil || r.Message().Class != frame.Result || r.Served() {
		return Elsewhere{}
	}
	return Elsewhere{"jsonrpc/result-is-object", "the result is not an object"}
}

// WantError expects an error with one of the codes, or with any code where none
// is given.
func (r *Reply) WantError(codes ...int) error {
	want := "an error"
	if len(codes) > 0 {
		want = "$.error with code " + list(codes)
	}
	if r.got == nil || r.hollow() {
		return r.Violation("%s, want %s", r.AnswerTo(r.name()), want)
	}
	if r.Message().Class != frame.Error {
		return r.Violation("$.result is present, want %s", want)
	}
	code, ok := r.Code()
	if len(codes) == 0 || ok && slices.Contains(codes, code) {
		return nil
	}
	stated, said := r.At("/error/code")
	if !said {
		return r.Violation("$.error has no code, want %s", list(codes)).Unless(Uncoded(r))
	}
	return r.Violation("$.error.code is %s, want %s", clip(r.got.Hide(JSON(stated))), list(codes)).Unless(Uncoded(r))
}

// Uncoded tells what judges an error whose code is missing or not an integer; nothing for other answers.
func Uncoded(r *Reply) Elsewhere {
	_, coded := r.Code()
	_, said := r.At("/error/code")
	switch {
	case coded || !r.Answered() || r.Message().Class != frame.Error:
		return Elsewhere{}
	case !said:
		return Elsewhere{"jsonrpc/error-shape", "the error has no code"}
	}
	return Elsewhere{"jsonrpc/error-code-integer", "the code of the error is not an integer"}
}

// WantRefusal expects a JSON-RPC error, or over HTTP a status of 400 or above
// with any body.
func (r *Reply) WantRefusal() error {
	if r.Refused() {
		return nil
	}
	return r.Violation("%s, want a refusal", r.AnswerTo(r.name()))
}

// Want expects something of the value at a JSON pointer. Any Gomega matcher
// does; those of this package describe themselves in the words of a finding.
func (r *Reply) Want(pointer string, matcher types.GomegaMatcher) error {
	v, ok := r.At(pointer)
	if !ok {
		v = Absent{}
	}
	return r.judge(path(pointer), v, matcher)
}

func (r *Reply) judge(at string, v any, matcher types.GomegaMatcher) error {
	fits, err := matcher.Match(v)
	if err == nil && fits {
		return nil
	}
	if r.got == nil {
		return r.Violation("%s, want %s at %s", r.AnswerTo(r.name()), describe(matcher, v, err), at)
	}
	return r.Violation("%s is %s, want %s", at, Show(v), describe(matcher, v, err)).Unless(r.NotObject())
}

// WantSchema expects the result to fit a definition of the schema of the
// revision, as in "ListToolsResult".
func (r *Reply) WantSchema(definition string) error {
	if err := r.WantResult(); err != nil {
		return err
	}
	result, _ := r.At("/result")
	return r.Fits(definition, "/result", result)
}

// Fits expects a value of the response to fit a definition.
func (r *Reply) Fits(definition, pointer string, value any) error {
	if problem := r.client.SchemaProblem(definition, pointer, value); problem != "" {
		return r.Violation("%s", problem)
	}
	return nil
}

func (r *Reply) name() string {
	if r.Method == "" {
		return "this frame"
	}
	return r.Method
}

func list(codes []int) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = fmt.Sprint(code)
	}
	return strings.Join(words, " or ")
}

// path writes a JSON pointer as problems show it: $.result.tools[0].name.
func path(pointer string) string {
	var b strings.Builder
	b.WriteString("$")
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = frame.Unescape(token)
		switch {
		case token == "":
		case strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case plainName(token):
			b.WriteString("." + token)
		default:
			b.WriteString("[" + JSON(token) + "]")
		}
	}
	return b.String()
}

func plainName(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}

// clip cuts a text in the middle, to fit a line of a report.
func clip(s string) string {
	const most, tail = 120, 25
	if len(s) <= most {
		return s
	}
	beginning, ending := excerpt.Ends(s, most-len(" ... ")-tail, tail)
	return beginning + " ... " + ending
}

// clipBehind cuts the end off a text that is too long: the reason stands somewhere in the
// message of an error, and what comes last is mostly advice.
func clipBehind(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	beginning, _ := excerpt.Ends(s, most-len(" ..."), 0)
	return beginning + " ..."
}
