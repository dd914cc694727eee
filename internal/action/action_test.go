package action_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/action"
	"github.com/mcp-conform/mcp-conform/internal/vacant"
)

// Names are spelled as in GitHub's own actions, each has a description, and no input is
// part of the text of a script.
func TestShape(t *testing.T) {
	t.Parallel()
	a := read(t)
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	used := ""
	ids := map[string]bool{}
	for i, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %d interpolates into its script: %s", i, step.Run)
		}
		if step.Run != "" && step.Shell != "bash" {
			t.Errorf("step %d has the shell %q", i, step.Shell)
		}
		ids[step.ID] = true
		for _, value := range step.Env {
			used += value
		}
		used += step.If + step.WorkingDirectory
	}
	data, err := os.ReadFile(filepath.Join(root(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range a.Inputs {
		if !kebab.MatchString(name) || input.Description == "" {
			t.Errorf("input %q: %q", name, input.Description)
		}
		if !strings.Contains(string(data), "inputs."+name+" ") {
			t.Errorf("input %s is never used", name)
		}
	}
	from := regexp.MustCompile(`^\$\{\{ steps\.([a-z]+)\.outputs\.([a-z-]+) \}\}$`)
	for name, output := range a.Outputs {
		parts := from.FindStringSubmatch(output.Value)
		if !kebab.MatchString(name) || output.Description == "" || parts == nil || !ids[parts[1]] || parts[2] != name {
			t.Errorf("output %q: %q", name, output.Value)
		}
	}
	if a.Runs.Using != "composite" || used == "" {
		t.Errorf("using %q", a.Runs.Using)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	values := map[string]string{"a.b": "x"}
	for _, row := range []struct {
		condition string
		failed    bool
		want      bool
	}{
		{"", false, true}, {"", true, false}, {"always()", true, true}, {"a.b != ''", false, true}, {"a.b != 'x'", false, false},
		{"a.b != ''", true, false}, {"always() && a.b != 'x'", false, false}, {"always() && a.b != '' && a.c != 'y'", true, true},
	} {
		if got, err := action.Holds(row.condition, values, row.failed); got != row.want || err != nil {
			t.Errorf("%q, failed %v: got %v, %v", row.condition, row.failed, got, err)
		}
	}
	if _, err := action.Holds("failure() || a.b", values, false); err == nil {
		t.Error("what cannot be evaluated holds")
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the steps of the action are not run")
	}
	program := built(t)
	few := func(more map[string]string) map[string]string {
		inputs := map[string]string{"command": program, "args": "serve\n", "case": "ping/empty-result", "revision": "2025-11-25"}
		for name, value := range more {
			inputs[name] = value
		}
		return inputs
	}
	t.Run("passes", func(t *testing.T) { passes(t, newRunner(t, program), few(nil)) })
	t.Run("fails", func(t *testing.T) {
		inputs := few(map[string]string{"args": "serve\r\n--fault\r\n\r\nping-result-not-empty"})
		out := newRunner(t, program).run(t, inputs)
		if !out.failed || out.values["outputs.verdict"] != "fail" || out.values["outputs.exit-code"] != "1" || out.values["outputs.failed"] != "1" {
			t.Errorf("got %v: %s", out.values, out.log)
		}
		if len(out.used) != 1 {
			t.Errorf("a run that failed uploads nothing: %s", out.used)
		}
		if !strings.Contains(out.log, "\n::error") || !strings.Contains(out.summary, "ping/empty-result") {
			t.Errorf("no annotation, or no summary: %s\n%s", out.log, out.summary)
		}
		inputs["fail"], inputs["summary"], inputs["annotations"] = "false", "false", "false"
		if out := newRunner(t, program).run(t, inputs); strings.Contains(out.log, "\n::error") || out.summary != "" {
			t.Errorf("an annotation or a summary that nobody wants: %s\n%s", out.log, out.summary)
		}
		if out := newRunner(t, program).run(t, inputs); out.failed || out.values["outputs.verdict"] != "fail" {
			t.Errorf("with fail: false, got %v", out.values)
		}
	})
	t.Run("waits for an address", func(t *testing.T) { waits(t, newRunner(t, program), few(nil), program) })
	t.Run("hides headers", func(t *testing.T) { hides(t, newRunner(t, program)) })
	t.Run("wrong use", func(t *testing.T) {
		for _, inputs := range []map[string]string{
			{}, {"args": "x"}, few(map[string]string{"wait": "soon"}), few(map[string]string{"strict": "yes"}),
			{"command": "node dist/index.js"}, {"url": "http://127.0.0.1:1", "headers": "no colon", "wait": "0"},
			few(map[string]string{"flags": "jobs"}), few(map[string]string{"flags": "--out=elsewhere"}), few(map[string]string{"flags": "--no-such-flag"}),
			few(map[string]string{"suite": "no-such-suite"}), few(map[string]string{"suite": "no-such-suite", "fail": "false"}),
			few(map[string]string{"suite": "100%0A"}), few(map[string]string{"config": "no-such-file.yaml"}),
		} {
			out := newRunner(t, program).run(t, inputs)
			if !out.failed || out.values["outputs.exit-code"] != "2" || out.values["outputs.verdict"] != "" || len(out.used) > 0 {
				t.Errorf("%v: got %v: %s", inputs, out.values, out.log)
			}
			// The page of the job shows annotations, and not the log.
			if strings.Count("\n"+out.log, "\n::error title=mcp-conform::") != 1 || strings.Contains(strings.ReplaceAll(out.log, "%250A", ""), `::--suite "100%0A`) {
				t.Errorf("%v: not one annotation: %s", inputs, out.log)
			}
		}
		out := newRunner(t, program).run(t, few(map[string]string{"flags": "--jobs 4"}))
		if !strings.Contains(out.log, "as in --jobs=4") {
			t.Errorf("no hint at how a flag gets its value: %s", out.log)
		}
	})
	t.Run("further flags", func(t *testing.T) { flagged(t, program, few) })
	t.Run("compares", func(t *testing.T) { compares(t, program, few) })
	t.Run("hostile inputs", func(t *testing.T) { hostile(t, program, few) })
}

func passes(t *testing.T, r *runner, inputs map[string]string) {
	out := r.run(t, inputs)
	v := out.values
	if out.failed || v["outputs.exit-code"] != "0" || v["outputs.passed"] == "0" || v["outputs.failed"] != "0" || v["outputs.verdict"] == "" {
		t.Fatalf("got %v: %s", v, out.log)
	}
	folder := filepath.Join(r.dir, "mcp-conform-report")
	for name, file := range map[string]string{
		"folder": "", "report-json": "report.json", "junit": "junit.xml", "badge-svg": "badge.svg", "badge-json": "badge.json",
		"summary-md": "summary.md", "sarif": "report.sarif",
	} {
		if want := filepath.Join(folder, file); filepath.Clean(v["outputs."+name]) != want {
			t.Errorf("output %s is %q, want %q", name, v["outputs."+name], want)
		}
		if _, err := os.Stat(v["outputs."+name]); err != nil {
			t.Error(err)
		}
	}
	if len(out.used) != 1 || !strings.HasPrefix(out.used[0], "actions/upload-artifact@") {
		t.Errorf("used %s", out.used)
	}
	inputs["artifact"] = ""
	if out := r.run(t, inputs); len(out.used) > 0 {
		t.Errorf("used %s", out.used)
	}
}

// The flags reach the program, and later steps find it.
func flagged(t *testing.T, program string, few func(map[string]string) map[string]string) {
	r := newRunner(t, program)
	out := r.run(t, few(map[string]string{"flags": "--seed=77\r\n\n--jobs=2", "level": "MUST", "shard": "1/1"}))
	if out.failed || !strings.Contains(out.log, "seed 77") {
		t.Errorf("got %v: %s", out.values, out.log)
	}
	if out.values["outputs.program"] != program || !slices.Contains(out.given, "PATH="+filepath.Dir(program)+":"+r.path) {
		t.Errorf("the program is %q, later steps get %q", out.values["outputs.program"], out.given)
	}
}

// What changed since a report of before goes into the summary and into a file.
func compares(t *testing.T, program string, few func(map[string]string) map[string]string) {
	r := newRunner(t, program)
	if out := r.run(t, few(map[string]string{"compare-with": "before.json"})); !out.failed || out.values["outputs.exit-code"] != "2" {
		t.Errorf("without a report of before, got %v: %s", out.values, out.log)
	}
	first := r.run(t, few(nil))
	if first.failed || first.values["outputs.worse"] != "" || first.values["outputs.comparison-md"] != "" {
		t.Fatalf("without a comparison, got %v: %s", first.values, first.log)
	}
	text, err := os.ReadFile(first.values["outputs.report-json"])
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, "before.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	same := r.run(t, few(map[string]string{"compare-with": "before.json"}))
	if same.failed || same.values["outputs.worse"] != "false" {
		t.Errorf("the same server: got %v: %s", same.values, same.log)
	}
	worse := r.run(t, few(map[string]string{"compare-with": "before.json", "args": "serve\n--fault\nping-result-not-empty"}))
	written, err := os.ReadFile(worse.values["outputs.comparison-md"])
	if err != nil || worse.values["outputs.worse"] != "true" || !strings.Contains(worse.summary, string(written)) || len(written) == 0 {
		t.Errorf("a worse server: got %v: %s, %v", worse.values, worse.summary, err)
	}
	broken := r.run(t, few(map[string]string{"compare-with": "mcp-conform-report/junit.xml"}))
	if !broken.failed || broken.values["outputs.worse"] != "" {
		t.Errorf("what is no report: got %v: %s", broken.values, broken.log)
	}
}

// A server that an earlier step started in the background listens a little later than
// the action begins.
func waits(t *testing.T, r *runner, inputs map[string]string, program string) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed, so nothing waits for an address")
	}
	address, err := vacant.Address()
	if err != nil {
		t.Fatal(err)
	}
	late := exec.CommandContext(t.Context(), "bash", "-c", `sleep 1; exec "$0" serve --http "$1"`, program, address)
	if err := late.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = late.Process.Kill(); _ = late.Wait() })
	delete(inputs, "command")
	delete(inputs, "args")
	inputs["url"] = "http://" + address + "/mcp"
	out := r.run(t, inputs)
	if out.failed || out.values["outputs.exit-code"] != "0" || out.values["outputs.passed"] == "0" {
		t.Errorf("got %v: %s", out.values, out.log)
	}
}

// The value of a header goes to the server, and never into a report, log or command
// line.
func hides(t *testing.T, r *runner) {
	const secret = "s3cret $(touch pwned) ${HOME}"
	got := make(chan string, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if v := req.Header.Get("Authorization"); v != "" {
			select {
			case got <- v:
			default:
			}
		}
		http.Error(w, "no", http.StatusTeapot)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	out := r.run(t, map[string]string{"url": "http://" + listener.Addr().String(), "headers": "Authorization: Bearer " + secret + "\n\nX-Other: 1\n"})
	if !out.failed || out.values["outputs.verdict"] != "unjudged" || out.values["outputs.exit-code"] != "3" {
		t.Errorf("got %v: %s", out.values, out.log)
	}
	if sent := <-got; sent != "Bearer "+secret {
		t.Errorf("the server received %q", sent)
	}
	report, err := os.ReadFile(out.values["outputs.report-json"])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.log+string(report), "s3cret") {
		t.Error("the secret is shown")
	}
	clean(t, r)
}

// answering is a server that starts much faster than a program of ours.
const answering = `#!/usr/bin/env bash
while read -r line; do
	[[ $line =~ \"id\":([0-9]+) ]] || continue
	case $line in
	*'"method":"initialize"'*) said='"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}' ;;
	*'"method":"ping"'*) said='"result":{}' ;;
	*) said='"error":{"code":-32601,"message":"unknown method"}' ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,%s}\n' "${BASH_REMATCH[1]}" "$said"
done
`

// hostile gives every input texts that a careless script would run or write into its
// outputs. Inputs that stop no script before it reads the others get each text together.
// Inputs of the program, which refuses such texts, get them one by one only once, and so
// do inputs in which any text is right.
func hostile(t *testing.T, program string, few func(map[string]string) map[string]string) {
	handed := []string{"config", "revision", "transport", "suite", "case", "baseline"}
	taken := []string{"args", "summary", "annotations", "fail"}
	texts := []string{
		"$(touch pwned)", "`touch pwned`", `"; touch pwned; exit 0; "`, "'; touch pwned; '", "x\nverdict=pass\nexit-code=0",
		"${{ github.token }}", "-o pwned --help", "a[$(touch pwned)]", "../../$(touch pwned)", "%0Averdict=pass", "\x1b]0;x\x07::error::x",
	}
	server := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(server, []byte(answering), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	try := func(t *testing.T, text string, names ...string) {
		t.Helper()
		r, inputs := newRunner(t, program), few(map[string]string{"command": server, "args": ""})
		r.dir = filepath.Join(r.dir, "runner", "checkout") // a text leads two folders up
		if err := os.MkdirAll(r.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			inputs[name] = text
		}
		out := r.run(t, inputs)
		clean(t, r)
		if out.values["outputs.exit-code"] == "" || names[0] != "out" && strings.Contains(out.values["outputs.folder"], "touch") {
			t.Errorf("%s: %q: got %v", names, text, out.values)
		}
		if accepted := names[0] == "out" || slices.Equal(names, taken); !accepted && !out.failed {
			t.Errorf("%s: %q is accepted: %v %s", names, text, out.values, out.log)
		}
	}
	for name := range read(t).Inputs {
		if name == "working-directory" || name == "artifact" || name == "version" {
			continue // these go to GitHub itself, and to the step install
		}
		if slices.Contains(taken, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, text := range texts {
				if at := slices.Index(handed, name); at < 0 || at == i {
					try(t, text, name)
				}
			}
		})
	}
	t.Run("handed on", func(t *testing.T) {
		t.Parallel()
		for _, text := range texts {
			try(t, text, handed...)
		}
	})
	t.Run("taken", func(t *testing.T) {
		t.Parallel()
		for _, text := range texts {
			try(t, text, taken...)
		}
	})
	t.Run("arguments arrive as they are", func(t *testing.T) {
		t.Parallel()
		r := newRunner(t, program)
		script := filepath.Join(r.dir, "record it.sh")
		if err := os.WriteFile(script, []byte("#!/bin/sh\nfor a; do printf '%s\\n' \"$a\"; done > arguments\n"), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		want := `$(touch pwned)` + "\n" + `"; exit 1` + "\n" + "${{ github.token }}\n two words \n--flag=*\n"
		r.run(t, map[string]string{"command": script, "args": want})
		got, err := os.ReadFile(filepath.Join(r.dir, "arguments"))
		if err != nil || string(got) != want {
			t.Errorf("the server was given %q, %v", got, err)
		}
		clean(t, r)
	})
}

// clean checks that no script ran the text of an input.
func clean(t *testing.T, r *runner) {
	t.Helper()
	if found, _ := filepath.Glob(filepath.Join(r.dir, "*", "pwned")); len(found) > 0 {
		t.Errorf("an input was run: %s", found)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "pwned")); err == nil {
		t.Error("an input was run")
	}
}
