package stdio

import (
	"bytes"
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

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
	case isMessage(m):
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
