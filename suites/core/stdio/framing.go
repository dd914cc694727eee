package stdio

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// framingCases judge stdout. Exactly one of the three judges each byte: it belongs to no
// message, to a message broken into lines, or to a message without a newline.
func framingCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "stdio/newline-framing",
			Title:  "every message ends with a newline, including the last one",
			Checks: []requirements.ID{"stdio-newline-framing"},
			Fix:    "write each message and its newline together, and flush before the process ends",
			Sees:   "a message of the server",
			Watch:  func() probe.Watcher { return probe.WatchFunc(newlines) },
		},
		{
			ID:     "stdio/no-embedded-newlines",
			Title:  "every message is on one line, whatever its strings hold",
			Checks: []requirements.ID{"stdio-no-embedded-newlines"},
			Fix:    "serialize messages without indentation and escape line breaks in strings",
			Sees:   "a message of the server",
			Watch:  func() probe.Watcher { return new(oneLine) },
		},
		{
			ID:     "stdio/stdout-messages-only",
			Title:  "nothing but messages is written to stdout",
			Checks: []requirements.ID{"stdio-stdout-messages-only"},
			Fix: "send banners, logs and whatever dependencies print to stderr; start the program itself, since npm start and " +
				"npm run print a line of their own; write each message by itself, also where an array of requests came",
			Sees:  "a message of the server",
			Watch: func() probe.Watcher { return new(messagesOnly) },
		},
	}
}

// newlines looks for messages that share a line, and for a last message without a
// newline. It passes over half a message: the server was told to end while it wrote. It
// passes over other text behind a message too: something printed it before the newline came.
func newlines(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir != frame.Received {
		return probe.Nothing()
	}
	if s.Kind == frame.KindMessage {
		m := s.Message()
		if s.Truncated || !isMessage(m) {
			return probe.Nothing()
		}
		if begins(after(s.Seen)) {
			return probe.Breaks("more follows a message on its line, want a newline after each message")
		}
		return probe.Kept()
	}
	if s.Kind != frame.KindEnd || s.Exchange != 0 || s.End == nil || s.End.Err != "" || signalled(*s.End) {
		return probe.Nothing()
	}
	rest := bytes.TrimSpace(s.End.Unterminated)
	switch {
	case len(rest) == 0:
		return probe.Kept()
	case isMessage(frame.Read(rest)):
		return probe.Breaks("stdout ends with a message that no newline follows, want one after each message")
	default:
		return probe.Nothing()
	}
}

// after returns what follows a message on its line.
func after(s probe.Seen) []byte {
	for _, p := range s.Message().Problems {
		if raw := s.Raw(); p.Kind == frame.Trailing && int(p.Offset) < len(raw) {
			return raw[p.Offset:]
		}
	}
	return nil
}

// signalled reports whether a signal ended the process, which may cut it off in the
// middle of a line.
func signalled(e frame.End) bool { return e.Signal != "" || e.Killed() }

// oneLine looks for messages broken into lines. Only a string with a line break in it
// proves that the server escapes them.
type oneLine struct{ sorter sorter }

func (w *oneLine) See(s *probe.WatchedFrame) probe.Opinion {
	if s.Dir != frame.Received {
		return probe.Nothing()
	}
	var found sorted
	switch {
	case s.Kind == frame.KindMessage:
		found = w.sorter.line(s.Seen)
	case s.Kind == frame.KindEnd && s.Exchange == 0 && s.End != nil:
		found = w.sorter.end(s.End.Unterminated)
	}
	if n := len(found.broken); n > 0 {
		return few(found.broken).Violation("one message takes up %d lines, want one", n).Opinion()
	}
	if found.message && escapesBreak(s.Raw()) {
		return probe.Kept()
	}
	return probe.Nothing()
}

func escapesBreak(line []byte) bool {
	return bytes.Contains(line, []byte(`\n`)) || bytes.Contains(line, []byte(`\u000a`)) || bytes.Contains(line, []byte(`\u000A`))
}

// messagesOnly looks for lines that belong to no message.
type messagesOnly struct {
	sorter sorter
	asked  bool // the kit sent an array, so in the first revisions an array may come back

	open map[string]probe.Evidence // the requests without a response, by id
}

func (w *messagesOnly) See(s *probe.WatchedFrame) probe.Opinion {
	switch {
	case s.Dir == frame.Sent:
		w.asked = w.asked || s.Message().Class == frame.Batch
		w.follow(s.Seen)
		return probe.Nothing()
	case s.Kind == frame.KindMessage:
		defer w.follow(s.Seen)
		return w.line(s.Seen)
	case s.Kind == frame.KindEnd && s.Exchange == 0 && s.End != nil:
		return w.end(s.Seen)
	default:
		return probe.Nothing()
	}
}

// follow notes which requests have no response yet.
func (w *messagesOnly) follow(s probe.Seen) {
	m := s.Message()
	switch {
	case s.Dir == frame.Sent && m.Class == frame.Request:
		if w.open == nil {
			w.open = map[string]probe.Evidence{}
		}
		w.open[frame.IDKey(m.ID)] = probe.One(s.Frame)
	case s.Dir == frame.Received && m.Responds():
		delete(w.open, frame.IDKey(m.ID))
	}
}

func (w *messagesOnly) line(s probe.Seen) probe.Opinion {
	if slices.Contains(s.Framing, frame.OddEmptyLine) && len(w.sorter.held) == 0 {
		return probe.Breaks("stdout has an empty line, want messages only").AtMostWarn()
	}
	found := w.sorter.line(s)
	m := s.Message()
	switch {
	case len(found.stray) > 0:
		return w.pollution(found.stray).Opinion()
	case !found.message:
		return probe.Nothing()
	case m.Class == frame.NotAMessage && !m.Responds(): // jsonrpc/result-xor-error judges those with an id and no method
		return probe.Breaks("a message on stdout has no method that is a string, no result and no error, want messages only")
	case m.Class == frame.Batch && !(w.asked && protocol.AnswersArrays(s.Revision)) && !(protocol.HasArrays(s.Revision) && allMessages(m)):
		return probe.Breaks("stdout has an array, want single messages")
	case len(after(s)) > 0 && !begins(after(s)):
		return probe.Breaks("text that is not a message follows a message on its line, want messages only")
	default:
		return probe.Kept()
	}
}

func (w *messagesOnly) end(s probe.Seen) probe.Opinion {
	rest := bytes.TrimSpace(s.End.Unterminated)
	found := w.sorter.end(rest)
	switch {
	case len(found.stray) > 0:
		return w.pollution(found.stray).Opinion()
	case len(rest) > 0 && len(found.broken) == 0 && !begins(rest):
		return probe.Breaks("stdout ends with text that is not a message, want messages only")
	default:
		return probe.Nothing()
	}
}

// pollution shows the request that the server was at, if there was one only.
func (w *messagesOnly) pollution(stray probe.Evidence) *probe.Violation {
	shown := few(stray)
	if len(w.open) == 1 {
		for _, request := range w.open {
			shown = request.And(shown)
		}
	}
	return shown.Violation("a line of stdout is not a JSON-RPC message, want messages only")
}

func allMessages(batch frame.Message) bool {
	return len(batch.Batch) > 0 && !slices.ContainsFunc(batch.Batch, func(m frame.Message) bool { return !isMessage(m) })
}

// few keeps as many frames as a reader of a finding wants to see.
func few(frames probe.Evidence) probe.Evidence { return frames[:min(len(frames), 5)] }

// These limit how much a sorter holds back as possible pieces of one message.
const (
	maxPieces = 20_000
	maxHeld   = 4 << 20
)

// A sorter reads the lines of stdout in order. It holds back lines that look like the
// beginning of a broken message until later lines complete or refute it, so that a broken
// message is not taken for pollution.
type sorter struct {
	held probe.Evidence
	size int
	nest nesting
}

// A sorted tells how the last lines were classified after one more line, or after the
// end.
type sorted struct {
	message bool           // the line is a message of its own
	broken  probe.Evidence // the lines that together are one message
	stray   probe.Evidence // lines that are not part of a message
}

// line sorts one line of stdout.
func (r *sorter) line(s probe.Seen) sorted {
	m := s.Message()
	switch {
	case s.Truncated || s.Unread() != "":
		return sorted{stray: r.drop()} // the end of the line is not known, so the line is not judged
	case isMessage(m), garbled(s.Raw()):
		return sorted{message: true, stray: r.drop()}
	case len(r.held) > 0:
		return r.piece(s.Frame)
	case m.Class == frame.NotJSON && begins(s.Raw()):
		return r.piece(s.Frame)
	default:
		return sorted{stray: probe.One(s.Frame)}
	}
}

// end sorts the bytes after the last newline.
func (r *sorter) end(rest []byte) sorted {
	if len(r.held) > 0 && len(rest) > 0 {
		return r.piece(frame.New(frame.Received, frame.KindMessage, rest))
	}
	return sorted{stray: r.drop()}
}

func (r *sorter) piece(f frame.Frame) sorted {
	r.held = append(r.held, f)
	r.size += len(f.Raw()) + 1
	if open := r.nest.feed(f.Raw()); open && len(r.held) < maxPieces && r.size < maxHeld {
		return sorted{}
	}
	lines := make([][]byte, len(r.held))
	for i, each := range r.held {
		lines[i] = each.Raw()
	}
	held := r.drop()
	// A line break between two properties is white space; a line break within a string is
	// not.
	for _, joint := range []string{"\n", `\n`} {
		if len(held) > 1 && isMessage(frame.Read(bytes.Join(lines, []byte(joint)))) {
			return sorted{broken: held}
		}
	}
	return sorted{stray: held}
}

func (r *sorter) drop() probe.Evidence {
	held := r.held
	*r = sorter{}
	return held
}

// garbled reports whether a line is a message in another encoding than UTF-8, which
// jsonrpc/utf8 judges.
func garbled(line []byte) bool {
	return !utf8.Valid(line) && begins(line) && isMessage(frame.Read(bytes.ToValidUTF8(line, []byte("?"))))
}

// isMessage reports whether a value is meant as a JSON-RPC message. The page on messages
// judges whether it is valid.
func isMessage(m frame.Message) bool {
	if m.Class != frame.Batch {
		return probe.LooksLikeMessage(m)
	}
	return len(m.Batch) == 0 || slices.ContainsFunc(m.Batch, probe.LooksLikeMessage)
}

// begins reports whether bytes look like the beginning of a message: of an object, or of
// an array of objects.
func begins(text []byte) bool {
	text = bytes.TrimSpace(text)
	if rest, array := bytes.CutPrefix(text, []byte("[")); array {
		text = bytes.TrimSpace(rest)
		return len(text) == 0 || text[0] == '{'
	}
	return bytes.HasPrefix(text, []byte("{"))
}

// nesting counts open brackets and strings from line to line.
type nesting struct {
	depth           int
	quoted, escaped bool
}

// feed reads one more line and reports whether a bracket is still open.
func (n *nesting) feed(line []byte) (open bool) {
	for _, b := range line {
		switch {
		case n.escaped:
			n.escaped = false
		case n.quoted:
			n.escaped = b == '\\'
			n.quoted = b != '"'
		case b == '"':
			n.quoted = true
		case b == '{', b == '[':
			n.depth++
		case b == '}', b == ']':
			n.depth--
		}
	}
	n.escaped = false
	return n.depth > 0
}
