package stdio

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A tally counts how many lines were sorted each way.
type tally struct{ Messages, Broken, Stray int }

func (t *tally) add(s sorted) {
	if s.message {
		t.Messages++
	}
	t.Broken += len(s.broken)
	t.Stray += len(s.stray)
}

func TestSorter(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	for _, row := range []struct {
		name  string
		lines []string
		rest  string
		want  tally
	}{
		{name: "a message", lines: []string{message}, want: tally{Messages: 1}},
		{name: "white space around it", lines: []string{" " + message + "\t\r"}, want: tally{Messages: 1}},
		{name: "an array of messages", lines: []string{"[" + message + "]"}, want: tally{Messages: 1}},
		{name: "what was meant as a message", lines: []string{`{"jsonrpc":"2.0","id":1}`}, want: tally{Messages: 1}},
		{name: "a message in Latin-1", lines: []string{"{\"jsonrpc\":\"2.0\",\"method\":\"caf\xe9\"}"}, want: tally{Messages: 1}},
		{name: "a banner in Latin-1", lines: []string{"caf\xe9"}, want: tally{Stray: 1}},
		{name: "a banner", lines: []string{"listening", message}, want: tally{Messages: 1, Stray: 1}},
		{name: "a log in brackets", lines: []string{"[info] {ready", message}, want: tally{Messages: 1, Stray: 1}},
		{name: "a log in JSON", lines: []string{`{"level":"info"}`}, want: tally{Stray: 1}},
		{name: "indentation", lines: []string{"{", `  "jsonrpc": "2.0",`, `  "method": "x"`, "}", message}, want: tally{Messages: 1, Broken: 4}},
		{name: "a raw line break in a string", lines: []string{`{"jsonrpc":"2.0","method":"x","params":{"a":"{`, `}"}}`}, want: tally{Broken: 2}},
		{name: "an indented log", lines: []string{"{", `  "level": "info"`, "}"}, want: tally{Stray: 3}},
		{name: "an unfinished piece before a message", lines: []string{`{"jsonrpc":`, message}, want: tally{Messages: 1, Stray: 1}},
		{name: "an unfinished piece at the end", lines: []string{`{"jsonrpc":`}, want: tally{Stray: 1}},
		{name: "the last piece without a newline", lines: []string{"{", `"jsonrpc":"2.0","method":"x"`}, rest: "}", want: tally{Broken: 3}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var s sorter
			var got tally
			for _, line := range row.lines {
				got.add(s.line(probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte(line))}))
			}
			got.add(s.end([]byte(row.rest)))
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSorterHoldsLittle: the sorter gives up a message that never ends, at a limit.
func TestSorterHoldsLittle(t *testing.T) {
	t.Parallel()
	var s sorter
	var got tally
	for range maxPieces + 1 {
		got.add(s.line(probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte(`{"a":`))}))
	}
	if got.Stray != maxPieces {
		t.Errorf("%d lines were let go, want %d", got.Stray, maxPieces)
	}
}

// TestBehindAMessage: one case names what stands behind a message on its line. A second
// message lacks a newline before it, and other text was printed where only messages belong.
func TestBehindAMessage(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	for behind, want := range map[string]struct{ framing, pollution bool }{
		"": {}, " \t": {},
		message:                {framing: true},
		" [" + message + "]":   {framing: true},
		"No display available": {pollution: true},
		"}":                    {pollution: true},
	} {
		seen := (&probe.Connection{}).See(probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte(message+behind))})
		if got := newlines(seen).Violation() != nil; got != want.framing {
			t.Errorf("%q: stdio/newline-framing fails: %v, want %v", behind, got, want.framing)
		}
		if got := new(messagesOnly).See(seen).Violation() != nil; got != want.pollution {
			t.Errorf("%q: stdio/stdout-messages-only fails: %v, want %v", behind, got, want.pollution)
		}
	}
}

// TestPollutionShowsTheRequest: what printed the line is easier to find by the request that the server
// was at, which is known where there was one only.
func TestPollutionShowsTheRequest(t *testing.T) {
	t.Parallel()
	sent := func(id string) frame.Frame {
		return frame.New(frame.Sent, frame.KindMessage, []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call"}`))
	}
	answer := frame.New(frame.Received, frame.KindMessage, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	for name, row := range map[string]struct {
		before []frame.Frame
		want   int // frames
	}{
		"one request":         {[]frame.Frame{sent("1")}, 2},
		"two requests":        {[]frame.Frame{sent("1"), sent("2")}, 1},
		"one of two answered": {[]frame.Frame{sent("1"), sent("2"), answer}, 2},
		"none":                {[]frame.Frame{sent("1"), answer}, 1},
	} {
		w, connection := new(messagesOnly), &probe.Connection{}
		for _, f := range row.before {
			w.See(connection.See(probe.Seen{Frame: f}))
		}
		v := w.See(connection.See(probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte("calling"))})).Violation()
		if v == nil || len(v.Frames) != row.want {
			t.Errorf("%s: %+v, want %d frames", name, v, row.want)
		}
	}
}

// TestCutOff: a server that ends in the middle of a message has not left out its newline.
func TestCutOff(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	for rest, broken := range map[string]bool{message: true, message + " ": true, message[:20]: false, "[" + message[:1]: false, "": false, "bye": false} {
		f := frame.New(frame.Received, frame.KindEnd, nil)
		f.End = &frame.End{Exited: true, Unterminated: []byte(rest)}
		if got := newlines((&probe.Connection{}).See(probe.Seen{Frame: f})).Violation() != nil; got != broken {
			t.Errorf("%q at the end: broken is %v, want %v", rest, got, broken)
		}
	}
}
