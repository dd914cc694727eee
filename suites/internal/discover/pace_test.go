package discover_test

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/internal/bubble"
	"github.com/mcp-conform/mcp-conform/suites/internal/discover"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// What a server that is slow, busy or silent is known to speak: silence says
// nothing about a revision unless something behind it was answered.
func TestPace(t *testing.T) {
	t.Parallel()
	only := []requirements.Revision{"2025-11-25"}
	both := []requirements.Revision{"2025-11-25", "2026-07-28"}
	modern := discovery("2026-07-28")["server/discover"]
	unknown := &fakeserver.Error{Code: -32601, Message: "unknown method"}
	for name, row := range map[string]struct {
		discover func(asked int64) any // the answer to server/discover, by how often it was asked
		behind   any                   // the answer to initialize on a connection that was asked that; nil: a good one
		start    time.Duration         // until anything is read
		spoken   []requirements.Revision
		unknown  []requirements.Revision
		atMost   time.Duration
	}{
		"all at once":                   {func(int64) any { return modern(fakeserver.Request{}) }, nil, 0, both, nil, time.Second},
		"a slow start":                  {func(int64) any { return modern(fakeserver.Request{}) }, nil, 25 * time.Second, both, nil, 30 * time.Second},
		"a slow start, one era":         {func(int64) any { return unknown }, nil, 25 * time.Second, only, nil, 30 * time.Second},
		"discovery ignored":             {func(int64) any { return fakeserver.Silence{} }, nil, 0, only, nil, 3 * time.Second},
		"discovery ignored after start": {func(int64) any { return fakeserver.Silence{} }, nil, 8 * time.Second, only, nil, 30 * time.Second},
		"everything ignored":            {func(int64) any { return fakeserver.Silence{} }, fakeserver.Silence{}, 0, only, both[1:], 40 * time.Second},
		"busy the first time": {func(asked int64) any {
			if asked == 1 {
				return fakeserver.Silence{}
			}
			return modern(fakeserver.Request{})
		}, fakeserver.Silence{}, 0, both, nil, 20 * time.Second},
		"late when alone": {func(asked int64) any {
			time.Sleep(9 * time.Second)
			return modern(fakeserver.Request{})
		}, fakeserver.Silence{}, 0, both, nil, 25 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble.Run(t, func(t *testing.T) {
				var asked atomic.Int64
				s := &fakeserver.Server{Stdio: fakeserver.Stdio{Begin: func(io.Writer, io.Writer) { time.Sleep(row.start) }}}
				s.Answer = map[string]func(fakeserver.Request) any{
					"server/discover": func(fakeserver.Request) any { return row.discover(asked.Add(1)) },
					"initialize": func(r fakeserver.Request) any {
						if id := string(r.ID); id != "1" && row.behind != nil {
							return row.behind
						}
						return map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}}
					},
				}
				l := stdio(s)
				l.Setup.Waits.Opening = time.Minute
				began := time.Now()
				found, err := l.Versions(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer found.Close(t.Context())
				if diff := cmp.Diff(row.spoken, found.Revisions()); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(row.unknown, found.Unknown); diff != "" {
					t.Error("unknown:", diff)
				}
				if took := time.Since(began); took > row.atMost || took < row.start {
					t.Errorf("it took %s, want %s at most", took, row.atMost)
				}
				if row.start > 0 && found.Started < row.start {
					t.Errorf("the first answer came after %s, it says", found.Started)
				}
			})
		})
	}
}

// A server that answers nothing at all is waited for once, or twice over HTTP.
func TestNothingAnswered(t *testing.T) {
	t.Parallel()
	for transport, want := range map[requirements.Transport]time.Duration{
		requirements.Stdio: 60 * time.Second,
		requirements.HTTP:  70 * time.Second, // the others follow one of them
	} {
		bubble.Run(t, func(t *testing.T) {
			l := stdio(&fakeserver.Server{Answer: all(fakeserver.Silence{})})
			l.Transport = transport // what it is reached by is silent anyway
			l.Setup.Waits.Opening = time.Minute
			began := time.Now()
			found, err := l.Versions(t.Context())
			if err != nil || len(found.Revisions()) > 0 {
				t.Fatal(found.Revisions(), err)
			}
			defer found.Close(t.Context())
			if took := time.Since(began).Round(time.Second); took != want {
				t.Errorf("over %s it took %s, want %s", transport, took, want)
			}
		})
	}
}

// Over stdio each revision costs a process: those that nobody needs yet are asked
// for when somebody does.
func TestRevisionsAskedLater(t *testing.T) {
	t.Parallel()
	s := &fakeserver.Server{Revisions: []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}}
	found, err := stdio(s).Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found.Close(t.Context())
	greeted := func() (n int) {
		for _, r := range s.Seen() {
			if r.Method == "initialize" {
				n++
			}
		}
		return n
	}
	if n := greeted(); n != 1 || len(found.Revisions()) != 1 {
		t.Errorf("%d handshakes for %v", n, found.Revisions())
	}
	for range 2 {
		spoken, err := found.Versions(t.Context())
		if err != nil || len(spoken.Echoed) != 4 {
			t.Errorf("%v, %v", spoken, err)
		}
	}
	if n := greeted(); n != 4 || len(found.Revisions()) != 4 {
		t.Errorf("%d handshakes for %v", n, found.Revisions())
	}
}

// Later starts may take some times as long as the first one.
func TestOpening(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ first, want time.Duration }{
		"nothing known": {0, time.Minute},
		"quick":         {300 * time.Millisecond, 10 * time.Second},
		"slow":          {4 * time.Second, 40 * time.Second},
		"very slow":     {30 * time.Second, time.Minute},
	} {
		if got := discover.Opening(row.first, 10*time.Second, time.Minute); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}
