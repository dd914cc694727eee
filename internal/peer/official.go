package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/internal/vacant"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/reports/jsonfile"
)

// The packages to fetch, through npm and the Go proxy. The suite needs a newer Node.js
// than many machines have.
const (
	suiteVersion      = "0.2.0-alpha.12"
	nodePackage       = "node@22"
	everythingPackage = "@modelcontextprotocol/server-everything@2026.1.26"
	goEverything      = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server@v1.8.0"
)

// Tools holds the paths of the programs.
type tools struct{ dir, node, suite, everything, goServer, kit string }

// install fetches missing packages, and builds the kit.
func install(ctx context.Context, dir string) (tools, error) {
	modules := filepath.Join(dir, "node_modules")
	t := tools{
		dir:        dir,
		node:       filepath.Join(modules, "node", "bin", "node"),
		suite:      filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
		everything: filepath.Join(modules, "@modelcontextprotocol", "server-everything", "dist", "index.js"),
		goServer:   filepath.Join(dir, "bin", "everything-server"),
		kit:        filepath.Join(dir, "bin", "mcp-conform"),
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o750); err != nil {
		return t, err
	}
	bin, err := filepath.Abs(filepath.Join(dir, "bin"))
	if err != nil {
		return t, err
	}
	steps := []struct {
		made string
		args []string
	}{
		{t.suite, []string{"npm", "install", "--prefix", dir, "--no-audit", "--no-fund",
			"@modelcontextprotocol/conformance@" + suiteVersion, nodePackage, everythingPackage}},
		{t.node, []string{"npm", "rebuild", "--prefix", dir, "node"}},
		{t.goServer, []string{"go", "install", goEverything}},
		{"", []string{"go", "build", "-o", t.kit, "./cmd/mcp-conform"}},
	}
	for _, step := range steps {
		if _, err := os.Stat(step.made); err == nil {
			continue
		}
		c := exec.CommandContext(ctx, step.args[0], step.args[1:]...) //nolint:gosec // the steps above
		c.Env = append(os.Environ(), "GOBIN="+bin)
		if out, err := c.CombinedOutput(); err != nil {
			return t, fmt.Errorf("%v: %w: %s", step.args, err, out)
		}
	}
	return t, nil
}

// A server is judged at some revisions. Its last argument may hold an address.
type server struct {
	name      string
	revisions []string
	command   func(address string) []string
	env       func(port string) []string
}

const legacy, modern = "2025-11-25", "2026-07-28"

func (t tools) servers() []server {
	return []server{
		{
			// The suite reads only the first page of a list.
			name: "reference server", revisions: []string{legacy, modern},
			command: func(address string) []string {
				return []string{t.kit, "serve", "--page-size", "1000", "--http", address}
			},
		},
		{
			name: "go-sdk everything-server", revisions: []string{legacy},
			command: func(address string) []string { return []string{t.goServer, "-http=" + address, "-stateless=false"} },
		},
		{
			name: "server-everything of npm", revisions: []string{legacy},
			command: func(string) []string { return []string{t.node, t.everything, "streamableHttp"} },
			env:     func(port string) []string { return []string{"PORT=" + port} },
		},
	}
}

// judge starts a server, and runs both kits on it.
func (t tools) judge(ctx context.Context, s server, scenarios []string) (seen, error) {
	got := seen{Server: s.name, Official: map[string]string{}, Ours: map[string]string{}}
	out, err := os.MkdirTemp(t.dir, "run-")
	if err != nil {
		return got, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	address, stop, err := start(ctx, s)
	if err != nil {
		return got, err
	}
	defer stop()
	url := "http://" + address + "/mcp"
	for _, revision := range s.revisions {
		began := time.Now()
		folder := filepath.Join(out, revision)
		asked := [][]string{{"--requirements", revision}}
		for _, scenario := range scenarios {
			if revision == modern && strings.HasPrefix(scenario, "tasks-") { // no revision requires an extension
				asked = append(asked, []string{"--scenario", scenario})
			}
		}
		for _, args := range asked {
			args = append([]string{t.suite, "server", "--url", url, "-o", folder}, args...)
			c := exec.CommandContext(ctx, t.node, args...) //nolint:gosec // ours
			// The suite ends with 1 if a check fails; its files show the failure too.
			if said, err := c.CombinedOutput(); err != nil && !exited(err) {
				return got, fmt.Errorf("the official suite: %w: %s", err, said)
			}
		}
		got.seconds[0] += time.Since(began).Seconds()
		if err := got.addOfficial(folder, scenarios); err != nil {
			return got, err
		}
		began = time.Now()
		report := filepath.Join(out, "ours-"+revision)
		args := []string{"run", "--config", "none", "--quiet", "--url", url, "--revision", revision, "--out", report}
		c := exec.CommandContext(ctx, t.kit, args...) //nolint:gosec // ours
		if said, err := c.CombinedOutput(); err != nil && !exited(err) {
			return got, fmt.Errorf("mcp-conform: %w: %s", err, said)
		}
		got.seconds[1] += time.Since(began).Seconds()
		if err := got.addOurs(filepath.Join(report, "report.json")); err != nil {
			return got, err
		}
	}
	return got, nil
}

func exited(err error) bool {
	var status *exec.ExitError
	return errors.As(err, &status)
}

// start returns the address of a running server.
func start(ctx context.Context, s server) (address string, stop func(), err error) {
	if address, err = vacant.Address(); err != nil {
		return "", nil, err
	}
	_, port, _ := net.SplitHostPort(address) // Address gives a port
	if s.env != nil {
		address = net.JoinHostPort("localhost", port)
	}
	args := s.command(address)
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // one of servers
	c.Env = os.Environ()
	if s.env != nil {
		c.Env = append(c.Env, s.env(port)...)
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = c.Process.Kill(); _ = c.Wait() }
	for range 200 {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = conn.Close()
			return address, stop, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("%v does not listen at %s", args, address)
}

// addOfficial reads the files of the suite: a folder for each scenario. It takes only
// files of scenarios, and leaves out the log of messages.
func (s *seen) addOfficial(folder string, scenarios []string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*", "checks.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("the official suite wrote no results")
	}
	for _, file := range files {
		raw, err := os.ReadFile(file) //nolint:gosec // found above
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, c := range checks {
			if c.Status == "SUCCESS" || c.Status == "FAILURE" || c.Status == "WARNING" {
				s.Checks++
			}
			if !about(file, scenarios) || c.Status == "INFO" || strings.HasPrefix(c.ID, "incoming-") {
				continue
			}
			s.Official[c.ID] = worse(s.Official[c.ID], c.Status, "SKIPPED", "SUCCESS", "WARNING", "FAILURE")
		}
	}
	return nil
}

// about reports whether a file is in the folder of one of the scenarios, which has
// its name between "server-" and the time.
func about(file string, scenarios []string) bool {
	folder := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "server-")
	return slices.ContainsFunc(scenarios, func(name string) bool {
		rest, found := strings.CutPrefix(folder, name+"-")
		return found && len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' && strings.HasSuffix(rest, "Z")
	})
}

func (s *seen) addOurs(file string) error {
	f, err := os.Open(file) //nolint:gosec // in a folder of ours
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r, err := jsonfile.Read(f)
	if err != nil {
		return err
	}
	for _, found := range r.Findings {
		if found.Status != reports.Skip {
			s.Verdicts++
		}
		s.Ours[found.Case] = worse(s.Ours[found.Case], string(found.Status), "skip", "pass", "warn", "fail", "error")
	}
	return nil
}

// worse is the later of two words in an order; the empty one comes first.
func worse(a, b string, order ...string) string {
	if slices.Index(order, b) > slices.Index(order, a) || a == "" {
		return b
	}
	return a
}
