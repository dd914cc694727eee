package probe

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Declined reports whether the answer is a refusal as the extension proposals
// know it: a JSON-RPC error, a tool result that is marked as an error, a
// structured error record, an answer of an extension method whose own member
// says so, or an HTTP status that refuses without a JSON-RPC response. An
// internal error is none, nor is an unknown method: who asks this knows that
// the server has it.
//
// Deprecated: pages move to package proposal, like the three below.
func (r *Reply) Declined() bool {
	switch {
	case r.got == nil:
		return slices.Contains(refusingStatuses(), r.Status())
	case r.Message().Class == frame.Error:
		code, ok := r.Code()
		return !ok || code != InternalError && code != MethodNotFound
	case r.ErrorFlag():
		return true
	}
	if _, _, ok := r.Record(); ok {
		return true
	}
	result, _ := r.Result()
	// A tool's own answer may have members of these names; it refuses nothing.
	return r.Method != "tools/call" &&
		(result["status"] == "failed" || result["status"] == "denied" || result["allowed"] == false)
}

func refusingStatuses() []int {
	return []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
		http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
	}
}

// WantDeclined expects a refusal as the extension proposals know it.
func (r *Reply) WantDeclined() error {
	if r.Declined() {
		return nil
	}
	return r.Violation("the answer to %s is %s, want a refusal", r.name(), r.Outcome())
}

// WantDone expects a result that is no refusal.
func (r *Reply) WantDone() error {
	if err := r.WantResult(); err != nil {
		return err
	}
	if r.Declined() {
		return r.Violation("the answer to %s is %s, want a result that is no refusal", r.name(), r.Outcome())
	}
	return nil
}

// Record is the structured error record of the answer, wherever the dialects
// of the proposals put it, and the place where it was found. What lacks a code
// and a category is no record.
func (r *Reply) Record() (record map[string]any, place string, ok bool) {
	for _, p := range r.recordPlaces() {
		_, coded := p.held["code"].(string)
		category, sorted := p.held["category"].(string)
		if coded && sorted && (!p.own || slices.Contains(categories(), category)) {
			return p.held, p.name, true
		}
	}
	return nil, "", false
}

// categories are those of the proposal. What a tool answers in words of its own
// may have a code and a category too; only one of these makes it a record.
func categories() []string {
	return []string{"transient", "permanent", "invalid_input", "auth_required", "rate_limited", "user_actionable"}
}

type recordPlace struct {
	name string
	held map[string]any
	own  bool // it is the tool's own answer as a whole
}

func (r *Reply) recordPlaces() []recordPlace {
	if r.got == nil {
		return nil
	}
	if r.Message().Class == frame.Error {
		data := record(member(r.Message(), "/error/data"))
		return []recordPlace{{name: "error.data", held: data}, {name: "error.data.error", held: record(data["error"])}}
	}
	result, _ := r.Result()
	meta, answer, text := record(result["_meta"]), record(result["structuredContent"]), record(textJSON(result))
	return []recordPlace{
		{name: "_meta[" + ExtensionPrefix + "error]", held: record(meta[ExtensionPrefix+"error"])},
		{name: "_meta.error", held: record(meta["error"])},
		{name: "result.error", held: record(result["error"])},
		{name: "structuredContent.error", held: record(answer["error"])},
		{name: "structuredContent", held: answer, own: true},
		{name: "the JSON of the first text block, error", held: record(text["error"])},
		{name: "the JSON of the first text block", held: text, own: true},
	}
}
