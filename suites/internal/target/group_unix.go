//go:build unix

package target

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group gives the command a process group of its own, so that its children
// are reached with it, and a signal from our terminal is not.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func terminateGroup(p *os.Process) error { return signalGroup(p, unix.SIGTERM) }

func killGroup(p *os.Process) error { return signalGroup(p, unix.SIGKILL) }

func signalGroup(p *os.Process, signal unix.Signal) error {
	err := unix.Kill(-p.Pid, signal)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// groupAlive reports whether any process of the group is left, the leader
// having been waited for. Only not being allowed to ask says yes as well.
func groupAlive(p *os.Process) bool {
	return !errors.Is(unix.Kill(-p.Pid, 0), unix.ESRCH)
}

func signalName(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return unix.SignalName(status.Signal())
}
