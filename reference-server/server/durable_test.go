package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

const ableTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// taskOf calls slow_compute and gives the id of its task.
func taskOf(l *line, at column, seconds float64) string {
	l.t.Helper()
	l.send(at.call("1", ableTasks, fmt.Sprintf(`"name":"slow_compute","arguments":{"seconds":%v}`, seconds)))
	id, ok := result(l.t, l.next())["taskId"].(string)
	if !ok {
		l.t.Fatal("the call became no task")
	}
	return id
}

// ask sends a request about a task, and gives the answer.
func (c column) ask(l *line, method, task string) string {
	l.send(c.of(method, fmt.Sprintf(`"taskId":%q`, task)))
	return l.next()
}

// Tasks that are over are told alike by the next process, for as long as they live. A task
// that ran when its process ended has failed.
func TestTasksSurvive(t *testing.T) {
	t.Parallel()
	at, path := column{modern, "http"}, filepath.Join(t.TempDir(), "tasks")
	l := newPlace(t, server.Options{State: path}).dial(at, ableTasks)
	done, running, stopped := taskOf(l, at, 0.05), taskOf(l, at, 50), taskOf(l, at, 50)
	defer at.ask(l, "tasks/cancel", running)
	at.ask(l, "tasks/cancel", stopped)
	before := result(t, at.ask(l, "tasks/get", done))
	for deadline := time.Now().Add(time.Minute); before["status"] != "completed" && time.Now().Before(deadline); {
		time.Sleep(30 * time.Millisecond)
		before = result(t, at.ask(l, "tasks/get", done))
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(written, `{"id":"half a li`...), 0o600); err != nil {
		t.Fatal(err)
	}

	next := newPlace(t, server.Options{State: path}).dial(at, ableTasks)
	if diff := cmp.Diff(before, result(t, at.ask(next, "tasks/get", done))); diff != "" || before["result"] == nil {
		t.Errorf("the task that was over changed, -before +after: %s", diff)
	}
	for task, want := range map[string]string{running: "failed", stopped: "cancelled"} {
		if got := result(t, at.ask(next, "tasks/get", task)); got["status"] != want || want == "failed" && got["error"] == nil {
			t.Errorf("after the restart a task is %v, want %s", got, want)
		}
	}
	if got := tell(at.ask(next, "tasks/cancel", running)); got != "id 1 ok" {
		t.Errorf("to cancel a task of the process before led to %s", got)
	}
	if again := taskOf(next, at, 0.05); again == done {
		t.Error("a task has the id of an earlier one")
	}

	later := func() time.Time { return time.Now().Add(2 * time.Hour) }
	for _, o := range []server.Options{{State: path, Now: later}, {State: path}} {
		last := newPlace(t, o).dial(at, ableTasks)
		if got := tell(at.ask(last, "tasks/get", done)); got != "id 1 -32602" {
			t.Errorf("to look at a task behind its life led to %s", got)
		}
	}
}

func TestStateOfAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("buy bread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.New(server.Options{State: path}); err == nil || err.Error() != path+": line 1 is no task of this server" {
		t.Errorf("got %v", err)
	}
}
