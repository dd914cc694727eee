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
				if err := p.Stop(t.Context(), 50*time.Millisecond, nil); err != nil {
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
	if err := p.Stop(t.Context(), time.Minute, nil); err != nil || p.ExitCode() != 0 {
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
	if err := p.Stop(ended, time.Hour, nil); err != nil || p.Signal() != "SIGKILL" {
		t.Errorf("got %v, signal %q", err, p.Signal())
	}
}

// The first processes of a server get the grace each time. Once three of them were still there, the
// others get a moment. One that ends on the signal keeps the grace behind it.
func TestOutlivedGraces(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		slow        time.Duration // from the signal to the end; 0: it never ends
		first, last time.Duration
	}{
		"it ends on no signal":          {0, 2 * time.Second, 400 * time.Millisecond},
		"it ends soon after the signal": {500 * time.Millisecond, 1500 * time.Millisecond, 700 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				outlived := new(target.Outlived)
				for i, want := range []time.Duration{row.first, row.first, row.first, row.last, row.last} {
					p, err := target.Memory{Serve: func(ctx context.Context, term <-chan struct{}, _ io.Reader, _, _ io.Writer) int {
						if row.slow > 0 {
							<-term
							time.Sleep(row.slow)
							return 0
						}
						<-ctx.Done()
						return 0
					}}.Launch(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					began := time.Now()
					if err := p.Stop(t.Context(), time.Second, outlived); err != nil {
						t.Error(err)
					}
					if took := time.Since(began); took != want {
						t.Errorf("process %d: %s, want %s", i, took, want)
					}
				}
			})
		})
	}
}
