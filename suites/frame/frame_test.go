package frame_test

import (
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

func TestText(t *testing.T) {
	t.Parallel()
	post := frame.New(frame.Sent, frame.KindMessage, []byte(`{"token":"hush"}`))
	post.HTTP = &frame.HTTP{Method: "POST", Path: "/mcp?a=1", Header: http.Header{
		"X-B": {"hush", "2"}, "Authorization": {"Bearer abc"}, "Cookie": {"c=1"}, "Accept": {"*/*"}}}
	head := frame.New(frame.Received, frame.KindHead, nil)
	head.HTTP = &frame.HTTP{Status: 404, Proto: "HTTP/1.1", Header: http.Header{"Set-Cookie": {"c=1"}}}
	end := frame.New(frame.Received, frame.KindEnd, nil)
	end.End = &frame.End{Exited: true, ExitCode: 3, Unterminated: []byte("half"), Stderr: "key is hush\n"}
	killed := frame.New(frame.Received, frame.KindEnd, nil)
	killed.End = &frame.End{Exited: true, ExitCode: -1, Signal: "killed", Err: "stopped"}
	closed := frame.New(frame.Received, frame.KindEnd, nil)
	closed.End = &frame.End{}

	for _, tt := range []struct {
		name  string
		frame frame.Frame
		want  string
	}{
		{"post", post, "POST /mcp?a=1\nAccept: */*\nAuthorization: Bearer [redacted]\nCookie: [redacted]\nX-B: ***\nX-B: 2\n\n{\"token\":\"***\"}"},
		{"head", head, "HTTP/1.1 404\nSet-Cookie: [redacted]"},
		{"end", end, "exited with code 3\nstdout without a newline: half\nstderr: key is ***"},
		{"killed", killed, "ended by signal: killed\nstopped"},
		{"closed", closed, "closed"},
		{"zero", frame.Frame{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.frame.Redacted(func(s string) string { return strings.ReplaceAll(s, "hush", "***") })
			if diff := cmp.Diff(tt.want, f.Text()); diff != "" {
				t.Error(diff)
			}
			if string(f.Raw()) != string(tt.frame.Raw()) {
				t.Error("redaction changed the bytes")
			}
		})
	}
}

func TestRedactedTwice(t *testing.T) {
	t.Parallel()
	f := frame.New(frame.Sent, frame.KindMessage, []byte("ab"))
	f = f.Redacted(func(s string) string { return strings.ReplaceAll(s, "a", "b") })
	f = f.Redacted(func(s string) string { return strings.ReplaceAll(s, "b", "c") })
	if f.Text() != "cc" || f.Payload() != "cc" || string(f.Raw()) != "ab" {
		t.Errorf("got %q %q %q", f.Text(), f.Payload(), f.Raw())
	}
}

// The beginning of a secret at the end of a frame may be half a secret, and so
// may a process's unfinished line.
func TestHideAtCut(t *testing.T) {
	t.Parallel()
	hide := func(s string) string { return strings.NewReplacer("hus...", "***...", "...ush", "...***").Replace(s) }
	cut := frame.New(frame.Received, frame.KindMessage, []byte(`{"token":"hus`))
	cut.Truncated = true
	cut = cut.Redacted(hide)
	ended := frame.New(frame.Received, frame.KindEnd, nil)
	ended.End = &frame.End{Exited: true, Unterminated: []byte("my hus"), Stderr: "...ush is wrong: hus"}
	ended = ended.Redacted(hide)
	for got, want := range map[string]string{
		cut.Payload():           `{"token":"***`,
		cut.Text():              `{"token":"***`,
		cut.Hide("is hus"):      "is ***",
		cut.Hide("as it was"):   "as it was",
		cut.Hide("and so on.."): "and so on..",
		ended.Text():            "exited with code 0\nstdout without a newline: my ***\nstderr: ...*** is wrong: ***",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTruncatedMessage(t *testing.T) {
	t.Parallel()
	f := frame.New(frame.Received, frame.KindMessage, []byte(`{"id":1,"resu`))
	f.Size, f.Truncated = 1000, true
	if m := f.Message(); m.Class != frame.NotJSON || m.Problems[0].Kind != frame.Cut {
		t.Errorf("got %v %+v", m.Class, m.Problems)
	}
	if m := (frame.Frame{}).Message(); m.Class != frame.NotJSON {
		t.Errorf("zero frame: %v", m.Class)
	}
}

// The reading of a long frame may be dropped; reading it again gives the same.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	raw := `{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", 1<<20) + `","a":[1,2,{"b":null}]}}`
	f := frame.New(frame.Received, frame.KindMessage, []byte(raw))
	want := frame.Read([]byte(raw))
	for range 3 {
		if diff := cmp.Diff(want, f.Message()); diff != "" {
			t.Error(diff)
		}
		runtime.GC()
	}
}

// A held long frame is read once.
func TestHold(t *testing.T) {
	t.Parallel()
	f := frame.New(frame.Received, frame.KindMessage, []byte(`{"jsonrpc":"2.0","id":1,"result":{"text":"`+strings.Repeat("x", 1<<20)+`"}}`))
	tree := func() uintptr { return reflect.ValueOf(f.Message().Members).Pointer() }
	release := f.Hold()
	first := tree()
	for range 3 {
		runtime.GC()
		if tree() != first {
			t.Error("a frame that is held was read again")
		}
	}
	release()
	if !f.Message().HasID {
		t.Error("a frame that was held cannot be read any more")
	}
}

func TestEnumsHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range frame.Kinds() {
		seen["kind "+k.String()] = true
	}
	for _, c := range frame.Classes() {
		seen["class "+c.String()] = true
	}
	for _, p := range frame.ProblemKinds() {
		seen["problem "+string(p)] = true
	}
	if want := len(frame.Kinds()) + len(frame.Classes()) + len(frame.ProblemKinds()); len(seen) != want {
		t.Errorf("%d names for %d values: %v", len(seen), want, seen)
	}
	if frame.Kind(99).String() != "kind(99)" || frame.Class(99).String() != "class(99)" {
		t.Error("unknown values have no name")
	}
}
