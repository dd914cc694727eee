// Command corpus judges real servers over HTTP, and compares the findings with
// fixtures/corpus: every fail and every warning there was read beside the specification
// and has a reason. It reports a finding that is new, gone or changed. With -write it
// writes the statuses as seen; reasons stay, and a finding without one is still
// reported.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

func main() {
	write := flag.Bool("write", false, "keep the findings as they are seen")
	only := flag.String("only", "", "judge these servers only, comma-separated names")
	times := flag.Int("times", 1, "judge each server so often")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *write, *only, *times)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus: "+err.Error())
		os.Exit(1)
	}
}

// run must be called from the root of the project.
func run(ctx context.Context, write bool, only string, times int) error {
	entries, err := readAll("fixtures/corpus")
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		elsewhere := e.Platform != "" && e.Platform != runtime.GOOS+"/"+runtime.GOARCH
		if elsewhere {
			fmt.Printf("%s: left out, it runs on %s only\n", e.Name, e.Platform)
		}
		return elsewhere
	})
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "mcp-conform", "corpus")
	kit := filepath.Join(dir, "bin", "mcp-conform")
	if err := install(ctx, dir, entries); err != nil {
		return err
	}
	var problems []error
	for _, e := range entries {
		if only != "" && !strings.Contains(","+only+",", ","+e.Name+",") {
			continue
		}
		for range times {
			got, err := judge(ctx, dir, kit, e)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Name, err)
			}
			differences := e.differences(got)
			if write {
				e = e.with(got)
				if err := e.write("fixtures/corpus"); err != nil {
					return err
				}
			}
			fmt.Printf("%s: %d fails, %d warnings, %d differences\n", e.Name, got.count("fail"), got.count("warn"), len(differences))
			for _, d := range append(differences, e.unexplained()...) {
				problems = append(problems, fmt.Errorf("%s: %s", e.Name, d))
			}
		}
	}
	return errors.Join(problems...)
}

// judge starts a server, and returns the findings of the kit.
func judge(ctx context.Context, dir, kit string, e entry) (findings, error) {
	out, err := os.MkdirTemp(dir, "run-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	config := "none"
	if e.Config != nil {
		config = filepath.Join(out, "mcp-conform.yaml")
		if err := os.WriteFile(config, e.Config, 0o600); err != nil {
			return nil, err
		}
	}
	args := []string{"run", "--config", config, "--quiet", "--format", "json", "--revision", strings.Join(e.Revisions, ","), "--out", out}
	var variables []string
	if e.Stdio {
		var argv []string
		argv, variables = e.filled(dir, "", out)
		args = append(append(args, "--"), argv...)
	} else {
		url, stop, err := e.start(ctx, dir, out)
		if err != nil {
			return nil, err
		}
		defer stop()
		args = append(args, "--url", url)
	}
	c := exec.CommandContext(ctx, kit, args...) //nolint:gosec // ours
	c.Env = append(os.Environ(), variables...)
	said, err := c.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return nil, fmt.Errorf("mcp-conform: %w: %s", err, said)
	}
	f, err := os.Open(filepath.Join(out, "report.json")) //nolint:gosec // in a folder of ours
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	defer func() { _ = f.Close() }()
	r, err := jsonfile.Read(f)
	if err != nil {
		return nil, err
	}
	if len(r.Verdict.Columns) != len(e.Revisions) {
		return nil, fmt.Errorf("judged at %d of %d revisions: %s", len(r.Verdict.Columns), len(e.Revisions), r.Verdict.Text)
	}
	return of(r), nil
}
