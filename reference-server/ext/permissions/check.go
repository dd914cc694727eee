package permissions

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A question is the content of a permissions/check.
type question struct {
	Tool       *string          `json:"tool"`
	Held       *[]*string       `json:"scopes_held"`
	Parameters *json.RawMessage `json:"parameters"`
}

// check answers whether a call would be allowed, without running the tool. The scopes
// in the question are no proof: the answer is yes only for scopes that the client both
// names and holds. So a yes is a promise, and the call keeps it.
func (d *desk) check(t *core.Turn) (fault.Message, *core.Error) {
	q, refusal := ask(t)
	if refusal != nil {
		return nil, refusal.failure(t)
	}
	held, refusal := d.rights(t)
	if refusal != nil {
		return nil, refusal.failure(t)
	}
	if d.Faults.CheckRuns || d.Faults.CheckCounts == *q.Tool {
		_, _ = t.RunTool(*q.Tool, q.arguments())
	}
	said := q.held()
	switch {
	case d.Faults.CheckLate:
		later(func() { _, _ = t.RunTool(*q.Tool, q.arguments()) })
	case d.Faults.AssertedHeld:
		d.kept.add(t.Conversation(), said)
	case d.Faults.AssertedKept:
		d.kept.add(t.Principal(), said)
	}
	if !t.HasTool(*q.Tool) {
		return fault.Message{"allowed": false, "reason": "There is no tool " + *q.Tool + "."}, nil
	}
	held = slices.DeleteFunc(slices.Clone(held), func(scope string) bool { return !slices.Contains(said, scope) })
	missing := without(required(*q.Tool, q.arguments()), held)
	if len(missing) == 0 || d.Faults.CheckAllows == *q.Tool {
		return fault.Message{"allowed": true}, nil
	}
	why := lacking(missing)
	return fault.Message{
		"allowed":        false,
		"missing_scopes": missing,
		"reason":         why.text,
		"elevation_url":  elevation(missing),
	}, nil
}

// ask reads the question. A question counts only if all of it is valid.
func ask(t *core.Turn) (question, *refusal) {
	var q question
	switch err := json.Unmarshal(t.Params(), &q); {
	case err != nil:
		return q, malformed("tool is not a string, scopes_held is not an array of strings, or parameters is not an object")
	case q.Tool == nil || *q.Tool == "":
		return q, malformed("tool is missing")
	case q.Held == nil || slices.Contains(*q.Held, nil):
		return q, malformed("scopes_held is not an array of strings")
	case q.Parameters != nil && !strings.HasPrefix(string(*q.Parameters), "{"):
		return q, malformed("parameters is not an object")
	}
	return q, nil
}

func (q question) held() []string {
	var scopes []string
	for _, scope := range *q.Held {
		scopes = append(scopes, *scope)
	}
	return scopes
}

// arguments are the arguments of the call in the question. Without arguments the
// answer is about a call that needs no unusual scope.
func (q question) arguments() json.RawMessage {
	if q.Parameters == nil {
		return json.RawMessage(`{}`)
	}
	return *q.Parameters
}

// elevation is the address where users ask for missing scopes.
func elevation(missing []string) string {
	return "https://harbour.example/grant?" + url.Values{"scope": {strings.Join(missing, " ")}}.Encode()
}
