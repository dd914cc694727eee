package action_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/internal/action"
)

// forging is a server that judges itself: it writes its own result into every file that
// its environment names, and into the report folder, once and again for a while after its
// end. The words after its name are further crimes.
const forging = `#!/usr/bin/env bash
words=" $* "
here=$(pwd)
lie() {
	compgen -e | while read -r name; do
		if [ -f "${!name}" ] && [ -w "${!name}" ]; then
			case $name in
			*SUMMARY*) echo "FORGED: all checks passed" ;;
			*PATH*) echo "$here/FORGED" ;;
			*ENV*) echo "BASH_ENV=$here/evil.sh" ;;
			*) printf 'verdict=pass\nexit-code=0\nfailed=0\ngrade=Full\nFORGED=yes\n' ;;
			esac >>"${!name}"
		fi
		case ${!name} in *of-the-job*) echo "$name" >>"$here/FORGED-token" ;; esac
	done
}
echo 'echo FORGED by a step' >"$here/evil.sh"
for descriptor in 3 4 5 6 7 8 9; do echo "::error::FORGED" >&$descriptor; done 2>/dev/null
lie
report() {
	mkdir -p mcp-conform-report
	cp forged.json mcp-conform-report/report.json
	echo '<testsuites name="mcp-conform">FORGED</testsuites>' >mcp-conform-report/junit.xml
}
kit=${MCP_CONFORM:-$(readlink "/proc/$PPID/exe")}
case $words in *" replace "*)
	printf '#!/bin/sh\necho verdict=pass; echo exit-code=3; echo failed=0; echo FORGED=yes\n' >"$kit.new"
	chmod +x "$kit.new"
	mv -f "$kit.new" "$kit"
	;;
esac
case $words in *" report "*) report ;; esac
case $words in *" kill "*) report; kill -9 "$PPID" ;; esac
(
	trap '' HUP TERM
	for _ in $(seq 60); do lie; sleep 0.1; done
) >/dev/null 2>&1 </dev/null &
exit 1
`

// A server has the rights of the job, and still decides neither what the action says of it
// nor what later steps do.
func TestForgedResults(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the steps of the action are not run")
	}
	program := built(t)
	passed := content(t, passing(t, program))
	for _, row := range []struct {
		crime, verdict, code string
		shown                bool // the report is published
		log                  string
	}{
		{"", "unjudged", "3", true, "the server could not be judged"},
		{"report", "unjudged", "3", true, "the server could not be judged"},
		{"replace", "unjudged", "3", false, "something replaced the program mcp-conform while it judged"},
		{"kill", "unjudged", "137", false, "the run did not come that far"},
	} {
		t.Run("crime "+row.crime, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, copied(t, program))
			server := filepath.Join(t.TempDir(), "server.sh")
			write(t, server, forging)
			write(t, filepath.Join(r.dir, "forged.json"), passed)
			inputs := map[string]string{"command": server, "args": row.crime, "fail": "false", "revision": "2025-11-25", "case": "ping/empty-result"}
			out := r.run(t, inputs)
			if got := out.values["outputs.verdict"]; got != row.verdict || out.values["outputs.exit-code"] != row.code {
				t.Errorf("the verdict is %q with exit code %s, want %s and %s: %s", got, out.values["outputs.exit-code"], row.verdict, row.code, out.log)
			}
			if path := out.values["outputs.report-json"]; (path != "") != row.shown || path != "" && strings.Contains(content(t, path), `"status": "pass"`) {
				t.Errorf("the report is %q", path)
			}
			if junit := out.values["outputs.junit"]; junit != "" && strings.Contains(content(t, junit), "FORGED") {
				t.Error("junit.xml is the server's")
			}
			if row.crime == "replace" && !out.failed {
				t.Error("the job goes on with a program that was replaced")
			}
			if !strings.Contains(out.log, row.log) {
				t.Errorf("want %q in the log: %s", row.log, out.log)
			}
			r.step(t, action.Step{ID: "later", Run: "echo a later step"}, t.TempDir(), &out)
			for where, text := range map[string]string{"log": out.log, "summary": out.summary, "environment": strings.Join(out.given, "\n")} {
				if strings.Contains(text, "FORGED") || strings.Contains(text, "BASH_ENV") {
					t.Errorf("the server wrote into the %s: %s", where, text)
				}
			}
			for name, value := range out.values {
				if strings.Contains(name+value, "FORGED") || strings.HasPrefix(name, "outputs.") && (value == "pass" || value == "Full") {
					t.Errorf("the output %s is %q", name, value)
				}
			}
			if token, err := os.ReadFile(filepath.Join(r.dir, "FORGED-token")); err == nil {
				t.Errorf("the server has a token of the job, in %s", token)
			}
		})
	}
}

// What is changed between the run and the step that publishes it is not published, and
// fails the job.
func TestChangedResults(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the steps of the action are not run")
	}
	program := built(t)
	passed := content(t, passing(t, program))
	for name, row := range map[string]struct{ file, text, log string }{
		"the report":     {"mcp-conform-report/report.json", passed, "something changed the report after the run"},
		"another file":   {"mcp-conform-report/junit.xml", "<testsuites/>", "something changed the report after the run"},
		"a file is gone": {"mcp-conform-report/badge.svg", "", "something changed the report after the run"},
		"the program":    {"../kit/mcp-conform", "#!/bin/sh\necho verdict=pass; echo exit-code=1\n", "something replaced the program mcp-conform"},
		"nothing":        {"other", "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, "")
			r.dir = filepath.Join(t.TempDir(), "checkout")
			r.program = filepath.Join(filepath.Dir(r.dir), "kit", "mcp-conform")
			for _, dir := range []string{r.dir, filepath.Dir(r.program)} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			write(t, r.program, content(t, program))
			r.before = map[string]func(){"publish": func() {
				if err := os.Remove(filepath.Join(r.dir, row.file)); err != nil && row.log != "" {
					t.Error(err)
				}
				if row.text != "" {
					write(t, filepath.Join(r.dir, row.file), row.text)
				}
			}}
			out := r.run(t, map[string]string{
				"command": program, "args": "serve\n--fault\nping-result-not-empty", "fail": "false", "revision": "2025-11-25", "case": "ping/empty-result",
			})
			v := out.values
			if row.log == "" {
				if out.failed || v["outputs.verdict"] != "fail" || v["outputs.report-json"] == "" {
					t.Errorf("got %v: %s", v, out.log)
				}
				return
			}
			if !out.failed || v["outputs.verdict"] != "unjudged" || v["outputs.exit-code"] != "1" || v["outputs.report-json"] != "" {
				t.Errorf("got %v: %s", v, out.log)
			}
			if out.summary != "" || len(out.used) > 0 || !strings.Contains(out.log, row.log) {
				t.Errorf("summary %q, used %s, want %q in the log: %s", out.summary, out.used, row.log, out.log)
			}
		})
	}
}

// The report of an earlier run, or one that came with the checkout, is no result of a run
// that was killed.
func TestOldReportIsNoResult(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the steps of the action are not run")
	}
	program := built(t)
	old := content(t, passing(t, program))
	for name, row := range map[string]struct{ program, verdict, code string }{
		"killed":   {"#!/bin/sh\nkill -9 $$\n", "unjudged", "137"},
		"no room":  {"#!/bin/sh\necho 'mcp-conform: write report.json: no space left' >&2\nexit 3\n", "unjudged", "3"},
		"no room ": {"#!/bin/sh\necho 'fatal error: failed to reserve page summary memory' >&2\nexit 2\n", "unjudged", "3"},
		"mid-run": {"#!/bin/sh\nprintf 'mcp-conform: judging x, seed 1\\nruntime: out of memory\\nfatal error: x\\n' >&2\nexit 2\n",
			"unjudged", "3"},
		"no thread": {"#!/bin/sh\necho 'runtime/cgo: pthread_create failed: Resource temporarily unavailable' >&2\nexit 2\n", "unjudged", "3"},
		"misuse":    {"#!/bin/sh\necho 'mcp-conform: unknown flag' >&2\nexit 2\n", "", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := filepath.Join(t.TempDir(), "mcp-conform")
			write(t, fake, row.program)
			r := newRunner(t, fake)
			if err := os.Mkdir(filepath.Join(r.dir, "mcp-conform-report"), 0o755); err != nil { //nolint:gosec // a checkout
				t.Fatal(err)
			}
			write(t, filepath.Join(r.dir, "mcp-conform-report", "report.json"), old)
			out := r.run(t, map[string]string{"command": "x"})
			v := out.values
			if !out.failed || v["outputs.verdict"] != row.verdict || v["outputs.exit-code"] != row.code || v["outputs.report-json"] != "" || len(out.used) > 0 {
				t.Errorf("got %v: %s", v, out.log)
			}
		})
	}
}

// passing is the report of a run that passes.
func passing(t *testing.T, program string) string {
	t.Helper()
	r := newRunner(t, program)
	out := r.run(t, map[string]string{"command": program, "args": "serve", "case": "ping/empty-result", "revision": "2025-11-25"})
	if out.values["outputs.verdict"] == "" || out.failed {
		t.Fatalf("got %v: %s", out.values, out.log)
	}
	return out.values["outputs.report-json"]
}

func copied(t *testing.T, program string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "mcp-conform")
	write(t, to, content(t, program))
	return to
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil { //nolint:gosec // it may be run
		t.Fatal(err)
	}
}
