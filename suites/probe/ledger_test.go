package probe_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

type asking func(text string) *probe.Reply

// placed is a placed frame in one line.
func placed(s probe.Seen) string {
	line := string(s.Dir) + " " + s.Kind.String()
	if s.Request.Method != "" {
		line += " of " + s.Request.Method
	}
	if s.Malformed {
		line += ", bent"
	}
	return line
}

// Every frame knows its request, and whether something malformed on purpose
// provoked it.
func TestPlaces(t *testing.T) {
	t.Parallel()
	call := func(c *probe.Client) { c.Call("a", nil) }
	ask := func(text string) func(c *probe.Client) {
		return func(c *probe.Client) { c.Ask(text) }
	}
	for name, row := range map[string]struct {
		http bool
		hear func(s *server, h receivedFrame)
		do   func(c *probe.Client)
		want []string
	}{
		"a call":    {hear: says(result("1", "{}")), do: call, want: []string{"sent message of a", "received message of a"}},
		"HTTP call": {http: true, hear: posts(200, result("1", "{}")), do: call, want: []string{"sent message of a", "received head of a", "received message of a", "received end of a"}},
		"bent": {hear: says(result("1", "{}")), do: ask(`{"jsonrpc":"2.0","id":1,"method":"b"}`),
			want: []string{"sent message of b, bent", "received message of b, bent"}},
		"no JSON": {hear: says(refusal("null", "{}")), do: ask(`{`), want: []string{"sent message, bent", "received message, bent"}},
		"HTTP, no JSON": {http: true, hear: posts(400, refusal("null", "{}")), do: ask(`{`),
			want: []string{"sent message, bent", "received head, bent", "received message, bent", "received end, bent"}},
		"of nobody's": {hear: says(result("77", "{}"), result("1", "{}")), do: call,
			want: []string{"sent message of a", "received message", "received message of a"}},
		"id of another type": {hear: says(result(`"1"`, "{}")), do: call, want: []string{"sent message of a", "received message"}},
		"of its own accord": {hear: says(`{"jsonrpc":"2.0","method":"n"}`, result("1", "{}")), do: call,
			want: []string{"sent message of a", "received message", "received message of a"}},
		"HTTP, on its stream": {http: true, hear: posts(200, `{"jsonrpc":"2.0","method":"n"}`, result("1", "{}")), do: call,
			want: []string{"sent message of a", "received head of a", "received message of a", "received message of a", "received end of a"}},
		"the end": {hear: ends(frame.End{}), do: call, want: []string{"sent message of a", "received end"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &server{http: row.http, hear: row.hear})
				row.do(c)
				synctest.Wait()
				var got []string
				for _, s := range c.Since(0) {
					got = append(got, placed(s))
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A case can send the same text as a good request and as a malformed one; the
// way of sending tells them apart.
func TestWellAndBentAlike(t *testing.T) {
	t.Parallel()
	c := connect(t, &server{hear: polite})
	text := c.Compose("ping", nil)
	c.Ask(text)
	c.Call("ping", nil, probe.WithID("1"))
	var got []string
	for _, s := range c.Since(0) {
		got = append(got, placed(s))
	}
	want := []string{"sent message of ping, bent", "received message of ping, bent", "sent message of ping", "received message of ping"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A watcher sees each frame once, in order, with its case, column and request.
func TestWatching(t *testing.T) {
	t.Parallel()
	var seen []probe.Seen
	s := &server{http: true, hear: inSession}
	survey := &probe.Survey{}
	k := probe.Connect(t.Context(), probe.Link{Conn: &line{server: s}, Watch: func(s probe.Seen) { seen = append(seen, s) }},
		probe.Setup{Revision: requirements.R20251125, Transport: requirements.HTTP, Survey: survey, Kit: probe.Object{},
			Waits: probe.Waits{Answer: 1e10, Event: 1e10}, Memory: &probe.Memory{}})
	if err := k.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Serve("a/case", func() string { return "x" }, false)
	c := probe.Speaking(t.Context(), k)
	c.Call("tools/call", probe.Object{"name": "n"})
	if err := k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, s := range seen {
		if s.Seq != i+1 || s.Survey != survey || s.Transport != requirements.HTTP || s.Revision != requirements.R20251125 {
			t.Errorf("frame %d is %+v", i+1, s)
		}
	}
	if c.Nonce() != "x" || seen[0].Case != "" {
		t.Errorf("the handshake belongs to %q", seen[0].Case)
	}
	for _, s := range seen {
		if s.Request.Method != "tools/call" {
			continue
		}
		if s.Case != "a/case" || s.Request.Params()["name"] != "n" || s.Request.Header["Mcp-Session-Id"][0] != "s-1" {
			t.Errorf("a frame of the call is %+v", s)
		}
	}
}

// OnBinding leaves out messages that the column's revision does not bind.
func TestBound(t *testing.T) {
	t.Parallel()
	legacy, modern := requirements.R20251125, requirements.R20260728
	agree := func(version string) probe.Seen {
		return heardOf(result("1", `{"protocolVersion":"`+version+`"}`), probe.Asked{Method: "initialize"})
	}
	meta := map[string]any{"_meta": map[string]any{protocol.MetaVersion: "2026-07-28"}}
	old := map[string]any{"_meta": map[string]any{protocol.MetaVersion: "2025-11-25"}}
	notification := heardOf(`{"jsonrpc":"2.0","method":"n"}`, probe.Asked{})
	answered := heardOf(result("2", "{}"), probe.Asked{Method: "a"})
	for name, row := range map[string]struct {
		column requirements.Revision
		before []probe.Seen
		frame  probe.Seen
		want   bool
	}{
		"the handshake":            {legacy, nil, agree("2025-11-25"), true},
		"another handshake":        {legacy, nil, agree("2025-03-26"), false},
		"after it":                 {legacy, []probe.Seen{agree("2025-11-25")}, answered, true},
		"after another":            {legacy, []probe.Seen{agree("2025-03-26")}, answered, false},
		"before any":               {legacy, nil, answered, false},
		"a modern request":         {legacy, []probe.Seen{agree("2025-11-25")}, heardOf(result("2", "{}"), probe.AskedWith("a", meta)), false},
		"a notification":           {legacy, []probe.Seen{agree("2025-11-25")}, notification, true},
		"one before the handshake": {legacy, nil, notification, false},
		"modern":                   {modern, nil, heardOf(result("2", "{}"), probe.AskedWith("a", meta)), true},
		"modern, another version":  {modern, nil, heardOf(result("2", "{}"), probe.AskedWith("a", old)), false},
		"modern, no metadata":      {modern, nil, answered, false},
		"modern, a notification":   {modern, nil, notification, true},
		"modern after a handshake": {modern, []probe.Seen{agree("2025-11-25")}, notification, false},
		"an answer to nothing":     {legacy, []probe.Seen{agree("2025-11-25")}, heardOf(result("9", "{}"), probe.Asked{}), false},
		"an array":                 {legacy, []probe.Seen{agree("2025-11-25")}, heardOf("[]", probe.Asked{}), false},
		"no JSON":                  {legacy, []probe.Seen{agree("2025-11-25")}, heardOf("x", probe.Asked{}), false},
		"malformed":                {legacy, []probe.Seen{agree("2025-11-25")}, func() probe.Seen { s := answered; s.Malformed = true; return s }(), false},
		"sent":                     {legacy, []probe.Seen{agree("2025-11-25")}, func() probe.Seen { s := answered; s.Dir = frame.Sent; return s }(), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, view := probe.OnBinding(func(probe.Message) probe.Opinion { return probe.Kept() })(), &probe.Connection{}
			for _, s := range row.before {
				s.Revision = row.column
				w.See(view.See(s))
			}
			s := row.frame
			s.Revision = row.column
			if got := w.See(view.See(s)).Judged(); got != row.want {
				t.Errorf("bound %v, want %v", got, row.want)
			}
		})
	}
}

func heardOf(text string, asked probe.Asked) probe.Seen {
	return probe.Seen{Frame: frame.New(frame.Received, frame.KindMessage, []byte(text)), Request: asked}
}
