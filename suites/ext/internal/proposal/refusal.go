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
	return r.Violation("%s, want a refusal", r.AnswerTo(r.Method))
}

// WantDone expects a result that is not a refusal.
func WantDone(r *probe.Reply) error {
	if err := r.WantResult(); err != nil {
		return err
	}
	if Declined(r) {
		return r.Violation("%s, want a result that is not a refusal", r.AnswerTo(r.Method))
	}
	return nil
}
