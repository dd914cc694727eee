package probe

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// An account tells a reaction in words, for the problem of a finding.
type account struct{ reaction }

// Outcome says in a few words what came back, for the problem of a finding.
func (r *account) Outcome() string {
	switch {
	case r.got != nil && r.Message().Class == frame.Error:
		return "error " + clipBehind(r.got.Hide(JSON(member(r.Message(), "/error"))))
	case r.hollow():
		return "a response with neither a result nor an error"
	case r.got != nil:
		return "result " + clip(r.got.Hide(JSON(member(r.Message(), "/result"))))
	case r.Died():
		what, how := r.death()
		return "the end of the " + what + how
	case r.Status() != 0 && r.end != nil:
		return fmt.Sprintf("HTTP status %d without a JSON-RPC response", r.Status()) + r.body() + r.inVain()
	}
	return "no answer" + r.silence()
}

// inVain says that the answer did not come on resumed streams either.
func (r *account) inVain() string {
	switch times := len(r.resumed); {
	case !r.lost:
		return ""
	case times == 1:
		return ", nor with one when the client resumed the stream"
	default:
		return fmt.Sprintf(", nor with one when the client resumed the stream %d times", times)
	}
}

// Violation is a problem that this exchange shows.
func (r *account) Violation(format string, args ...any) *Violation {
	v := &Violation{Problem: fmt.Sprintf(format, args...), Frames: r.Evidence(), polled: r.polled()}
	return v.Unless(elsewhere(&r.reaction)).Unless(unissued(&r.reaction)...)
}

// Evidence is the frames of this exchange that a reader wants to see.
func (r *account) Evidence() []frame.Frame {
	var frames []frame.Frame
	if r.sent != nil {
		frames = append(frames, r.sent.Frame)
	}
	if r.head != nil && (r.Status() >= 400 || r.got == nil) {
		frames = append(frames, r.head.Frame)
	}
	switch {
	case r.got != nil:
		frames = append(frames, r.got.Frame)
	case r.end != nil:
		frames = append(frames, r.end.Frame)
		if r.lost {
			frames = append(frames, r.resumed[len(r.resumed)-1].Evidence()...)
		}
	default:
		if stray, ok := r.stray(); ok {
			frames = append(frames, stray.Frame)
		}
	}
	return frames
}

// body is the body of an answer that is no response: a server may give its reason there in
// JSON and forget the content type, or announce JSON and send something else.
func (r *account) body() string {
	if part, ok := r.partOfEvent(); ok {
		return ", but with a part of an event: " + clip(part)
	}
	if r.end.Kind != frame.KindBody {
		if stray, ok := r.stray(); ok && stray.Exchange == r.end.Exchange && stray.Message().Class == frame.NotJSON && trimmed(stray) != "" {
			line, _, _ := strings.Cut(trimmed(stray), "\n")
			if strings.HasPrefix(line, "\x1f\x8b") {
				line = "gzip"
			}
			return ", but with what is not JSON: " + clip(line)
		}
		return ""
	}
	object, ok := frame.Read(r.end.Raw()).Value.(map[string]any)
	switch _, message := object["jsonrpc"]; {
	case ok && message:
		return ", but with " + r.foreign() + clip(r.end.Hide(JSON(object)))
	case ok:
		return ", but with " + clip(r.end.Hide(JSON(object)))
	}
	line, _, _ := strings.Cut(trimmed(*r.end), "\n")
	if foreign := r.foreign(); foreign != "" && (strings.HasPrefix(line, "event:") || strings.HasPrefix(line, "data:")) {
		return ", but with " + foreign + clip(line)
	}
	return ""
}

// partOfEvent is a line with a JSON object in an event stream that readers of events ignore: it has no
// data: before it, or no blank line behind it.
func (r *account) partOfEvent() (line string, found bool) {
	for _, s := range r.client.Since(0) {
		if s.Exchange != r.end.Exchange || s.Kind != frame.KindEvent {
			continue
		}
		for line := range strings.Lines(trimmed(s)) {
			if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(line, "data:")), "{") {
				return strings.TrimSpace(line), true
			}
		}
	}
	return "", false
}

// foreign names the Content-Type that keeps a message from being an answer.
func (r *account) foreign() string {
	if r.Status() >= http.StatusMultipleChoices {
		return ""
	}
	switch kind := r.head.MediaType(); kind {
	case "application/json":
		return ""
	case "":
		return "no Content-Type and "
	default:
		return "the Content-Type " + Show(kind) + " and "
	}
}

// AnswerTo begins a problem about the answer to a request: it names the answer,
// or says that the server gave none.
func (r *account) AnswerTo(what string) string {
	switch {
	case r.Died():
		end, how := r.death()
		return "the " + end + " ended before the answer to " + what + how
	case !r.Answered() && (r.Status() == 0 || r.end == nil):
		return "the server did not answer " + what + r.silence()
	}
	return "the answer to " + what + " is " + r.Outcome()
}

// death says which connection or process ended instead of an answer, and how.
func (r *account) death() (what, how string) {
	if r.end.End != nil && r.end.End.Exited {
		return "process", ", " + exit(*r.end.End)
	}
	return "connection", because(r.end.End)
}

// silence says how long no answer came, and what came instead.
func (r *account) silence() string {
	if r.flood != "" {
		return ": " + r.flood
	}
	text := " within " + r.patience.Round(time.Millisecond).String()
	if r.patience == 0 {
		text = " before the next request"
	}
	switch {
	case r.answersElsewhere() && r.head != nil && r.head.HTTP != nil:
		text += fmt.Sprintf(" on the event stream, after HTTP status %d", r.head.HTTP.Status)
	case r.Status() != 0:
		text += fmt.Sprintf(" in the body that HTTP status %d began", r.Status())
	}
	if spread, ok := r.spread(); ok {
		return text + fmt.Sprintf("; what came instead is a message over %d lines, want it on one: %s", spread.Lines, clip(spread.Text))
	}
	if stray, ok := r.stray(); ok {
		text += "; what came instead " + r.misnamed(stray) + cmp.Or(clip(trimmed(stray)), "an empty line") + unread(stray)
	}
	return text
}

// spread is the response to the request where it takes up several lines.
func (r *account) spread() (Spread, bool) {
	if r.client.setup.Transport != requirements.Stdio {
		return Spread{}, false
	}
	return SpreadResponse(r.client.Since(r.from))
}

func trimmed(s Seen) string { return strings.TrimSpace(s.Payload()) }

// misnamed says that a response has not the id of the request.
func (r *account) misnamed(stray Seen) string {
	switch m := stray.Message(); {
	case m.Class != frame.Result && m.Class != frame.Error || r.id == "":
		return "is "
	case !m.HasID:
		return "has no id, the request had " + clip(r.id) + ": "
	default:
		return fmt.Sprintf("has the id %s, the request had %s: ", clip(stray.Hide(m.ID)), clip(r.id))
	}
}

// unread says why the kit could not read a frame.
func unread(s Seen) string {
	m, text := s.Message(), trimmed(s)
	if m.Class != frame.NotJSON || len(m.Problems) == 0 || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return ""
	}
	return " (it is not JSON: " + m.Defect() + ")"
}

// stray is the first message of the server that answers no request: it may
// explain a missing answer. What came before the last response to an earlier
// request does not explain it.
func (r *account) stray() (first Seen, found bool) {
	for _, s := range r.client.Since(0) {
		if r.flood != "" && s.Dir == frame.Received && s.Seq > r.sentSeq() && unasked(s) {
			return s, true
		}
		empty := found && trimmed(first) == "" // which explains less than any word
		if s.Dir == frame.Sent || s.Kind != frame.KindMessage || found && !empty && s.Seq > r.sentSeq() {
			continue
		}
		switch m := s.Message(); m.Class {
		case frame.NotJSON, frame.NotAMessage:
			if !found || empty {
				first, found = s, true
			}
		case frame.Result, frame.Error:
			if s.Seq < r.sentSeq() {
				found = false
			} else if s.Request.Method == "" {
				first, found = s, true
			}
		case frame.Request, frame.Notification, frame.Batch: // the server's own messages, or judged elsewhere
		}
	}
	return first, found
}

// sentSeq is the place of the request on its connection.
func (r *account) sentSeq() int {
	if r.sent == nil {
		return 0
	}
	return r.sent.Seq
}

// lastWords are the last line on stderr that begins with the name of an error, or else
// the last three: they mostly say why a process ended. Secrets are hidden already.
func lastWords(stderr string) string {
	lines := frame.LastLines(stderr, math.MaxInt)
	said := frame.LastError(lines)
	if said == "" {
		said = strings.Join(lines[max(0, len(lines)-3):], " ")
	}
	return strings.Join(strings.Fields(said), " ")
}

// LastWords says, behind an Outcome, what a process wrote to stderr at last. Problems leave
// it out: a report shows the stderr of a finding below it, and two runs would differ by the
// times in it.
func (r *Reply) LastWords() string {
	if !r.Died() {
		return ""
	}
	said := lastWords(r.Stderr())
	if said == "" {
		return ""
	}
	return "; its last words on stderr: " + clip(said)
}

// Stderr is the redacted stderr of a process that ended instead of answering.
func (r *account) Stderr() string {
	if r.got != nil || r.end == nil {
		return ""
	}
	return r.end.Stderr()
}

func exit(e frame.End) string {
	if e.Signal != "" {
		return "by signal " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.ExitCode)
}

func because(e *frame.End) string {
	if e == nil || e.Err == "" {
		return ""
	}
	return ": " + e.Err
}
