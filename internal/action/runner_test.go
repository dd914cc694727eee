package action_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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

// A runner is a made-up machine of a build service.
type runner struct {
	action  action.Action
	dir     string            // the repository that uses the action
	path    string            // PATH
	program string            // program of the step install; empty: the step runs
	more    map[string]string // further environment variables
}

// A result holds the outputs of a job.
type result struct {
	failed  bool
	log     string
	values  map[string]string // values of expressions
	used    []string          // actions of others
	summary string
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
	summary := filepath.Join(temp, "summary")
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
			continue
		}
		r.step(t, step, temp, &out)
	}
	data, err := os.ReadFile(summary)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	out.summary = string(data)
	for name, output := range r.action.Outputs {
		out.values["outputs."+name] = action.Filled(output.Value, out.values)
	}
	return out
}

func (r *runner) step(t *testing.T, step action.Step, temp string, out *result) {
	t.Helper()
	outputs := filepath.Join(temp, "output-"+step.ID)
	if err := os.WriteFile(outputs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	cmd.Dir = r.dir
	if dir := action.Filled(step.WorkingDirectory, out.values); dir != "" {
		cmd.Dir = filepath.Join(r.dir, dir)
	}
	cmd.Env = []string{"PATH=" + r.path, "HOME=" + os.Getenv("HOME"), "RUNNER_TEMP=" + temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "CI=true",
		"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + r.dir, "GITHUB_ACTION_PATH=" + root(t), "GITHUB_SERVER_URL=http://127.0.0.1:1",
		"GITHUB_OUTPUT=" + outputs, "GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary"),
		"GOGC=400"} // a run of one case mostly prepares, and nobody looks at its memory
	for _, name := range []string{"GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"} {
		if value, set := os.LookupEnv(name); set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range r.more {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
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
	data, err := os.ReadFile(outputs)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !found || strings.Contains(name, "<<") {
			t.Fatalf("step %s says %q", step.ID, line)
		}
		out.values["steps."+step.ID+".outputs."+name] = value
	}
}
