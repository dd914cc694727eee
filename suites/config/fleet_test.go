package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
)

func TestFleet(t *testing.T) {
	t.Parallel()
	const text = `
defaults: {revision: all, timeout: 3s, limit: 2m}
servers:
  - name: tides
    command: [node, dist/index.js]
    env: {TOKEN: "${TOKEN}"}
  - {name: charts, url: "http://127.0.0.1:8080/mcp", revision: "2025-11-25", limit: 10s}
  - name: harbour
    config: own.yaml
    transport: stdio
`
	dir := t.TempDir()
	own := "target: {command: [./harbour]}\nrevision: \"2024-11-05\"\ntransport: http\n"
	if err := os.WriteFile(filepath.Join(dir, "own.yaml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) { return "value-of-" + name, true }
	f, err := config.ParseFleet(filepath.Join(dir, "fleet.yaml"), []byte(text), env, known())
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, Command, URL, Cwd, Revisions, Transport string
		Line                                          int
		Timeout, StartTimeout, Limit                  time.Duration
	}
	var got []row
	for _, m := range f.Members {
		c, err := m.Config(env, known())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row{
			m.Name, strings.Join(c.Target.Command, " "), c.Target.URL, strings.TrimPrefix(c.Target.Cwd, dir), c.Revisions.String(), string(c.Transport),
			m.Line, m.Timeout, m.StartTimeout, m.Limit,
		})
		if hidden := c.Redactor()("it is value-of-TOKEN"); (m.Name == "tides") != (hidden != "it is value-of-TOKEN") {
			t.Errorf("%s: %q, want the secrets of its own entry hidden", m.Name, hidden)
		}
	}
	want := []row{
		{"tides", "node dist/index.js", "", "", "all", "auto", 4, 3 * time.Second, 0, 2 * time.Minute},
		{"charts", "", "http://127.0.0.1:8080/mcp", "", "2025-11-25", "auto", 7, 3 * time.Second, 0, 10 * time.Second},
		{"harbour", "./harbour", "", "", "all", "stdio", 8, 3 * time.Second, 0, 2 * time.Minute},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Each mistake is named with its place.
func TestFleetMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "f.yaml:1:1: want a map with the keys servers and defaults, got nothing",
		"servers: []":                        "f.yaml:1:10: servers: the list is empty, want at least one server",
		"servers: {}":                        "f.yaml:1:10: servers: want a list with at least one server, got a map",
		"defaults: {}":                       "f.yaml:1:1: the file names no server; list them below servers",
		"server: []":                         `f.yaml:1:1: unknown key "server"; did you mean "servers"?`,
		"servers: [{command: x}]":            "f.yaml:1:11: servers[0]: the server has no name",
		"servers: [{name: a}]":               `f.yaml:1:11: servers[0]: "a" has none of command, url and config`,
		"servers: [{name: a, comand: x}]":    `f.yaml:1:21: unknown key "comand" in servers[0]; did you mean "command"?`,
		"servers: [{name: a, start: x}]":     "f.yaml:1:11: servers[0]: target.start needs target.url, the URL that it serves",
		"servers: [{name: a, url: ftp://x}]": "f.yaml:1:26: servers[0].url: ",
		"servers: [{name: a, config: b, command: x}]":                `f.yaml:1:32: servers[0]: config names the target of "a" already; leave out command or config`,
		"servers:\n- {name: a, command: x}\n- {name: a, command: y}": `f.yaml:3:3: the name "a" stands here twice, first in line 2`,
		"defaults: {limit: 0}\nservers: [{name: a, command: x}]":     `f.yaml:1:19: defaults.limit: want a duration above zero, got "0"`,
		"defaults: {command: x}\nservers: [{name: a, command: x}]":   `f.yaml:1:12: unknown key "command" in defaults`,
		"servers: [{name: a, command: x, transport: tcp}]":           "f.yaml:1:44: servers[0].transport: want auto, stdio, http or sse",
		"servers: [{name: a, command: x, env: {A: \"${NONE}\"}}]":    "the environment variable NONE is not set",
	} {
		_, err := config.ParseFleet("f.yaml", []byte(text), func(string) (string, bool) { return "", false }, known())
		if mistake := (*config.Error)(nil); !errors.As(err, &mistake) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := config.LoadFleet(filepath.Join(t.TempDir(), "none.yaml"), os.LookupEnv, known()); err == nil {
		t.Error("a file that is not there is read")
	}
}

// A configuration that names no target is a mistake of that server.
func TestFleetConfigWithoutTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own.yaml"), []byte("stress: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := config.ParseFleet(filepath.Join(dir, "f.yaml"), []byte("servers: [{name: a, config: own.yaml}]"), os.LookupEnv, known())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Members[0].Config(os.LookupEnv, known()); err == nil || !strings.Contains(err.Error(), "names no target") {
		t.Errorf("got %v", err)
	}
}
