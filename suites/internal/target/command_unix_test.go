//go:build unix

package target_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
)

func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func launch(t *testing.T, mode string) *target.Process {
	t.Helper()
	// The race detector would make each child take a second to exit.
	env := []string{childEnv + "=" + mode, "GORACE=atexit_sleep_ms=0"}
	p, err := target.Command{Argv: []string{os.Args[0]}, Env: env}.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCommandEchoes(t *testing.T) {
	t.Parallel()
	p := launch(t, "echo")
	if _, err := io.WriteString(p.Stdin, "hello\nhalf"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReaderSize(p.Stdout, 16).ReadString('\n')
	if line != "hello\n" || err != nil {
		t.Errorf("got %q %v", line, err)
	}
	if p.ExitCode() != -1 || p.Signal() != "" {
		t.Errorf("has an outcome before its end: %d %q", p.ExitCode(), p.Signal())
	}
	if err := p.Stop(t.Context(), time.Minute, nil); err != nil {
		t.Error(err)
	}
	rest, err := io.ReadAll(p.Stdout)
	if string(rest) != "half" || err != nil {
		t.Errorf("after the stop: %q %v", rest, err)
	}
	if p.ExitCode() != 0 || p.Signal() != "" || testchild.Alive(p.PID()) {
		t.Errorf("got %d %q, alive %v", p.ExitCode(), p.Signal(), testchild.Alive(p.PID()))
	}
}

func TestCommandOutlivesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode, signal string
		code         int
	}{
		{"exit", "", 7},
		{"deaf", "SIGTERM", -1},
		{"stubborn", "SIGKILL", -1},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			p := launch(t, tt.mode)
			// After its first line the process ignores our signals.
			if _, err := bufio.NewReader(p.Stdout).ReadString('\n'); err != nil {
				t.Error(err)
			}
			grace := time.Minute
			switch tt.mode {
			case "stubborn":
				grace = time.Millisecond // it ignores everything but a kill
			case "deaf": // Stop sends it the same signal after the grace
				if err := p.Terminate(); err != nil {
					t.Error(err)
				}
			}
			if err := p.Stop(t.Context(), grace, nil); err != nil {
				t.Error(err)
			}
			if p.ExitCode() != tt.code || p.Signal() != tt.signal || testchild.Alive(p.PID()) {
				t.Errorf("got %d %q, alive %v", p.ExitCode(), p.Signal(), testchild.Alive(p.PID()))
			}
			if err := errors.Join(p.Terminate(), p.Kill(), p.Stop(t.Context(), 0, nil)); err != nil {
				t.Errorf("once more: %v", err)
			}
			if err := p.Stdout.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestGrandchildrenHoldNothingUp(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"parent", "runaway"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := launch(t, mode)
			<-p.Exited()
			out, err := io.ReadAll(p.Stdout)
			pid, errPID := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil || errPID != nil {
				t.Fatalf("stdout %q: %v %v", out, err, errPID)
			}
			<-p.Done()
			if err := p.Stop(t.Context(), time.Minute, nil); err != nil {
				t.Error(err)
			}
			if mode == "runaway" {
				// It left the group, so the test has to end it.
				if err := unix.Kill(pid, unix.SIGKILL); err != nil {
					t.Error(err)
				}
			}
			gomega.NewWithT(t).Eventually(func() bool { return testchild.Alive(pid) }).Should(gomega.BeFalse())
		})
	}
}

func TestStderrFlood(t *testing.T) {
	t.Parallel()
	p := launch(t, "flood")
	if _, err := io.WriteString(p.Stdin, "x\n"); err != nil {
		t.Error(err)
	}
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); line != "x\n" {
		t.Errorf("got %q %v", line, err)
	}
	if err := p.Stop(t.Context(), time.Minute, nil); err != nil {
		t.Error(err)
	}
	if got := p.Stderr(); len(got) != len("...")+64<<10 || !strings.HasPrefix(got, "...") || !strings.HasSuffix(got, "the end\n") {
		t.Errorf("%d bytes of stderr", len(got))
	}
	_ = p.Stdout.Close()
}

func TestUnreadStdinCanBeClosed(t *testing.T) {
	t.Parallel()
	p := launch(t, "deaf")
	wrote := make(chan error, 1)
	go func() {
		_, err := p.Stdin.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	if err := p.Stop(t.Context(), 50*time.Millisecond, nil); err != nil {
		t.Error(err)
	}
	if err := <-wrote; err == nil {
		t.Error("a mebibyte went to somebody who reads nothing")
	}
	_ = p.Stdout.Close()
}

func TestLaunchErrorsNameWhatWasTried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		command target.Command
		want    string
	}{
		{"empty", target.Command{}, "empty"},
		{"empty word", target.Command{Argv: []string{""}}, "empty"},
		{"not in PATH", target.Command{Argv: []string{"no-such-server-anywhere"}}, `"no-such-server-anywhere"`},
		{"no file", target.Command{Argv: []string{"./nothing-here"}, Dir: "/"}, `"./nothing-here" in "/"`},
		{"no directory", target.Command{Argv: []string{os.Args[0]}, Dir: "/nothing-here"}, `in "/nothing-here"`},
		{"not executable", target.Command{Argv: []string{"/dev/null"}}, "permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := tt.command.Launch(t.Context())
			if err == nil {
				t.Fatal("it started")
			}
			if p != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestCommandDirAndEnv(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := target.Command{Argv: []string{self}, Dir: dir, Env: []string{childEnv + "=where", "TARGET_TEST_WORD=word"}}.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(p.Stdout)
	if string(out) != dir+" word <nil>\n" || err != nil {
		t.Errorf("got %q %v", out, err)
	}
	if err := p.Stop(t.Context(), time.Minute, nil); err != nil {
		t.Error(err)
	}
}
