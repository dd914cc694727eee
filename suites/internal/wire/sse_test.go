package wire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// shown is the part of an event that a test compares.
type shown struct {
	Kind      frame.Kind
	Raw       string
	Size      int
	Truncated bool
	Framing   []string
	SSE       frame.SSE
}

func show(f frame.Frame) shown {
	return shown{f.Kind, string(f.Raw()), f.Size, f.Truncated, f.Framing, *f.SSE}
}

// parse feeds a stream in pieces of one size.
func parse(stream string, limit, piece int) []shown {
	p := newEventParser(limit)
	var got []shown
	for rest := []byte(stream); len(rest) > 0; {
		n := min(piece, len(rest))
		for _, f := range p.feed(rest[:n]) {
			got = append(got, show(f))
		}
		rest = rest[n:]
	}
	if f, left := p.rest(); left {
		got = append(got, show(f))
	}
	return got
}

func message(raw string, sse frame.SSE) shown {
	return shown{Kind: frame.KindMessage, Raw: raw, Size: len(raw), SSE: sse}
}

func event(sse frame.SSE) shown {
	raw := strings.Join(sse.Lines, "\n")
	return shown{Kind: frame.KindEvent, Raw: raw, Size: len(raw), SSE: sse}
}

func with(s shown, change func(*shown)) shown {
	change(&s)
	return s
}

func TestEventParser(t *testing.T) {
	t.Parallel()
	one := message(`{"a":1}`, frame.SSE{Data: []string{`{"a":1}`}, Lines: []string{`data: {"a":1}`}})
	for _, tt := range []struct {
		name, stream string
		want         []shown
	}{
		{"nothing", "", nil},
		{"only blank lines", "\n\r\n\r\r\n", nil},
		{"line feed", "data: {\"a\":1}\n\n", []shown{one}},
		{"both", "data: {\"a\":1}\r\n\r\n", []shown{one}},
		{"carriage return", "data: {\"a\":1}\r\r", []shown{one}},
		{"mixed", "data: {\"a\":1}\r\n\rdata: {\"a\":1}\n\r\n\ndata: {\"a\":1}\r\n\n", []shown{one, one, one}},
		{"no space", "data:{}\n\n", []shown{message("{}", frame.SSE{Data: []string{"{}"}, Lines: []string{"data:{}"}})}},
		{"two spaces", "data:  {}\n\n", []shown{message(" {}", frame.SSE{Data: []string{" {}"}, Lines: []string{"data:  {}"}})}},
		{"several lines of data", "data: {\ndata\ndata: }\n\n", []shown{message("{\n\n}",
			frame.SSE{Data: []string{"{", "", "}"}, Lines: []string{"data: {", "data", "data: }"}})}},
		{"all fields", "id: 7\nevent: message\nretry: 10\n: note\nother: x\ndata: {}\n\n", []shown{message("{}", frame.SSE{
			ID: "7", HasID: true, Event: "message", HasEvent: true, Retry: "10", HasRetry: true, Comments: []string{"note"}, Data: []string{"{}"},
			Lines: []string{"id: 7", "event: message", "retry: 10", ": note", "other: x", "data: {}"}})}},
		{"empty id", "id\ndata: {}\n\n", []shown{message("{}", frame.SSE{HasID: true, Data: []string{"{}"}, Lines: []string{"id", "data: {}"}})}},
		{"not JSON is a message all the same", "data: hello\n\n", []shown{message("hello", frame.SSE{Data: []string{"hello"}, Lines: []string{"data: hello"}})}},
		{"comment", ": alive\n\n", []shown{event(frame.SSE{Comments: []string{"alive"}, Lines: []string{": alive"}})}},
		{"first event without data", "id: 1\ndata: \n\n", []shown{event(frame.SSE{ID: "1", HasID: true, Data: []string{""}, Lines: []string{"id: 1", "data: "}})}},
		{"retry alone", "retry:5\n\n", []shown{event(frame.SSE{Retry: "5", HasRetry: true, Lines: []string{"retry:5"}})}},
		{"a name of its own", "event: endpoint\ndata: /messages?s=1\n\n", []shown{event(frame.SSE{Event: "endpoint", HasEvent: true,
			Data: []string{"/messages?s=1"}, Lines: []string{"event: endpoint", "data: /messages?s=1"}})}},
		{"a message under another name", "event: x\ndata: {}\n\n", []shown{message("{}", frame.SSE{Event: "x", HasEvent: true,
			Data: []string{"{}"}, Lines: []string{"event: x", "data: {}"}})}},
		{"mark", "\xef\xbb\xbfdata: {\"a\":1}\n\n\xef\xbb\xbfdata: 1\n\n", []shown{
			with(one, func(s *shown) { s.Framing = []string{frame.OddBOM} }),
			event(frame.SSE{Lines: []string{"\xef\xbb\xbfdata: 1"}})}},
		{"no blank line", "data: {\"a\":1}\n", []shown{with(event(one.SSE), func(s *shown) { s.Framing = []string{frame.OddNoBlankLine} })}},
		{"no end of line", "data: {\"a\":1}", []shown{with(event(one.SSE), func(s *shown) { s.Framing = []string{frame.OddNoBlankLine} })}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, piece := range []int{1, 2, 3, 7, 1 << 20} {
				if diff := cmp.Diff(tt.want, parse(tt.stream, 1<<20, piece)); diff != "" {
					t.Errorf("in pieces of %d: %s", piece, diff)
				}
			}
		})
	}
}

func TestEventParserBounds(t *testing.T) {
	t.Parallel()
	stream := ": 12345678\ndata: more\n\ndata: 1\n\n" + "data: " + strings.Repeat("x", 1000) + "\n\ndata: 2\n\n"
	for _, piece := range []int{1, 10, 1 << 20} {
		got := parse(stream, 10, piece)
		want := []shown{
			{frame.KindEvent, ": 12345678", 20, true, nil, frame.SSE{Comments: []string{"12345678"}, Lines: []string{": 12345678"}}},
			message("1", frame.SSE{Data: []string{"1"}, Lines: []string{"data: 1"}}),
			{frame.KindMessage, "xxxx", 1006, true, nil, frame.SSE{Data: []string{"xxxx"}, Lines: []string{"data: xxxx"}}},
			message("2", frame.SSE{Data: []string{"2"}, Lines: []string{"data: 2"}}),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pieces of %d: %s", piece, diff)
		}
	}
	got := parse(strings.Repeat("id\n", maxEventLines+5)+"\n", 1<<20, 4096)
	if len(got) != 1 || !got[0].Truncated || len(got[0].SSE.Lines) != maxEventLines {
		t.Errorf("%d events, %d lines, truncated %v", len(got), len(got[0].SSE.Lines), got[0].Truncated)
	}
}

// Comments without a blank line do not pile up, and the event after them is whole.
func TestCommentsWithoutEnd(t *testing.T) {
	t.Parallel()
	got := parse(strings.Repeat(": x\n", 2*commentBlock+5)+"data: {}\n\n", 1<<20, 4096)
	if len(got) != 3 {
		t.Fatalf("%d frames, want two of comments and the message", len(got))
	}
	for i, want := range []struct {
		kind     frame.Kind
		comments int
	}{{frame.KindEvent, commentBlock}, {frame.KindEvent, commentBlock}, {frame.KindMessage, 5}} {
		if f := got[i]; f.Kind != want.kind || len(f.SSE.Comments) != want.comments || f.Truncated {
			t.Errorf("frame %d: %s with %d comments, truncated %v", i, f.Kind, len(f.SSE.Comments), f.Truncated)
		}
	}
}
