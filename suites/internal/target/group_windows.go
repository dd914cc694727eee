//go:build windows

package target

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// group gives the command a process group of its own, so that a break event
// reaches it and not us.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup sends the Windows event closest to SIGTERM.
func terminateGroup(p *os.Process) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid))
}

// killGroup ends the tree below the process, with the tool of Windows: the
// children of a process can only be found one by one.
func killGroup(p *os.Process) error {
	errTree := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	if errTree == nil {
		return nil
	}
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(errTree, err)
	}
	return nil
}

// groupAlive reports false: once its parent is gone, a child can no longer be
// told from the children of others.
func groupAlive(*os.Process) bool { return false }

func signalName(*os.ProcessState) string { return "" }
