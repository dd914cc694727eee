//go:build unix

package target

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group gives the command a process group of its own, so that signals to the
// group reach its children, and signals of our terminal do not.
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

// groupAlive reports whether any process of the group is left after its leader.
// Only a missing permission also counts as yes.
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
