package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Command is a server that runs as a process.
type Command struct {
	Argv []string // program and arguments; no shell reads them
	Dir  string   // its working directory; "" is ours
	Env  []string // KEY=VALUE, added to our own environment

	// Trusted is a command of the user's own that judges nothing and is not judged. Others
	// get our environment as ForServer leaves it.
	Trusted bool

	Family *Family // gets the process as a member; nil: none
}

var _ Launcher = Command{}

// Launch starts the command in a process group of its own. It makes the pipes
// itself: Wait of os/exec would throw away unread output, or wait for a
// grandchild that keeps stderr open.
func (c Command) Launch(ctx context.Context) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.describe(), err)
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("start the server: the command is empty")
	}
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("start %s: its working directory %s is not a directory", c.describe(), c.Dir)
		}
	}
	// The end of ctx would kill only the leader of the group; Stop ends the whole group.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), c.Argv[0], c.Argv[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = c.environ(cmd.Environ())
	group(cmd)
	if c.Family != nil {
		tie(cmd)
	}

	var pipes pipeSet
	in, out, errs := pipes.open(), pipes.open(), pipes.open()
	if pipes.err != nil {
		pipes.closeAll()
		return nil, fmt.Errorf("start %s: %w", c.describe(), pipes.err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.read, out.write, errs.write
	p, err := c.Family.startMember(func() (*Process, error) {
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		// The child has its own copies; ours would keep the pipes open for ever.
		_ = errors.Join(in.read.Close(), out.write.Close(), errs.write.Close())
		return c.process(cmd, in.write, newOutput(out.read), newOutput(errs.read)), nil
	})
	if err != nil {
		pipes.closeAll()
		return nil, fmt.Errorf("start %s: %w", c.describe(), err)
	}
	return p, nil
}

func (c Command) environ(ours []string) []string {
	if !c.Trusted {
		ours = ForServer(ours)
	}
	return append(ours, c.Env...)
}

// process is the kit's side of the command's process.
func (c Command) process(cmd *exec.Cmd, stdin io.WriteCloser, stdout, stderr *output) *Process {
	r := &running{cmd: cmd, stdout: stdout, stderr: stderr}
	p := &Process{
		Stdin:     stdin,
		Stdout:    stdout,
		name:      c.describe(),
		pid:       cmd.Process.Pid,
		stderr:    newTail(stderrLimit),
		exited:    make(chan struct{}),
		done:      make(chan struct{}),
		terminate: func() error { return r.signal(terminateGroup) },
		kill:      func() error { return r.signal(killGroup) },
	}
	go func() {
		defer close(p.done)
		r.follow(p)
		c.Family.left(p)
	}()
	return p
}

func (c Command) describe() string {
	if len(c.Argv) == 0 {
		return "the server"
	}
	if c.Dir == "" {
		return fmt.Sprintf("%q", c.Argv[0])
	}
	return fmt.Sprintf("%q in %q", c.Argv[0], c.Dir)
}

// running is the kit's side of a process.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr *output

	mu   sync.Mutex
	gone bool // the group is empty, and its number may belong to another one now
}

// signal sends to the group while the number still belongs to it.
func (r *running) signal(send func(*os.Process) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return nil
	}
	return send(r.cmd.Process)
}

// follow waits for the process, then makes sure that its group ends.
func (r *running) follow(p *Process) {
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		// The tail takes everything; a read error is the end of stderr.
		_, _ = io.Copy(p.stderr, r.stderr)
		_ = r.stderr.Close()
	}()

	// The state holds any error of Wait, if there is a state.
	_ = r.cmd.Wait()
	p.code, p.signal = outcome(r.cmd.ProcessState)
	close(p.exited)

	r.mu.Lock()
	r.gone = !groupAlive(r.cmd.Process)
	r.mu.Unlock()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for _, ended := range []<-chan struct{}{copied, r.stdout.ended} {
		select {
		case <-ended:
		case <-timer.C:
			timer.Reset(0) // for the next one
		}
	}
	// The time of the remaining children is over. Killing may fail because they
	// ended just now.
	_ = r.signal(killGroup)
	r.mu.Lock()
	r.gone = true
	r.mu.Unlock()
	r.stderr.abandon()
	r.stdout.abandon()
	<-copied
	_ = p.Stdin.Close()
}

// outcome reads how a process ended.
func outcome(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	return state.ExitCode(), signalName(state)
}
