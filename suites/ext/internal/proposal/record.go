package proposal

import (
	"net/http"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Record is the structured error record of the answer, wherever the dialects
// of the proposals put it, and the place where it was found. What lacks a code
// and a category is not a record.
func Record(r *probe.Reply) (record map[string]any, place string, ok bool) {
	if !r.Answered() {
		return nil, "", false
	}
	for _, p := range recordPlaces(r.Message()) {
		if p.complete() {
			return p.Record, p.Place, true
		}
	}
	return nil, "", false
}

// Categories are those of the structured-errors proposal.
func Categories() []string {
	return []string{"transient", "permanent", "invalid_input", "auth_required", "rate_limited"}
}

// A Told record is one that stands somewhere in an answer.
type Told struct {
	Record map[string]any
	Place  string // "_meta.error"
	own    bool   // it is the tool's own answer as a whole
	marked bool   // nothing but a record of the extension stands in this place
	failed bool   // the answer is an error, or is marked as one
}

// Details are the objects of a failure where a record may stand, whatever they hold.
func Details(m frame.Message) []Told {
	return slices.DeleteFunc(recordPlaces(m), func(t Told) bool { return t.Record == nil })
}

// complete reports whether it is a record at all: what lacks a code and a category
// is none. What a tool answers in words of its own may have a code and a category
// too; only a category of the proposal makes it a record.
func (t Told) complete() bool {
	_, coded := t.Record["code"].(string)
	category, sorted := t.Record["category"].(string)
	return coded && sorted && (!t.own || slices.Contains(Categories(), category))
}

// meant reports whether it is a record, or was meant to be one: what only a record
// has, beside what each has.
func (t Told) meant() bool {
	switch {
	case t.marked:
		return true
	case t.own && !t.failed: // a berth may have a code, and be permanent
		return false
	case t.own || !t.failed:
		return t.complete() && slices.Contains(Categories(), t.text("category"))
	}
	has := func(name string) bool { _, ok := t.Record[name]; return ok }
	return slices.ContainsFunc(RecordMembers()[3:], has) && (has("code") || has("message"))
}

func (t Told) text(name string) string { s, _ := t.Record[name].(string); return s }

// recordSeen looks for a record among the errors that discovery was answered with:
// that is weak evidence of the extension, and nothing is asked for it. Many servers
// sort their errors by codes and categories of their own, which shows nothing.
func recordSeen(c *probe.Client) (probe.Strength, string) {
	for _, s := range c.Since(0) {
		if s.Dir != frame.Received || s.Message().Class != frame.Error {
			continue
		}
		for _, told := range recordPlaces(s.Message()) {
			if told.text("message") != "" && told.complete() && slices.Contains(Categories(), told.text("category")) {
				return probe.Weak, "a record in " + told.Place
			}
		}
	}
	return "", ""
}

// RecordMembers are the properties of a record; errors of all kinds have the first
// three.
func RecordMembers() []string {
	return []string{"code", "message", "details", "category", "retry_after_seconds", "user_actionable", "suggestion", "documentation_url"}
}

// Tells are the records of an answer, complete or not, in the order in which the
// dialects are read. A property that the tool's output schema declares is the
// tool's own, unless the server claims the extension by name. The survey is looked at only
// where it matters.
func Tells(m frame.Message, asked probe.Asked, survey func() *probe.Survey) []Told {
	foreign := func(property string) bool {
		if asked.Method != "tools/call" {
			return false
		}
		tool, _ := asked.Params()["name"].(string)
		known := survey()
		return known != nil && known.Claims["structured-errors"].Strength != probe.Explicit && declares(known, tool, property)
	}
	var told []Told
	for _, p := range recordPlaces(m) {
		switch {
		case p.Record == nil || !p.meant():
		case p.Place == "structuredContent.error" && foreign("error"), p.Place == "structuredContent" && foreign("category"):
		default:
			told = append(told, p)
		}
	}
	return told
}

// recordPlaces are the places of an answer where a record may stand, whatever is
// there.
func recordPlaces(m frame.Message) []Told {
	value := func(pointer string) map[string]any { v, _ := m.At(pointer); return probe.ObjectOf(v) }
	if m.Class == frame.Error {
		data := value("/error/data")
		return []Told{
			{Record: data, Place: "error.data", failed: true},
			{Record: probe.ObjectOf(data["error"]), Place: "error.data.error", failed: true},
		}
	}
	result := value("/result")
	meta, answer, text := probe.ObjectOf(result["_meta"]), probe.ObjectOf(result["structuredContent"]), probe.ObjectOf(textJSON(result))
	failed := result["isError"] == true
	return []Told{
		{Record: probe.ObjectOf(meta[Prefix+"error"]), Place: "_meta[" + Prefix + "error]", marked: true, failed: failed},
		{Record: probe.ObjectOf(meta["error"]), Place: "_meta.error", failed: failed, marked: failed},
		{Record: probe.ObjectOf(result["error"]), Place: "result.error", failed: failed},
		{Record: probe.ObjectOf(answer["error"]), Place: "structuredContent.error", failed: failed},
		{Record: answer, Place: "structuredContent", own: true, failed: failed},
		{Record: probe.ObjectOf(text["error"]), Place: "the JSON of the first text block, error", failed: failed},
		{Record: text, Place: "the JSON of the first text block", own: true, failed: failed},
	}
}

// RefusedInVain tells what judges a refused call that has its effect all the same.
func RefusedInVain() probe.Elsewhere {
	return probe.Elsewhere{Case: "ext-permissions/deny-holds-no-effect", Why: "calls that are refused have their effect"}
}

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

// LacksRights reports whether a refusal says that its caller may not make the call, in a
// record or by its HTTP status.
func LacksRights(r *probe.Reply) bool {
	if record, _, ok := Record(r); ok {
		return record["category"] == "auth_required" || slices.Contains(RightsCodes(), probe.TextOf(record["code"]))
	}
	return r.Status() == http.StatusUnauthorized || r.Status() == http.StatusForbidden
}

// RateLimited reports whether a refusal says that there were too many calls.
func RateLimited(r *probe.Reply) bool {
	record, _, ok := Record(r)
	limits := []string{"RATE_LIMIT_EXCEEDED", "RATE_LIMITED", "QUOTA_EXHAUSTED"}
	return ok && (record["category"] == "rate_limited" || slices.Contains(limits, probe.TextOf(record["code"])))
}

// StatedWait is the wait that a refusal asks for; none where it states no time.
func StatedWait(r *probe.Reply) time.Duration {
	record, _, _ := Record(r)
	seconds, _ := probe.NumberOf(record["retry_after_seconds"])
	const year = 365 * 24 * 3600 // enough for any comparison
	return time.Duration(min(max(seconds, 0), year) * float64(time.Second))
}

// RightsCodes are the codes of a record that say that a right is missing.
func RightsCodes() []string { return []string{"SCOPE_INSUFFICIENT", "PERMISSION_DENIED"} }

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
	return r.Violation("%s, want a refusal", r.AnswerTo(r.Method)).Unless(r.NotObject())
}

// Nameless tells which watcher judges a message over stdio that has no method, and would be a
// notification with one; there is none where no such message is among the frames.
func Nameless(seen []probe.Seen) probe.Elsewhere {
	for _, s := range seen {
		m := s.Message()
		if s.Dir == frame.Received && s.Kind == frame.KindMessage && s.Transport == requirements.Stdio &&
			m.Class == frame.NotAMessage && probe.LooksLikeMessage(m) && !m.Responds() {
			return probe.Elsewhere{Case: "stdio/stdout-messages-only", Why: "a message came without a method"}
		}
	}
	return probe.Elsewhere{}
}

// Unchecked is the cause where a server does not look at the arguments of calls.
func Unchecked() probe.Elsewhere {
	return probe.Elsewhere{Case: "tools/inputs-validated-type", Why: "arguments of a wrong type are accepted, too"}
}

// OnStanding is the cause of messages that do not come on the stream of their call.
func OnStanding() probe.Elsewhere {
	return probe.Elsewhere{Case: "http/get-stream-messages-unrelated", Why: "messages of a call come on the stream that GET opened"}
}

// Misrecorded tells which watcher judges the first of the required properties of an error record that
// is missing or has another type; there is none for a record that has them all.
func Misrecorded(record map[string]any) probe.Elsewhere {
	category, given := record["category"]
	var slug string
	switch {
	case !isText(record["code"]):
		slug = "code-present"
	case !isText(record["message"]):
		slug = "message-present"
	case !given:
		slug = "category-present"
	case !slices.Contains(Categories(), probe.TextOf(category)):
		slug = "category-known"
	default:
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: "ext-structured-errors/" + slug, Why: "the record of the error does not have its properties"}
}

func isText(value any) bool {
	_, text := value.(string)
	return text
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

// Done reports whether an answer is a result that is not a refusal.
func Done(r *probe.Reply) bool { return WantDone(r) == nil }

// A Located property of an extension: what was found, where it stood, and
// whether other places disagree.
type Located struct {
	Value    any
	Place    string
	Disagree string // a second place that holds something else
}

// Locate looks an extension's property up in a result, in the order in which the
// dialects of the proposals are read. The group is the property that older
// dialects wrap it in; owned says whether a record without a place of its own,
// inside the tool's answer, carries the mark of the extension.
func Locate(result map[string]any, key, group string, owned func(record map[string]any) bool) (Located, bool) {
	meta := probe.ObjectOf(result["_meta"])
	answer := probe.ObjectOf(result["structuredContent"])
	text := probe.ObjectOf(textJSON(result))
	// Without content the whole result is the tool's own.
	_, core := result["content"]
	places := []struct {
		name   string
		in     map[string]any
		member string
		marked bool
	}{
		{"_meta[" + Prefix + key + "]", meta, Prefix + key, true},
		{"_meta." + key, meta, key, true},
		{"_meta." + group + "." + key, probe.ObjectOf(meta[group]), key, true},
		{"result." + key, result, key, core || owned(result)},
		{"result." + group + "." + key, probe.ObjectOf(result[group]), key, core || owned(probe.ObjectOf(result[group]))},
		{"structuredContent." + key, answer, key, owned(answer)},
		{"structuredContent." + group + "." + key, probe.ObjectOf(answer[group]), key, owned(probe.ObjectOf(answer[group]))},
		{"the JSON of the first text block", text, key, owned(text)},
		{"the JSON of the first text block, " + group, probe.ObjectOf(text[group]), key, owned(probe.ObjectOf(text[group]))},
	}
	var found Located
	for _, p := range places {
		v, ok := p.in[p.member]
		switch {
		case !ok || !p.marked:
		case found.Place == "":
			found.Value, found.Place = v, p.name
		case found.Disagree == "" && !probe.Same(found.Value, v):
			found.Disagree = p.name
		}
	}
	return found, found.Place != ""
}

// textJSON is what the first text block of a tool's answer holds, where that
// is JSON.
func textJSON(result map[string]any) any {
	for _, block := range probe.ArrayOf(result["content"]) {
		b := probe.ObjectOf(block)
		if text, ok := b["text"].(string); ok && b["type"] == "text" {
			return frame.Read([]byte(text)).Value
		}
	}
	return nil
}
