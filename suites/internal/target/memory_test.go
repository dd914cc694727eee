package target_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
)

type serve = func(ctx context.Context, term <-chan struct{}, in io.Reader, out, errw io.Writer) int

func copies(_ context.Context, _ <-chan struct{}, in io.Reader, out, errw io.Writer) int {
	n, err := io.Copy(out, in)
	fmt.Fprint(errw, n, err)
	return 3
}

func TestMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		serve        serve
		code         int
		signal       string
		out, errPart string
	}{
		{"copies", copies, 3, "", "hello", "5"},
		{"panics", func(context.Context, <-chan struct{}, io.Reader, io.Writer, io.Writer) int { panic("oh no") }, 2, "", "", "panic: oh no"},
		{"listens to the signal", func(_ context.Context, term <-chan struct{}, _ io.Reader, out, _ io.Writer) int {
			<-term
			fmt.Fprint(out, "bye")
			return 4
		}, 4, "", "bye", ""},
		{"is killed", func(ctx context.Context, _ <-chan struct{}, _ io.Reader, _, _ io.Writer) int {
			<-ctx.Done()
			return 0
		}, -1, "SIGKILL", "", ""},
		{"is killed writing", func(_ context.Context, _ <-chan struct{}, _ io.Reader, out, _ io.Writer) int {
			for {
				if _, err := out.Write(make([]byte, 1000)); err != nil {
					return 0
				}
			}
		}, -1, "SIGKILL", "\x00", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, err := target.Memory{Serve: tt.serve}.Launch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(p.Stdin, "hello"); err != nil && tt.code != 2 {
					t.Error(err)
				}
				if err := p.Stop(t.Context(), 50*time.Millisecond); err != nil {
					t.Error(err)
				}
				out, err := io.ReadAll(p.Stdout)
				if !strings.HasPrefix(string(out), tt.out) || err != nil {
					t.Errorf("stdout %q %v", out, err)
				}
				if p.ExitCode() != tt.code || p.Signal() != tt.signal || p.PID() != 0 {
					t.Errorf("got %d %q %d", p.ExitCode(), p.Signal(), p.PID())
				}
				if !strings.Contains(p.Stderr(), tt.errPart) {
					t.Errorf("stderr %q", p.Stderr())
				}
				if _, err := p.Stdin.Write([]byte("x")); err == nil {
					t.Error("stdin still takes bytes")
				}
				if err := errors.Join(p.Terminate(), p.Kill(), p.Stdout.Close()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestMemoryThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	if _, err := (target.Memory{}).Launch(t.Context()); err == nil {
		t.Error("nothing was started")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, l := range []target.Launcher{target.Memory{Serve: nil}, target.Command{Argv: []string{"x"}}} {
		if _, err := l.Launch(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: %v", l, err)
		}
	}
}

// The end of the start's context must not end the server.
func TestMemoryOutlivesItsStart(t *testing.T) {
	t.Parallel()
	start, cancel := context.WithCancel(t.Context())
	p, err := target.Memory{Serve: func(ctx context.Context, _ <-chan struct{}, in io.Reader, out, _ io.Writer) int {
		_, _ = io.Copy(out, in)
		if ctx.Err() != nil {
			return 1
		}
		return 0
	}}.Launch(start)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.Stop(t.Context(), time.Minute); err != nil || p.ExitCode() != 0 {
		t.Errorf("got %v, code %d", err, p.ExitCode())
	}
}

// Stop shortens its waits when its context has ended, and still kills.
func TestStopWithoutTime(t *testing.T) {
	t.Parallel()
	p, err := target.Memory{Serve: func(ctx context.Context, _ <-chan struct{}, _ io.Reader, _, _ io.Writer) int {
		<-ctx.Done()
		return 0
	}}.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ended, time.Hour); err != nil || p.Signal() != "SIGKILL" {
		t.Errorf("got %v, signal %q", err, p.Signal())
	}
}
