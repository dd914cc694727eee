package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-conform/mcp-conform/reports"
)

const manifests = "../../docs/fleet"

// The manifests fit the types of the Kubernetes API, and mistakes in them are found.
func TestManifestsFitTheAPI(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the types of the Kubernetes API are not compiled")
	}
	const module = "../../fixtures/kubernetes"
	download := exec.CommandContext(t.Context(), "go", "mod", "download")
	download.Dir, download.Env = module, append(os.Environ(), "GOWORK=off")
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("the types of the Kubernetes API cannot be had, so the manifests were not checked: %s", out)
	}
	checker := filepath.Join(t.TempDir(), "checker.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", checker, ".")
	build.Dir, build.Env = module, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	check := func(files ...string) error {
		out, err := exec.CommandContext(t.Context(), checker, files...).CombinedOutput()
		if err != nil {
			return errors.New(string(out))
		}
		return nil
	}
	job := filepath.Join(manifests, "job.yaml")
	if err := check(job, filepath.Join(manifests, "join.yaml")); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(job)
	if err != nil {
		t.Fatal(err)
	}
	for good, bad := range map[string]string{
		"  completions: 4":                  "  completions: 5",
		"completionMode: Indexed":           "completionMode: NonIndexed",
		"backoffLimitPerIndex: 3":           "backoffLimitByIndex: 3",
		"      restartPolicy: Never":        "      restartPolicy: Always",
		"  parallelism: 4":                  "  parallelism: four",
		"              mountPath: /results": "              mountPath: results",
		"  name: mcp-fleet":                 "  name: mcp_fleet",
		"      storage: 2Gi":                "      memory: 2Gi",
	} {
		if !strings.Contains(string(text), good) {
			t.Fatalf("the manifest has no %s", good)
		}
		file := filepath.Join(t.TempDir(), "bad.yaml")
		if err := os.WriteFile(file, bytes.Replace(text, []byte(good), []byte(bad), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		if check(file) == nil {
			t.Errorf("with %s the manifest is accepted", strings.TrimSpace(bad))
		}
	}
}

// manifestArgs are the arguments of the container of a Job, and the number of its pods.
func manifestArgs(t *testing.T, name string) (args []string, completions int) {
	t.Helper()
	file, err := os.Open(filepath.Join(manifests, name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	documents := yaml.NewDecoder(file)
	for {
		var object struct {
			Kind string
			Spec struct {
				Completions int
				Template    struct {
					Spec struct{ Containers []struct{ Args []string } }
				}
			}
		}
		switch err := documents.Decode(&object); {
		case errors.Is(err, io.EOF):
			t.Fatalf("%s has no Job", name)
		case err != nil:
			t.Fatal(err)
		case object.Kind == "Job":
			return object.Spec.Template.Spec.Containers[0].Args, object.Spec.Completions
		}
	}
}

// The command lines of the manifests judge all servers and join all parts.
func TestManifestsWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	harbours(t, dir, 5)
	run := func(index string, args []string) (code int, said string) {
		var words []string
		for _, arg := range args {
			arg = strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", index)
			arg = strings.ReplaceAll(arg, "/results/", filepath.ToSlash(dir)+"/")
			words = append(words, strings.Replace(arg, "/fleet/fleet.yaml", filepath.ToSlash(dir)+"/fleet.yaml", 1))
		}
		if !slices.Contains(words, "--join") {
			words = append(words, "--case", "ping/empty-result")
		}
		cmd := exec.CommandContext(t.Context(), program, words...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), jobIndex+"="+index)
		out, _ := cmd.CombinedOutput() // its exit code says more
		return cmd.ProcessState.ExitCode(), string(out)
	}
	args, completions := manifestArgs(t, "job.yaml")
	for i := range completions {
		if code, said := run(fmt.Sprint(i), args); code != reports.ExitPassed {
			t.Errorf("pod %d ends with %d: %s", i, code, said)
		}
	}
	join, _ := manifestArgs(t, "join.yaml")
	if code, said := run("", join); code != reports.ExitFailed || !strings.Contains(said, "FAIL  5 servers: 1 failed, 4 passed") {
		t.Errorf("the joining pod ends with %d: %s", code, said)
	}
}
