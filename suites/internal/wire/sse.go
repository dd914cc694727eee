package wire

import (
	"bytes"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// maxEventLines limits the lines of one event; short lines take more memory
// than bytes on the wire.
const maxEventLines = 1 << 16

// commentBlock is how many comment lines without an event make one frame. A server may
// send comments for ever to keep the stream open, without ending an event.
const commentBlock = 1 << 10

// An eventParser cuts a stream into server-sent events. It takes pieces of any
// size and ends an event at its blank line.
type eventParser struct {
	limit   int
	line    []byte
	width   int  // bytes of the line so far
	skipLF  bool // the last byte was a CR that ended a line
	started bool // the first line is over
	framing []string

	text    []byte // the kept lines, with newlines between them
	ends    []int  // the end of each line in text
	kept    int    // bytes of the kept lines
	remarks bool   // all lines so far are comments
	size    int    // bytes of all lines
}

func newEventParser(limit int) *eventParser { return &eventParser{limit: limit, remarks: true} }

// feed takes the next piece and returns the events that end in it.
func (p *eventParser) feed(piece []byte) []frame.Frame {
	var events []frame.Frame
	for len(piece) > 0 {
		if p.skipLF {
			p.skipLF = false
			if piece[0] == '\n' {
				piece = piece[1:]
				continue
			}
		}
		end := bytes.IndexAny(piece, "\r\n")
		if end < 0 {
			p.add(piece)
			break
		}
		p.add(piece[:end])
		p.skipLF = piece[end] == '\r'
		piece = piece[end+1:]
		if f, complete := p.endLine(); complete {
			events = append(events, f)
		}
	}
	return events
}

// rest returns an event at the end of the stream without its blank line. A
// client has to ignore it, so it is no message, but reports show it.
func (p *eventParser) rest() (frame.Frame, bool) {
	if p.width > 0 {
		p.endLine()
	}
	if len(p.ends) == 0 {
		return frame.Frame{}, false
	}
	f := p.event(false)
	f.Framing = append(f.Framing, frame.OddNoBlankLine)
	return f, true
}

func (p *eventParser) add(part []byte) {
	p.width += len(part)
	room := max(0, p.limit-p.kept-len(p.line))
	p.line = append(p.line, part[:min(room, len(part))]...)
}

// endLine ends the current line. A blank line completes the event, unless it is
// empty.
func (p *eventParser) endLine() (frame.Frame, bool) {
	line, width := p.line, p.width
	p.line, p.width = p.line[:0], 0
	if !p.started {
		p.started = true
		if rest, marked := bytes.CutPrefix(line, []byte(bom)); marked {
			line, width = rest, width-len(bom)
			p.framing = append(p.framing, frame.OddBOM)
		}
	}
	p.size += width
	if width > 0 {
		// A line cut to nothing is not a blank line.
		if len(line) > 0 && len(p.ends) < maxEventLines {
			p.keep(line)
		}
		p.remarks = p.remarks && bytes.HasPrefix(line, []byte(":"))
		if p.remarks && len(p.ends) == commentBlock {
			return p.event(true), true
		}
		return frame.Frame{}, false
	}
	if len(p.ends) == 0 {
		return frame.Frame{}, false
	}
	return p.event(true), true
}

// keep adds a line to the event. All lines share one text: a server may send
// millions of short ones.
func (p *eventParser) keep(line []byte) {
	if len(p.ends) > 0 {
		p.text = append(p.text, '\n')
	}
	p.text = append(p.text, line...)
	p.ends = append(p.ends, len(p.text))
	p.kept += len(line)
}

// event makes a frame of the lines so far and starts the next event.
func (p *eventParser) event(complete bool) frame.Frame {
	text, from := string(p.text), 0
	sse := &frame.SSE{Lines: make([]string, len(p.ends))}
	if p.remarks {
		sse.Comments = make([]string, 0, len(p.ends))
	}
	for i, end := range p.ends {
		sse.Lines[i] = text[from:end]
		field(sse, sse.Lines[i])
		from = end + len("\n")
	}
	kind, raw := frame.KindMessage, strings.Join(sse.Data, "\n")
	if !complete || !carriesMessage(sse, raw) {
		kind, raw = frame.KindEvent, text
	}
	f := frame.New(frame.Received, kind, []byte(raw))
	f.SSE, f.Framing = sse, p.framing
	if p.size > p.kept {
		f.Truncated, f.Size = true, p.size
	}
	p.text, p.ends, p.kept, p.size, p.framing, p.remarks = p.text[:0], p.ends[:0], 0, 0, nil, true
	return f
}

// carriesMessage reports whether the data is meant as a JSON-RPC message. An
// event with another name may carry anything, such as a path.
func carriesMessage(sse *frame.SSE, data string) bool {
	trimmed := strings.TrimSpace(data)
	if trimmed == "" {
		return false
	}
	return sse.Event == "" || sse.Event == "message" || trimmed[0] == '{' || trimmed[0] == '['
}

// field reads one line of an event. Unknown fields remain only in the event's Lines.
func field(sse *frame.SSE, line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "":
		sse.Comments = append(sse.Comments, value)
	case "event":
		sse.Event, sse.HasEvent = value, true
	case "data":
		sse.Data = append(sse.Data, value)
	case "id":
		sse.ID, sse.HasID = value, true
	case "retry":
		sse.Retry, sse.HasRetry = value, true
	}
}
