package main

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reference-server/faults"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/fleet"
)

var fleetSize = flag.Int("fleet", 12, "the number of servers of TestShardsOfAFleet")

// harbours serves so many reference servers at paths of one address, and names them in a
// file. Every seventh has a fault.
func harbours(t *testing.T, dir string, n int) string {
	t.Helper()
	mux := http.NewServeMux()
	page := httptest.NewServer(mux)
	t.Cleanup(page.Close)
	var file strings.Builder
	file.WriteString("defaults: {revision: \"2025-11-25\", limit: 2m}\nservers:\n")
	for i := range n {
		root := fmt.Sprintf("/harbour-%d", i)
		handler := inprocess.Server(nil).Handler
		if i%7 == 3 {
			handler = faulty(t, "ping-result-not-empty")
		}
		mux.Handle(root+"/", http.StripPrefix(root, handler))
		fmt.Fprintf(&file, "  - {name: harbour-%d, url: \"%s%s%s\"}\n", i, page.URL, root, inprocess.Path)
	}
	named := filepath.Join(dir, "fleet.yaml")
	if err := os.WriteFile(named, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return named
}

func faulty(t *testing.T, name string) http.Handler {
	t.Helper()
	f, ok := faults.Find(name)
	if !ok {
		t.Fatalf("there is no fault %s", name)
	}
	return inprocess.Server(&f).Handler
}

// A fleet in four parts, one of which is killed and resumed, has the index of the whole.
func TestShardsOfAFleet(t *testing.T) {
	t.Parallel()
	if testing.Short() && *fleetSize > 12 {
		t.Skip("-short: a small fleet is enough")
	}
	dir := t.TempDir()
	file := harbours(t, dir, *fleetSize)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, append([]string{"fleet"}, args...)...)
		cmd.Dir, cmd.Stderr = dir, &bytes.Buffer{}
		return cmd
	}
	judging := func(out string, more ...string) *exec.Cmd {
		return command(append([]string{
			filepath.Base(file), "--out", out, "--format", "json,html", "--parallel", "2", "--case", "ping/empty-result,tools/list-answered",
		}, more...)...)
	}
	failed := func(cmd *exec.Cmd) {
		t.Helper()
		if code := cmd.ProcessState.ExitCode(); code != reports.ExitFailed {
			t.Fatalf("%s: exit code %d, want 1: %s", cmd, code, cmd.Stderr)
		}
	}
	began := time.Now()
	single := judging("single")
	peak := watched(t, single)
	failed(single)
	t.Logf("%d servers: %s and %s of processor a server, the fleet itself took %s", *fleetSize,
		(time.Since(began) / time.Duration(*fleetSize)).Round(time.Millisecond), perServer(single), peak)

	var parts []string
	var working sync.WaitGroup
	for i := 1; i <= 4; i++ {
		name := fmt.Sprintf("part-%d", i)
		parts = append(parts, name)
		cmd := judging(name, "--shard", fmt.Sprintf("%d/4", i))
		working.Go(func() {
			if i != 2 {
				_ = cmd.Run() // its exit code says more
				return
			}
			killed(t, cmd, filepath.Join(dir, name))
			if _, err := os.Stat(filepath.Join(dir, name, indexFile)); err == nil {
				t.Error("the killed part has an index")
			}
			cmd = judging(name, "--shard", "2/4", "--resume")
			_ = cmd.Run()
			said := fmt.Sprint(cmd.Stderr)
			var taken, judged int
			if found := regexp.MustCompile(`: (\d+) servers? taken over: harbour-(?s:.*): judging (\d+) servers?`).FindStringSubmatch(said); found != nil {
				taken, judged = number(found[1]), number(found[2])
			}
			if taken == 0 || judged == 0 || taken+judged != (*fleetSize+2)/4 {
				t.Errorf("%d servers are taken over and %d judged: %s", taken, judged, said)
			}
		})
	}
	working.Wait()
	join := command(append([]string{"--join", "--out", "joined"}, parts...)...)
	_ = join.Run()
	failed(join)
	for _, name := range []string{indexFile, indexPage} {
		if want, got := timelessFile(t, dir, "single", name), timelessFile(t, dir, "joined", name); want != got {
			t.Errorf("%s differs:\n%s", name, cmp.Diff(want, got))
		}
	}
	x, err := readIndex(filepath.Join(dir, "joined"))
	if err != nil || len(x.Servers) != *fleetSize {
		t.Fatalf("%v: %d servers", err, len(x.Servers))
	}
	for _, row := range x.Servers {
		want := reports.Passed
		if row.Position%7 == 4 {
			want = reports.Failed
		}
		if row.Status != want {
			t.Errorf("%s: %s, want %s: %s", row.Name, row.Status, want, row.Text)
		}
		if !isFile(filepath.Join(dir, "joined", row.Folder, "report.html")) {
			t.Errorf("%s has no page", row.Name)
		}
	}
}

// watched runs a command and returns the most memory that its process took, where the
// system says so.
func watched(t *testing.T, cmd *exec.Cmd) (peak string) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // its exit code says more
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	peak = "memory unknown"
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if found := regexp.MustCompile(`VmHWM:\s+(.*)`).FindSubmatch(status); err == nil && found != nil {
			peak = string(found[1])
		}
	}
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // a pattern has found the digits
	return n
}

func perServer(cmd *exec.Cmd) time.Duration {
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return (used / time.Duration(*fleetSize)).Round(time.Millisecond)
}

// killed starts a part of a fleet and kills it when it has judged a server in full.
func killed(t *testing.T, cmd *exec.Cmd, out string) {
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(2 * time.Millisecond) {
		if rows, _ := filepath.Glob(filepath.Join(out, "servers", "*", rowFile)); len(rows) > 0 {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
}

// timelessFile reads a file without the times in it.
func timelessFile(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	times := regexp.MustCompile(`"started": ".*"|"durationMs": [0-9]+|\d+ \w+ \d{4}, </span> <span>\d\d:\d\d UTC`)
	if !times.Match(text) {
		t.Errorf("%s names no time", parts)
	}
	return times.ReplaceAllString(string(text), "")
}

// A panic in one is the row of that server, and no more are judged at once than wanted.
func TestInParallel(t *testing.T) {
	t.Parallel()
	var all []member
	for i := range 20 {
		all = append(all, member{name: fmt.Sprint(i), position: i + 1, folder: folderOf(fmt.Sprint(i)), plan: "p"})
	}
	var mu sync.Mutex
	now, most, told := 0, 0, 0
	rows := inParallel(all, 3, func(m member) fleet.Row {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			now--
		}()
		time.Sleep(time.Millisecond)
		if m.position == 7 {
			panic("out of tune")
		}
		return fleet.Row{Name: m.name, Status: reports.Passed}
	}, func(fleet.Row) { told++ })
	if most != 3 || told != 20 {
		t.Errorf("%d at once, %d told; want 3 and 20", most, told)
	}
	for i, row := range rows {
		want := reports.Passed
		if i == 6 {
			want = reports.Unjudged
		}
		if row.Status != want || row.Position != i+1 || row.Name != fmt.Sprint(i) || row.Plan != "p" || (i == 6) != strings.Contains(row.Text, "out of tune") {
			t.Errorf("%d: %+v", i, row)
		}
	}
}

// No two names get one folder, also where the file system ignores the case.
func TestFolderOf(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range []string{
		"tides", "Tides", "tides.", "tides ", "@acme/tides", "@acme-tides", "../tides", "..", ".", "", "con", "CON", "con-", "Com1.", "com1", "тides", "ф", "ы", "-tides", "a/b", "a\\b",
		strings.Repeat("x", 300), strings.Repeat("x", 301), "tides\n", "tides-1f2e3d4c",
	} {
		got := folderOf(name)
		if other, twice := seen[strings.ToLower(got)]; twice {
			t.Errorf("%q and %q get %s", name, other, got)
		}
		seen[strings.ToLower(got)] = name
		if !regexp.MustCompile(`^servers/[a-z0-9_-]*(\.?[0-9a-f]{8})?$`).MatchString(got) || !filepath.IsLocal(got) || len(got) > 60 {
			t.Errorf("%q gets %q", name, got)
		}
		if base, _, _ := strings.Cut(path.Base(got), "."); isDevice(base) {
			t.Errorf("%q gets %q, a device on Windows whatever stands behind the dot", name, got)
		}
	}
	if got := folderOf("tides-2_x"); got != "servers/tides-2_x" {
		t.Errorf("got %s, want the name itself", got)
	}
}

// The plan of a server changes with how it is judged, and not with its secrets, its place
// among the others or the part that has it.
func TestPlanOfAMember(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plans := func(env, text string, flags ...string) map[string]string {
		t.Helper()
		file := filepath.Join(dir, "fleet.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w := world{env: func(string) (string, bool) { return env, true }}
		cmd := fleetCommand(w)
		f := fleetOf(runFlags{})
		set := cmd.Flags()
		if err := set.Parse(flags); err != nil {
			t.Fatal(err)
		}
		f.run.judging.jobs = 8
		p, err := f.plan(w, file, set)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{"": p.digest}
		for _, m := range p.members {
			all[m.name] = m.plan
		}
		return all
	}
	const one, two = "{name: a, url: http://h/mcp, headers: {Authorization: \"Bearer ${T}\"}}", "{name: b, command: x}"
	base := plans("secret-1", "servers: ["+one+","+two+"]")
	for what, test := range map[string]struct {
		got     map[string]string
		a, b, p bool // which stay
	}{
		"the same":        {plans("secret-1", "servers: ["+one+","+two+"]"), true, true, true},
		"another secret":  {plans("another-2", "servers: ["+one+","+two+"]"), true, true, true},
		"another order":   {plans("secret-1", "servers: ["+two+","+one+"]"), true, true, false},
		"another command": {plans("secret-1", "servers: ["+one+",{name: b, command: y}]"), true, false, false},
		"a timeout":       {plans("secret-1", "servers: ["+one+",{name: b, command: x, timeout: 1s}]"), true, false, false},
		"another case":    {plans("secret-1", "servers: ["+one+","+two+"]", "--case=ping/*"), false, false, false},
	} {
		if (test.got["a"] == base["a"]) != test.a || (test.got["b"] == base["b"]) != test.b || (test.got[""] == base[""]) != test.p {
			t.Errorf("%s: %v, before %v", what, test.got, base)
		}
	}
}

// A run that ends without a report says why by its last words.
func TestLastWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"mcp-conform: one\nmcp-conform: f.yaml:1:1: two\n   1 | x\n": "f.yaml:1:1: two",
		"mcp-conform: one\npanic: boom\n\ngoroutine 1":               "mcp-conform failed: panic: boom",
		"fatal error: out of memory\nmore":                           "mcp-conform failed: fatal error: out of memory",
		"":                                                           "the run ended with exit code 9 and without a report",
	} {
		if got := lastWords(said, 9); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
	last := &tail{}
	for range 1000 {
		_, _ = last.Write(bytes.Repeat([]byte("x"), 100))
	}
	_, _ = last.Write([]byte("the end"))
	if got := last.String(); len(got) != 2*tailSize || !strings.HasSuffix(got, "the end") {
		t.Errorf("%d bytes are kept", len(got))
	}
}

// A run of a fleet ends at once when the fleet is gone.
func TestEndWithInput(t *testing.T) {
	t.Parallel()
	var ended []string
	endWithInput(world{in: strings.NewReader("x"), exit: func(code int) { ended = append(ended, fmt.Sprint(code)) }}, func() { ended = append(ended, "killed") })
	if got := strings.Join(ended, " "); got != "killed 130" {
		t.Errorf("got %q", got)
	}
}

// A run that does not end after its limit is ended, and is a row.
func TestOverdueRun(t *testing.T) {
	t.Setenv("TRACES", t.TempDir())
	m := member{name: "hangs", position: 1, folder: folderOf("hangs"), limit: 300*time.Millisecond - endGrace}
	w := world{err: &bytes.Buffer{}, env: os.LookupEnv, self: func() (string, error) { return exec.LookPath("hanging-server") }}
	began := time.Now()
	row := m.judged(t.Context(), w, t.TempDir())
	if took := time.Since(began); row.Status != reports.Unjudged || row.ExitCode != reports.ExitUnjudged || !strings.Contains(row.Text, "and was ended") || took > endGrace {
		t.Errorf("after %s: %+v", took, row)
	}
}
