package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
	"github.com/mcp-conform/mcp-conform/suites/record"
)

// childEnv makes the test binary behave as one of the servers below.
const childEnv = "WIRE_TEST_CHILD"

func TestMain(m *testing.M) { testchild.Main(m, childEnv, behave) }

// behave prints its process id first, or that of its child, then behaves as the mode says.
func behave(mode string) int {
	switch mode {
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "parent":
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), childEnv+"=mute")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if err := grandchild.Start(); err != nil {
			return 1
		}
		fmt.Println(grandchild.Process.Pid) // a busy machine may end it before it could say that itself
		return 5
	case "mute":
		select {}
	}
	fmt.Println(os.Getpid())
	switch mode {
	case "exit":
		fmt.Print("no newline")
		fmt.Fprint(os.Stderr, "cannot start")
		return 7
	case "echo":
		return testchild.Echo(os.Stdin, os.Stdout)
	case "slow to go": // ignores the end of its input
		_ = testchild.Echo(os.Stdin, os.Stdout)
		fmt.Println("still here")
	case "flood":
		line := []byte(strings.Repeat("x", 1023) + "\n")
		for range 4096 {
			if _, err := os.Stderr.Write(line); err != nil {
				return 1
			}
		}
		return testchild.Echo(os.Stdin, os.Stdout)
	case "long line":
		_, _ = io.WriteString(os.Stdout, strings.Repeat("y", 20<<20)+"\nafter\n")
		return testchild.Echo(os.Stdin, os.Stdout)
	}
	select {}
}

// memory returns a launcher for a server that is one function.
func memory(serve func(in io.Reader, out, errw io.Writer) int) target.Launcher {
	return target.Memory{Serve: func(_ context.Context, _ <-chan struct{}, in io.Reader, out, errw io.Writer) int {
		return serve(in, out, errw)
	}}
}

// says returns a launcher for a server that prints a text and waits for the end
// of its input.
func says(piece string) target.Launcher {
	return memory(func(in io.Reader, out, _ io.Writer) int {
		_, _ = io.WriteString(out, piece)
		_, _ = io.Copy(io.Discard, in)
		return 0
	})
}

func next(t *testing.T, c record.Conn) frame.Frame {
	t.Helper()
	f, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func shut(t *testing.T, c record.Conn) {
	t.Helper()
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// rest reads a connection to its end, checks the numbering and returns the
// frames.
func rest(t *testing.T, c record.Conn) []frame.Frame {
	t.Helper()
	var frames []frame.Frame
	for {
		f, err := c.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	for i, f := range frames {
		if f.Seq != frames[0].Seq+i || i > 0 && f.At < frames[i-1].At {
			t.Errorf("frame %d has number %d and time %v", i, f.Seq, f.At)
		}
	}
	if last := frames[len(frames)-1]; last.Kind != frame.KindEnd || last.Exchange != 0 {
		t.Errorf("the last frame is %v of exchange %d", last.Kind, last.Exchange)
	}
	return frames
}

func send(t *testing.T, c record.Conn, out frame.Outgoing) int {
	t.Helper()
	n, err := c.Send(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
