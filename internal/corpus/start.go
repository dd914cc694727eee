package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
)

// install fetches missing packages, and builds the kit.
func install(ctx context.Context, dir string, entries []entry) error {
	bin, err := filepath.Abs(filepath.Join(dir, "bin"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(bin, 0o750); err != nil {
		return err
	}
	var packages []string
	steps := [][]string{{"go", "build", "-o", filepath.Join(bin, "mcp-conform"), "./cmd/mcp-conform"}}
	for _, e := range entries {
		packages = append(packages, e.Npm...)
		if e.Go != "" {
			steps = append(steps, []string{"go", "install", e.Go})
		}
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	steps = append(steps, append([]string{"npm", "install", "--prefix", dir, "--no-audit", "--no-fund"}, packages...))
	for _, args := range steps {
		c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the steps above
		c.Env = append(os.Environ(), "GOBIN="+bin)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
	}
	return nil
}

// start returns the URL of a running server, or of the proxy before it.
func (e entry) start(ctx context.Context, dir, scratch string) (url string, stop func(), err error) {
	free, err := vacant.Address()
	if err != nil {
		return "", nil, err
	}
	_, port, _ := net.SplitHostPort(free) // Address gives a port
	argv, variables := e.filled(dir, port, scratch)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // it stands in fixtures/corpus
	c.Env = append(os.Environ(), variables...)
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	end := func() { _ = c.Process.Kill(); _ = c.Wait() }
	// Some servers listen at one of the addresses of localhost only.
	address := net.JoinHostPort("localhost", port)
	if err := reached(ctx, address); err != nil {
		end()
		return "", nil, fmt.Errorf("%v: %w", c.Args, err)
	}
	if e.Behind == "" {
		return "http://" + address + "/mcp", end, nil
	}
	front, err := proxied(ctx, e.Behind, address)
	if err != nil {
		end()
		return "", nil, err
	}
	return "http://" + front.Addr + "/mcp", func() { _ = front.Close(); end() }, nil
}

// filled are the command and its variables with what {port} and the others stand for.
func (e entry) filled(dir, port, scratch string) (argv, variables []string) {
	fill := strings.NewReplacer("{modules}", filepath.Join(dir, "node_modules"), "{bin}", filepath.Join(dir, "bin"),
		"{port}", port, "{scratch}", scratch)
	for _, arg := range e.Command {
		argv = append(argv, fill.Replace(arg))
	}
	for _, variable := range e.Environment {
		variables = append(variables, fill.Replace(variable))
	}
	return argv, variables
}

// reached waits until a server listens at the address.
func reached(ctx context.Context, address string) error {
	for range 400 {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("nothing listens at " + address)
}

// proxied serves a named proxy before an address.
func proxied(ctx context.Context, name, address string) (*http.Server, error) {
	handler, known := proxies()[name]
	if !known {
		return nil, fmt.Errorf("there is no proxy %q", name)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Addr: l.Addr().String(), Handler: handler(address), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	return s, nil
}
