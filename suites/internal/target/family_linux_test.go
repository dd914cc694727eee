package target_test

import (
	"bufio"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/target"
	"github.com/mcp-conform/mcp-conform/suites/internal/testchild"
)

// member starts a child in a family and waits for its first line, after which
// it ignores our signals.
func member(t *testing.T, f *target.Family, mode string) *target.Process {
	t.Helper()
	env := []string{childEnv + "=" + mode, "GORACE=atexit_sleep_ms=0"}
	p, err := target.Command{Argv: []string{os.Args[0]}, Env: env, Family: f}.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(p.Stdout).ReadString('\n'); err != nil {
		t.Error(err)
	}
	return p
}

// All processes of a family end at once, even those that left their group, and
// no more can start. Other tests have children too, so this test runs before
// the parallel ones.
func TestFamilyEndsAtOnce(t *testing.T) {
	f := target.NewFamily()
	defer f.Close()
	stubborn, deaf := member(t, f, "stubborn"), member(t, f, "deaf")
	gone := member(t, f, "runaway")
	<-gone.Done()
	left := f.Left()
	if len(left) != 1 || left[0].PID == gone.PID() || left[0].Name == "" {
		t.Errorf("%v left the group of its parent, want one", left)
	}
	f.Kill()
	if testchild.Alive(stubborn.PID()) || testchild.Alive(deaf.PID()) || len(f.Left()) > 0 {
		t.Error("not all of them are gone")
	}
	if _, err := (target.Command{Argv: []string{os.Args[0]}, Family: f}).Launch(t.Context()); err == nil {
		t.Error("another one was started")
	}
	for _, p := range []*target.Process{stubborn, deaf} {
		if err := p.Stdout.Close(); err != nil { // otherwise it stays open for a reader
			t.Error(err)
		}
		<-p.Done()
	}
	f.Kill() // nothing is left to do
}

// A child ends with this program, and not with the thread that asked for it.
func TestFamilyOutlivesItsThreads(t *testing.T) {
	f := target.NewFamily()
	defer f.Close()
	started := make(chan *target.Process)
	go func() {
		runtime.LockOSThread() // without unlocking: the thread ends with the goroutine
		started <- member(t, f, "echoing")
	}()
	p := <-started
	select {
	case <-p.Exited():
		t.Errorf("it ended by %s", p.Signal())
	case <-time.After(100 * time.Millisecond):
	}
	_ = p.Stdout.Close() // otherwise it stays open for a reader
	if err := p.Stop(t.Context(), time.Minute, nil); err != nil || p.Signal() != "" {
		t.Errorf("it ended by %q, %v", p.Signal(), err)
	}
}
