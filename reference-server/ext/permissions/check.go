package permissions

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// A question is what permissions/check asks.
type question struct {
	Tool       *string          `json:"tool"`
	Held       *[]*string       `json:"scopes_held"`
	Parameters *json.RawMessage `json:"parameters"`
}

// check answers whether a call would be allowed, and runs nothing. The scopes that
// the client says it holds are a question and no proof: the answer is yes only for
// scopes that it says it holds and does hold. So a yes is a promise, which the call
// keeps.
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
	if d.Faults.AssertedHeld {
		d.asserted.add(t.Conversation(), said)
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

// ask reads the question. What it means is only known when all of it fits.
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

// arguments are those of the call that is asked about. Without them the answer is
// about a call that needs nothing out of the ordinary.
func (q question) arguments() json.RawMessage {
	if q.Parameters == nil {
		return json.RawMessage(`{}`)
	}
	return *q.Parameters
}

// elevation is where people ask for what is missing.
func elevation(missing []string) string {
	return "https://harbour.example/grant?" + url.Values{"scope": {strings.Join(missing, " ")}}.Encode()
}
