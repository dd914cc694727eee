package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// rendezvous is the key of the address where a server under test reports that it has
// come to a point.
type rendezvous struct{}

// background is the key of the command that interrupt stores for ended.
type background struct{ cmd *exec.Cmd }

// surroundings prepares the environment of the scripts: web pages and servers behind
// them, an address where nobody listens, a meeting point, a folder for traces.
func surroundings(env *testscript.Env) error {
	pages := httptest.NewServer(web())
	env.Defer(pages.Close)
	address, err := vacant.Address()
	if err != nil {
		return err
	}
	point, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = point.Close() })
	env.Values[rendezvous{}] = point
	env.Values[background{}] = &background{}
	traces := filepath.Join(env.WorkDir, "traces")
	env.Vars = append(env.Vars, "PAGES="+pages.URL, "DEAD_ADDRESS="+address, "DEAD=http://"+address+"/mcp",
		"RENDEZVOUS="+point.Addr().String(), "TRACES="+traces, "SELF_VERSION="+version(), "TWO_LINES=a\nb",
		// A short run mostly prepares. It keeps little memory of that, and no script
		// looks at memory.
		"GOGC=400",
		// Under the race detector a program lingers for a second at its end.
		"GORACE=atexit_sleep_ms=0")
	return os.Mkdir(traces, 0o755)
}

func commands(ctx context.Context) map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits":     exits,
		"inside":    func(ts *testscript.TestScript, neg bool, args []string) { inside(ctx, ts, neg, args) },
		"meet":      meet,
		"interrupt": interrupt,
		"ended":     ended,
		"orphans":   orphans,
		"slay":      killTraced,
		"same":      same,
		"width":     within,
		"verdict":   verdict,
		"harmless":  harmless,
		"awaits":    awaits,
	}
}

// met tells of the condition nohup: programs that are started here ignore a closed terminal.
func met(condition string) (bool, error) {
	if condition != "nohup" {
		return false, errors.New("unknown condition " + condition)
	}
	return signal.Ignored(syscall.SIGHUP), nil
}

// exits CODE COMMAND ARGS... runs a command and expects this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		code = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// inside CODE mcp-conform ARGS... is exits in the process of the test, which is much
// cheaper. It suits only commands that judge nothing, since a run ends all processes
// that it does not know as its own, and commands that touch no file of the working
// directory.
func inside(ctx context.Context, ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != program {
		ts.Fatalf("usage: inside code %s args...", program)
	}
	code := run(ctx, args[2:], world{
		in: strings.NewReader(""), out: ts.Stdout(), err: ts.Stderr(), now: time.Now, exit: func(int) {},
		self: func() (string, error) { return exec.LookPath(program) }, // the test binary is another program
		env:  func(name string) (string, bool) { value := ts.Getenv(name); return value, value != "" },
	})
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
	if _, err := os.Stat("mcp-conform-report"); err == nil {
		ts.Fatalf("a report was written")
	}
}

// awaits FILE TEXT TIMES waits until a file holds a text so many times.
func awaits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: awaits file text times")
	}
	times, err := strconv.Atoi(args[2])
	ts.Check(err)
	for range 1200 {
		if text, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Count(string(text), args[1]) >= times {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s never held %q", args[0], args[1])
}

// harmless FILE expects no line that a build server would obey, except for our own
// annotations.
func harmless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: harmless file|stdout|stderr")
	}
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		ours := strings.HasPrefix(line, "::error title=") ||
			strings.HasPrefix(line, "::warning title=") ||
			strings.HasPrefix(line, "::notice title=")
		if strings.HasPrefix(line, "::") && !ours {
			ts.Fatalf("%s: GitHub obeys %q", args[0], line)
		}
		for _, command := range []string{"##[", "##vso[", "##teamcity[", "[[ATTACHMENT|"} {
			if strings.Contains(line, command) && (command[0] == '#' || strings.HasSuffix(args[0], ".xml")) {
				ts.Fatalf("%s: a build server obeys %q", args[0], line)
			}
		}
	}
}

// meet waits until a server under test reports that it has come to its point.
func meet(ts *testscript.TestScript, _ bool, _ []string) {
	point := ts.Value(rendezvous{}).(*net.TCPListener)
	ts.Check(point.SetDeadline(time.Now().Add(time.Minute)))
	conn, err := point.Accept()
	ts.Check(err)
	ts.Check(conn.Close())
}

// interrupt INT|TERM|HUP|KILL signals the one background command; ended checks its exit
// code after wait.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	signal := map[string]os.Signal{
		"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill,
	}[args[0]]
	cmd := ts.BackgroundCmds()[0]
	ts.Value(background{}).(*background).cmd = cmd
	ts.Check(cmd.Process.Signal(signal))
}

// ended CODE expects the exit code of the interrupted command.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	if got := ts.Value(background{}).(*background).cmd.ProcessState.ExitCode(); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
	// Other servers of the run may have called at the meeting point too; the next run
	// must not meet them.
	point := ts.Value(rendezvous{}).(*net.TCPListener)
	for {
		ts.Check(point.SetDeadline(time.Now().Add(10 * time.Millisecond)))
		conn, err := point.Accept()
		if err != nil {
			return
		}
		ts.Check(conn.Close())
	}
}

// orphans expects that no server with a trace is alive, or with ! that one is. A killed
// process may take a moment to be gone.
func orphans(ts *testscript.TestScript, neg bool, _ []string) {
	traces := traced(ts)
	for tries := 0; ; tries++ {
		living := 0
		for _, pid := range traces {
			if alive(pid) {
				living++
			}
		}
		switch {
		case neg == (living > 0):
			return
		case neg || tries == 100:
			ts.Fatalf("%d of %d servers are alive", living, len(traces))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// traced lists the servers that left a trace.
func traced(ts *testscript.TestScript) []int {
	traces, err := os.ReadDir(ts.Getenv("TRACES"))
	ts.Check(err)
	if len(traces) == 0 {
		ts.Fatalf("no server left a trace")
	}
	pids := make([]int, len(traces))
	for i, trace := range traces {
		pids[i], err = strconv.Atoi(trace.Name())
		ts.Check(err)
	}
	return pids
}

// slay kills the servers with a trace that are still alive.
func killTraced(ts *testscript.TestScript, _ bool, _ []string) {
	for _, pid := range traced(ts) {
		if process, err := os.FindProcess(pid); err == nil && alive(pid) {
			ts.Check(process.Kill())
		}
	}
}

// same A B expects two reports that differ only in times.
func same(ts *testscript.TestScript, _ bool, args []string) {
	var reports [2]any
	for i, name := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &reports[i]))
		timeless(reports[i])
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		ts.Fatalf("%s and %s differ:\n%s", args[0], args[1], diff)
	}
}

func timeless(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"started", "durationMs", "at"} {
			delete(v, name)
		}
		for _, member := range v {
			timeless(member)
		}
	case []any:
		for _, item := range v {
			timeless(item)
		}
	}
}

// width N FILE expects no line longer than N.
func within(ts *testscript.TestScript, _ bool, args []string) {
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > most {
			ts.Fatalf("%d characters, want at most %d: %s", len([]rune(line)), most, line)
		}
	}
}

// verdict FILE STATUS CODE reads a report.
func verdict(ts *testscript.TestScript, _ bool, args []string) {
	var r struct {
		Verdict struct {
			Status   string
			ExitCode int
			Text     string
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &r))
	if got := fmt.Sprint(r.Verdict.Status, " ", r.Verdict.ExitCode); got != args[1]+" "+args[2] {
		ts.Fatalf("verdict %s, want %s %s: %s", got, args[1], args[2], r.Verdict.Text)
	}
}
