package action_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-conform/mcp-conform/internal/action"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T) action.Action {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action.Action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestMain removes what the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(shared.folder)
	os.Exit(code)
}

// shared is the program that most tests run: to build it takes seconds.
//
//nolint:gochecknoglobals // see above
var shared struct {
	sync.Once
	folder, program, sum string
}

// built is the program as the step install builds it without a release.
func built(t *testing.T) string {
	t.Helper()
	shared.Do(func() { build(t) })
	if shared.sum == "" {
		t.Fatal("nothing was built")
	}
	return shared.program
}

func build(t *testing.T) {
	t.Helper()
	out := newRunner(t, "").run(t, map[string]string{"config": "absent.yaml", "artifact": ""})
	program := out.values["steps.install.outputs.program"]
	if program == "" || !strings.Contains(out.log, "built mcp-conform from the source of the action") {
		t.Fatalf("nothing was built: %s", out.log)
	}
	var err error
	if shared.folder, err = os.MkdirTemp("", "mcp-conform-action"); err != nil {
		t.Fatal(err)
	}
	shared.program = filepath.Join(shared.folder, "mcp-conform")
	if err := os.Rename(program, shared.program); err != nil {
		t.Fatal(err)
	}
	shared.sum = checksum(t, shared.program)
}

// A runner is a made-up machine of a build service.
type runner struct {
	action  action.Action
	dir     string            // the repository that uses the action
	path    string            // PATH
	program string            // program of the step install; empty: the step runs
	more    map[string]string // further environment variables
	before  map[string]func() // what happens before a step
}

// A result holds the outputs of a job.
type result struct {
	failed  bool
	log     string
	values  map[string]string // values of expressions
	used    []string          // actions of others
	summary string
	given   []string // environment variables that steps gave to later ones
}

func newRunner(t *testing.T, program string) *runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the steps are run on Linux and macOS only")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, so the steps of the action are not run")
	}
	return &runner{action: read(t), dir: t.TempDir(), path: os.Getenv("PATH"), program: program}
}

// run carries out all steps with these inputs.
func (r *runner) run(t *testing.T, inputs map[string]string) result {
	t.Helper()
	temp := t.TempDir()
	out := result{values: map[string]string{"github.action_ref": r.more["ref"], "github.action_repository": "mcp-conform/mcp-conform"}}
	for name, input := range r.action.Inputs {
		out.values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		if _, known := r.action.Inputs[name]; !known {
			t.Fatalf("there is no input %s", name)
		}
		out.values["inputs."+name] = value
	}
	for _, step := range r.action.Runs.Steps {
		holds, err := action.Holds(step.If, out.values, out.failed)
		switch {
		case err != nil:
			t.Fatal(err)
		case !holds:
			continue
		case step.Uses != "":
			out.used = append(out.used, step.Uses)
			continue
		case step.ID == "install" && r.program != "":
			out.values["steps.install.outputs.program"] = r.program
			out.values["steps.install.outputs.sha256"] = checksum(t, r.program)
			continue
		}
		r.step(t, step, temp, &out)
	}
	for name, output := range r.action.Outputs {
		out.values["outputs."+name] = action.Filled(output.Value, out.values)
	}
	return out
}

func checksum(t *testing.T, program string) string {
	t.Helper()
	if program == shared.program && shared.sum != "" {
		return shared.sum
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(content(t, program))))
}

func (r *runner) step(t *testing.T, step action.Step, temp string, out *result) {
	t.Helper()
	if happens := r.before[step.ID]; happens != nil {
		happens()
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	cmd.Dir = r.dir
	if dir := action.Filled(step.WorkingDirectory, out.values); dir != "" {
		cmd.Dir = filepath.Join(r.dir, dir)
	}
	cmd.Env = []string{"PATH=" + r.path, "HOME=" + os.Getenv("HOME"), "RUNNER_TEMP=" + temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "CI=true",
		"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + r.dir, "GITHUB_ACTION_PATH=" + root(t), "GITHUB_SERVER_URL=http://127.0.0.1:1",
		"ACTIONS_RUNTIME_TOKEN=of-the-job", "GOGC=400"} // a run of one case mostly prepares, and nobody looks at its memory
	files := map[string]string{}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"} {
		files[name] = filepath.Join(temp, strings.ToLower(name)+"-"+step.ID)
		if err := os.WriteFile(files[name], nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, name+"="+files[name])
	}
	for _, name := range []string{"GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"} {
		if value, set := os.LookupEnv(name); set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range r.more {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, out.given...)
	for name, value := range step.Env {
		cmd.Env = append(cmd.Env, name+"="+action.Filled(value, out.values))
	}
	log, err := cmd.CombinedOutput()
	out.log += string(log)
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	out.failed = out.failed || err != nil
	for line := range strings.Lines(content(t, files["GITHUB_OUTPUT"])) {
		name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !found || strings.Contains(name, "<<") {
			t.Fatalf("step %s says %q", step.ID, line)
		}
		out.values["steps."+step.ID+".outputs."+name] = value
	}
	out.summary += content(t, files["GITHUB_STEP_SUMMARY"])
	for line := range strings.Lines(content(t, files["GITHUB_ENV"])) {
		out.given = append(out.given, strings.TrimSuffix(line, "\n"))
	}
	for line := range strings.Lines(content(t, files["GITHUB_PATH"])) {
		out.given = append(out.given, "PATH="+strings.TrimSuffix(line, "\n")+":"+r.path)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
