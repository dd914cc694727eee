// Command load judges servers while the machine is busy, and compares the findings with
// a quiet run: a verdict must not depend on other processes.
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
	"time"
)

const usage = `usage: go run ./internal/load [-times N] [-busy N] [-only NAME]

Judges the reference server and two servers from npm, first with nothing beside
the run, then several times beside processes that keep the machine busy. The
exit code is 1 when a run under load finds something else, or ends in an error.
`

func main() {
	if len(os.Args) == 2 && os.Args[1] == spinning {
		spin()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	times := flag.Int("times", 10, "judge each server so often under load")
	busy := flag.Int("busy", 2*runtime.NumCPU(), "so many processes keep the machine busy")
	only := flag.String("only", "", "only the server of this name")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	dir, err := os.MkdirTemp("", "mcp-conform-load")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	kit := filepath.Join(dir, "mcp-conform")
	if err := command(ctx, "go", "build", "-o", kit, "./cmd/mcp-conform").Run(); err != nil {
		return fmt.Errorf("build the kit: %w", err)
	}
	servers, err := servers(ctx, dir, kit)
	if err != nil {
		return err
	}
	different := 0
	for _, s := range servers {
		if *only != "" && s.name != *only {
			continue
		}
		n, err := s.compare(ctx, kit, *times, *busy)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		different += n
	}
	if different > 0 {
		return fmt.Errorf("%d runs under load differ from the quiet one", different)
	}
	return nil
}

// A server is the target of a run, as the command line names it.
type server struct {
	name string
	args []string
	out  string // folder of its reports
}

// servers lists the reference server, which needs no package, and two servers from npm.
func servers(ctx context.Context, dir, kit string) ([]server, error) {
	all := []server{{"reference", []string{"--", kit, "serve"}, filepath.Join(dir, "reference")}}
	npm, _ := exec.LookPath("npm")
	if npm == "" {
		fmt.Println("npm is not installed: only the reference server is judged")
		return all, nil
	}
	packages := []string{"server-everything", "server-memory"}
	args := []string{"install", "--no-audit", "--no-fund", "--prefix", dir}
	for _, p := range packages {
		args = append(args, "@modelcontextprotocol/"+p+"@2026.8.31")
	}
	if err := command(ctx, npm, args...).Run(); err != nil {
		return nil, fmt.Errorf("install servers from npm: %w", err)
	}
	for _, p := range packages {
		main := filepath.Join(dir, "node_modules", "@modelcontextprotocol", p, "dist", "index.js")
		all = append(all, server{p, []string{"--", "node", main}, filepath.Join(dir, p)})
	}
	return all, nil
}

// compare judges the server once quietly and several times under load, and counts the
// runs with other findings.
func (s server) compare(ctx context.Context, kit string, times, busy int) (different int, err error) {
	quiet, took, err := s.judge(ctx, kit)
	if err != nil {
		return 0, err
	}
	if trouble := quiet.errors(); len(trouble) > 0 {
		return 0, fmt.Errorf("the quiet run ended in errors: %v", trouble)
	}
	fmt.Printf("%-20s quiet    %5.1f s  %s\n", s.name, took.Seconds(), quiet.counts())
	ease, err := load(ctx, busy)
	if err != nil {
		return 0, err
	}
	defer ease()
	for i := range times {
		found, took, err := s.judge(ctx, kit)
		if err != nil {
			return 0, err
		}
		changed := quiet.differences(found)
		fmt.Printf("%-20s busy %2d  %5.1f s  %s, %d differences\n", s.name, i+1, took.Seconds(), found.counts(), len(changed))
		for _, line := range changed {
			fmt.Println("    " + line)
		}
		if len(changed) > 0 {
			different++
		}
	}
	return different, nil
}

// judge makes one run. Every run has the same seed, so that all send the same requests.
func (s server) judge(ctx context.Context, kit string) (findings, time.Duration, error) {
	args := append([]string{"run", "--config", "none", "--seed", "1", "--out", s.out}, s.args...)
	c := exec.CommandContext(ctx, kit, args...)
	began := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(began)
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return nil, took, err
	}
	found, err := read(filepath.Join(s.out, "report.json"))
	if err != nil {
		return nil, took, fmt.Errorf("%w\n%s", err, out)
	}
	return found, took, nil
}

func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = os.Stderr
	return c
}
