package target

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tie makes the system kill the command when this program ends, even by SIGKILL.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = unix.SIGKILL }

// adopt makes us the parent of every descendant whose own parent ends.
func adopt() {
	// Where this is not allowed, such processes are not found.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// children lists our children, as far as the system tells.
func children() []orphan {
	var found []orphan
	parent := strconv.Itoa(os.Getpid())
	for _, name := range processes() {
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it ended just now, or is no process
		}
		// The name is in parentheses and may contain some itself.
		before, after, ok := cutLast(string(text), ") ")
		fields := strings.Fields(after)
		if !ok || len(fields) < 2 || fields[1] != parent {
			continue
		}
		id, comm, _ := strings.Cut(before, " (")
		pid, err := strconv.Atoi(id)
		if err == nil {
			found = append(found, orphan{pid: pid, name: comm, dead: fields[0] == "Z"})
		}
	}
	return found
}

// processes lists the processes of the system. It reads only their names: a
// pattern would make the system fill in the folder of each.
func processes() []string {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := folder.Readdirnames(-1) // an error leaves the names read so far
	_ = folder.Close()
	return slices.DeleteFunc(names, func(name string) bool { return name[0] < '0' || name[0] > '9' })
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// ended reports whether the process has ended, and waits for it, since nobody
// else does.
func (c orphan) ended() bool {
	if c.dead {
		_, _ = unix.Wait4(c.pid, nil, unix.WNOHANG, nil)
	}
	return c.dead
}

func (c orphan) kill() { _ = unix.Kill(c.pid, unix.SIGKILL) }
