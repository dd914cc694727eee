// Command measure says how long kits take to judge servers that leave them waiting, and
// which cases fail.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
	"github.com/mcp-conform/mcp-conform/suites/internal/broken"
)

const usage = `usage: go run ./suites/internal/broken/measure [-only NAME] [KIT...]

Judges each server over stdio and over HTTP, or over HTTP alone, with each of the given programs, or
with the one that it builds, and prints the time, the exit code and the cases
that fail. It takes about a quarter of an hour a kit, on a machine with nothing else to do.
`

// serving is the argument that makes this program a server over stdio.
const serving = "serve"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == serving {
		s, err := broken.Find(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(s.Serve(ctx, nil, os.Stdin, os.Stdout, os.Stderr))
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "measure: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	only := flag.String("only", "", "only the server of this name")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	dir, err := os.MkdirTemp("", "mcp-conform-measure")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	kits := flag.Args()
	if len(kits) == 0 {
		kits = []string{filepath.Join(dir, "mcp-conform")}
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", kits[0], "./cmd/mcp-conform").CombinedOutput(); err != nil {
			return fmt.Errorf("build the kit: %w\n%s", err, out)
		}
	}
	each := func(name string, measure func(kit string) error) error {
		for _, kit := range kits {
			if *only != "" && *only != name {
				continue
			}
			if err := measure(kit); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
	for _, s := range broken.Servers() {
		if err := each(s.Name, func(kit string) error { return measure(ctx, s, kit, dir) }); err != nil {
			return err
		}
	}
	for _, s := range broken.LockedServers() {
		if err := each(s.Name, func(kit string) error { return overHTTP(ctx, s.Name, s, kit, dir) }); err != nil {
			return err
		}
	}
	return nil
}

// measure judges a server over each transport.
func measure(ctx context.Context, s broken.Server, kit, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := judge(ctx, s.Name+" over stdio", kit, dir, "--", self, serving, s.Name); err != nil {
		return err
	}
	return overHTTP(ctx, s.Name, s.Handler(), kit, dir)
}

func overHTTP(ctx context.Context, name string, handler http.Handler, kit, dir string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	return judge(ctx, name+" over http", kit, dir, "--url", "http://"+listener.Addr().String()+"/mcp")
}

// judge prints one line.
func judge(ctx context.Context, name, kit, dir string, target ...string) error {
	out := filepath.Join(dir, "out")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	began := time.Now()
	err := exec.CommandContext(ctx, kit, append([]string{"run", "--quiet", "--out", out}, target...)...).Run()
	took := time.Since(began)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return err
	}
	found, err := failed(filepath.Join(out, "report.json"))
	if err != nil {
		return err
	}
	fmt.Printf("%-24s %s  %6.1f s  exit %d  %s\n", name, filepath.Base(kit), took.Seconds(), code, strings.Join(found, " "))
	return nil
}

// failed lists the cases of a report that fail.
func failed(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	report, err := jsonfile.Read(f)
	var found []string
	for _, each := range report.Findings {
		if each.Status == reports.Fail {
			found = append(found, each.Case)
		}
	}
	return found, err
}
