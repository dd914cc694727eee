package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/reports"
)

func TestShellWords(t *testing.T) {
	t.Parallel()
	got := shellWords([]string{"./server", "a b", "", "it's", "${TOKEN}", "--x=1,2", "ä"})
	if want := `./server 'a b' '' 'it'\''s' '${TOKEN}' --x=1,2 'ä'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, id string
		want        bool
	}{
		{"ping/*", "ping/prompt", true}, {"*", "ping/prompt", true}, {"ping/promp?", "ping/prompt", true},
		{"ping", "ping/prompt", false}, {"ping/(", "ping/prompt", false}, {"p.ng/prompt", "ping/prompt", false},
	} {
		if got := glob(row.pattern).MatchString(row.id); got != row.want {
			t.Errorf("%s on %s: %v", row.pattern, row.id, got)
		}
	}
}

func TestColor(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		flag string
		env  map[string]string
		want bool
	}{
		{colorAuto, nil, false},
		{colorAuto, map[string]string{"FORCE_COLOR": "1"}, true},
		{colorAuto, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{colorAuto, map[string]string{"FORCE_COLOR": "0"}, false},
		{colorAuto, map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false},
		{colorAuto, map[string]string{"FORCE_COLOR": "1", "NO_COLOR": ""}, true},
		{colorNever, map[string]string{"FORCE_COLOR": "1"}, false},
		{colorAlways, map[string]string{"NO_COLOR": "1"}, true},
	} {
		w := world{out: &bytes.Buffer{}, env: func(name string) (string, bool) { v, ok := row.env[name]; return v, ok }}
		if got := colored(row.flag, w); got != row.want {
			t.Errorf("%s with %v: %v", row.flag, row.env, got)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var err bytes.Buffer
	var count tally
	at := time.Unix(0, 0)
	w := world{err: &err, env: func(string) (string, bool) { return "", false }, now: func() time.Time { return at }}
	p := newProgress(w, count.String)
	p.began = at.Add(-3 * time.Second)
	p.show()
	count.take(reports.Finding{Case: "ext-x/y", Suite: "ext-x", Status: reports.Skip}) // skipped before the cases run
	p.show()
	p.planned(4, count.plan(4))
	p.show()
	for _, s := range reports.Statuses() {
		f := reports.Finding{Case: "tools/listed", Suite: "tools", Status: s, Revision: "2025-11-25", Transport: "stdio", Problem: "it\x1b[2J is " + string(s)}
		count.take(f)
		p.tell(f)
	}
	p.show()
	count.wait("tools/list")
	p.show()
	count.wait("")
	p.live, p.width = true, 30
	p.show()
	p.planned(4, 1)
	p.tell(reports.Finding{Case: "tools/listed", Status: reports.Fail, Revision: "2025-11-25", Transport: "stdio"})
	want := "mcp-conform: looking at the server, 3.0 s\n" +
		"mcp-conform: looking at the server, 3.0 s\n" +
		"mcp-conform: 4 cases to run, 1 skipped; rules on every message are judged at the end\n" +
		"mcp-conform: 0 of 4 cases, 3.0 s\n" +
		"FAIL  tools/listed  it\\x1b[2J is fail  (2025-11-25 over stdio)\n" +
		"WARN  tools/listed  it\\x1b[2J is warn  (2025-11-25 over stdio)\n" +
		"ERROR tools/listed  it\\x1b[2J is error  (2025-11-25 over stdio)\n" +
		"mcp-conform: 4 of 4 cases, tools, 1 passed, 1 failed, 1 warned, 1 not judged, 1 in error, 3.0 s\n" +
		"mcp-conform: 4 of 4 cases, tools, 1 passed, 1 failed, 1 warned, 1 not judged, 1 in error, waiting for the answer to tools/list, 3.0 s\n" +
		"\r4 of 4 cases, tools, 1 passed\x1b[K" +
		"\r\x1b[KFAIL  tools/listed\n"
	if diff := cmp.Diff(want, err.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Every help text fits a terminal of 80 columns.
func TestHelpWidth(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := world{out: &out, err: &out, env: func(string) (string, bool) { return "", false }, now: time.Now}
	root, _ := rootCommand(w)
	for _, c := range root.Commands() {
		out.Reset()
		if code := run(t.Context(), []string{c.Name(), "--help"}, w); code != 0 {
			t.Errorf("help for %s ends with %d", c.Name(), code)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > helpWidth {
				t.Errorf("%s: %d columns: %s", c.Name(), n, line)
			}
		}
	}
}

// Foreign text within our own has no effect.
func TestSay(t *testing.T) {
	t.Parallel()
	var err bytes.Buffer
	w := world{err: &err}
	w.say("one\x1b[2J\n::error::two\nthree ##teamcity[four\n")
	want := "mcp-conform: one\\x1b[2J\n\\x3a:error::two\nthree \\x23#teamcity[four\n"
	if diff := cmp.Diff(want, err.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The name of a target is one line, whatever it contains.
func TestTargetIsOneLine(t *testing.T) {
	t.Parallel()
	var out, err bytes.Buffer
	w := world{out: &out, err: &err, env: func(string) (string, bool) { return "", false }, now: time.Now}
	args := []string{"run", "--config", "none", "--out", t.TempDir(), "--", "no-such-server", "\nFAIL  forged\x1b[2J"}
	if code := run(t.Context(), args, w); code != reports.ExitUnjudged {
		t.Errorf("exit code %d, want %d:\n%s", code, reports.ExitUnjudged, err.String())
	}
	for _, text := range []string{out.String(), err.String()} {
		if strings.Contains(text, "\nFAIL  forged") || strings.Contains(text, "\x1b") {
			t.Errorf("the target writes lines of its own:\n%s", text)
		}
	}
	if !strings.Contains(err.String(), `\x0aFAIL  forged\x1b[2J`) {
		t.Errorf("the target is not told as it is:\n%s", err.String())
	}
}
