package proposal

import (
	"net/http"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Declined reports whether the answer is a refusal as the extension proposals
// know it: a JSON-RPC error, a tool result that is marked as an error, a
// structured error record, an answer of an extension method whose own property
// says so, or an HTTP status that refuses without a JSON-RPC response. An
// internal error is not, nor is an unknown method: who asks this knows that
// the server has it.
func Declined(r *probe.Reply) bool {
	switch {
	case !r.Answered():
		return slices.Contains(refusingStatuses(), r.Status())
	case r.Message().Class == frame.Error:
		code, ok := r.Code()
		return !ok || code != protocol.InternalError && code != protocol.MethodNotFound
	case r.ErrorFlag():
		return true
	}
	if _, _, ok := Record(r); ok {
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
func WantDeclined(r *probe.Reply) error {
	if Declined(r) {
		return nil
	}
	return r.Violation("the answer to %s is %s, want a refusal", r.Method, r.Outcome())
}

// WantDone expects a result that is not a refusal.
func WantDone(r *probe.Reply) error {
	if err := r.WantResult(); err != nil {
		return err
	}
	if Declined(r) {
		return r.Violation("the answer to %s is %s, want a result that is not a refusal", r.Method, r.Outcome())
	}
	return nil
}

// Record is the structured error record of the answer, wherever the dialects
// of the proposals put it, and the place where it was found. What lacks a code
// and a category is not a record.
func Record(r *probe.Reply) (record map[string]any, place string, ok bool) {
	for _, p := range recordPlaces(r) {
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

func recordPlaces(r *probe.Reply) []recordPlace {
	if !r.Answered() {
		return nil
	}
	if r.Message().Class == frame.Error {
		data := object(at(r, "/error/data"))
		return []recordPlace{{name: "error.data", held: data}, {name: "error.data.error", held: object(data["error"])}}
	}
	result, _ := r.Result()
	meta, answer, text := object(result["_meta"]), object(result["structuredContent"]), object(textJSON(result))
	return []recordPlace{
		{name: "_meta[" + Prefix + "error]", held: object(meta[Prefix+"error"])},
		{name: "_meta.error", held: object(meta["error"])},
		{name: "result.error", held: object(result["error"])},
		{name: "structuredContent.error", held: object(answer["error"])},
		{name: "structuredContent", held: answer, own: true},
		{name: "the JSON of the first text block, error", held: object(text["error"])},
		{name: "the JSON of the first text block", held: text, own: true},
	}
}

// at is a value of the answer, nil where there is none.
func at(r *probe.Reply, pointer string) any {
	v, _ := r.At(pointer)
	return v
}
