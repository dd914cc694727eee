//go:build unix

package wire_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
	"github.com/mcp-conform/mcp-conform/suites/internal/wire"
)

// start returns a connection to a child and its first line, the id of a process
// that has to be gone in the end.
func start(t *testing.T, mode string) (*wire.StdioConn, int) {
	t.Helper()
	grace := time.Minute // none of these servers has to be hurried
	if mode == "stubborn" {
		grace = time.Millisecond // it ignores everything but a kill
	}
	// The race detector would make each child take a second to exit.
	env := []string{childEnv + "=" + mode, "GORACE=atexit_sleep_ms=0"}
	c := dial(t, target.Command{Argv: []string{os.Args[0]}, Env: env}, wire.Options{Grace: grace})
	pid, err := strconv.Atoi(string(next(t, c).Raw()))
	if err != nil {
		t.Fatal(err)
	}
	return c, pid
}

func TestProcessesEndAndAreGone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode   string
		end    frame.End
		stderr int
	}{
		{"echo", frame.End{Exited: true}, 0},
		{"exit", frame.End{Exited: true, ExitCode: 7, Unterminated: []byte("no newline")}, len("cannot start")},
		{"slow to go", frame.End{Exited: true, ExitCode: -1, Signal: "SIGTERM"}, 0},
		{"stubborn", frame.End{Exited: true, ExitCode: -1, Signal: "SIGKILL"}, 0},
		{"parent", frame.End{Exited: true, ExitCode: 5}, 0},
		{"flood", frame.End{Exited: true}, len("...") + 64<<10},
		{"deaf", frame.End{Exited: true, ExitCode: -1, Signal: "SIGTERM"}, 0},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			c, pid := start(t, tt.mode)
			if tt.mode == "parent" {
				if pid == c.PID() {
					t.Error("the first line comes from the wrong process")
				}
			} else if pid != c.PID() {
				t.Errorf("process %d says it is %d", c.PID(), pid)
			}
			if tt.mode == "echo" || tt.mode == "flood" {
				send(t, c, frame.Outgoing{Text: "x"})
				if a, b := next(t, c), next(t, c); a.Text() != "x" || b.Text() != "x" || a.Dir == b.Dir {
					t.Errorf("got %v %q, %v %q", a.Dir, a.Text(), b.Dir, b.Text())
				}
			}
			switch tt.mode {
			case "echo", "flood", "stubborn":
				shut(t, c)
			case "slow to go", "deaf":
				goesBySignal(t, c, tt.mode)
			}
			frames := rest(t, c)
			end := *frames[len(frames)-1].End
			if len(end.Stderr) != tt.stderr {
				t.Errorf("%d bytes of stderr", len(end.Stderr))
			}
			if end.Stderr = ""; end.Err != tt.end.Err || end.ExitCode != tt.end.ExitCode || end.Signal != tt.end.Signal ||
				!end.Exited || string(end.Unterminated) != string(tt.end.Unterminated) {
				t.Errorf("got %+v, want %+v", end, tt.end)
			}
			shut(t, c)
			gomega.NewWithT(t).Eventually(func() bool { return testchild.Alive(pid) || testchild.Alive(c.PID()) }).Should(gomega.BeFalse())
		})
	}
}

// goesBySignal closes the input of a process and then sends it a signal.
// Package target tests the grace of Close, where time costs nothing.
func goesBySignal(t *testing.T, c *wire.StdioConn, mode string) {
	t.Helper()
	if err := c.CloseInput(); err != nil {
		t.Error(err)
	}
	if mode == "slow to go" {
		if f := next(t, c); f.Text() != "still here" {
			t.Errorf("at the end of its input it says %q", f.Text())
		}
	}
	if err := c.Terminate(); err != nil {
		t.Error(err)
	}
}

func TestProcessThatNeverReads(t *testing.T) {
	t.Parallel()
	c, pid := start(t, "deaf")
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Send(short, frame.Outgoing{Text: strings.Repeat("x", 1<<20)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := c.Terminate(); err != nil {
		t.Error(err)
	}
	frames := rest(t, c)
	if end := frames[len(frames)-1].End; end.Signal != "SIGTERM" || testchild.Alive(pid) {
		t.Errorf("end %+v", end)
	}
	if _, err := c.Send(t.Context(), frame.Outgoing{Text: "x"}); err == nil || strings.Contains(err.Error(), "|1") {
		t.Errorf("sent to nobody: %v", err)
	}
}

func TestProcessWithALongLine(t *testing.T) {
	t.Parallel()
	c, _ := start(t, "long line")
	f := next(t, c)
	if f.Size != 20<<20 || len(f.Raw()) != 16<<20 || !f.Truncated {
		t.Errorf("size %d, kept %d, truncated %v", f.Size, len(f.Raw()), f.Truncated)
	}
	if m := f.Message(); m.Class != frame.NotJSON || !m.Has(frame.Cut) {
		t.Errorf("read as %v, %v", m.Class, m.Problems)
	}
	if f := next(t, c); f.Text() != "after" {
		t.Errorf("then %q", f.Text())
	}
}
