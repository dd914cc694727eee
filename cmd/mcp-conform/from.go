package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/config/clients"
)

// clientFiles are where MCP clients look for the servers of a project.
func clientFiles() []string {
	return []string{".mcp.json", filepath.Join(".cursor", "mcp.json"), filepath.Join(".vscode", "mcp.json"), "server.json"}
}

// readClients reads a file of a client, or of the registry.
func readClients(path string, env config.Environment) (clients.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return clients.File{}, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	at := clients.Place{Path: path, Env: env, Read: os.ReadFile}
	if at.Path, err = filepath.Abs(path); err != nil {
		return clients.File{}, err
	}
	if at.Dir, err = os.Getwd(); err != nil {
		return clients.File{}, err
	}
	at.Home, _ = os.UserHomeDir() // a file that does not name it does not need it
	f, err := clients.Read(text, at)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// takeFrom puts the server that a client's file names into the target. What the client
// would fill in has to be known: no ${NAME} is sent to a server.
func (f *targetFlags) takeFrom(c config.Config, env config.Environment) (config.Config, error) {
	if f.url != "" || len(f.command) > 0 {
		return c, &misuse{"--from names the server already", "leave out --url and the command after --"}
	}
	file, err := readClients(f.from, env)
	if err != nil {
		return c, &misuse{"--from: " + err.Error(), ""}
	}
	s, err := file.Find(f.server)
	if err != nil {
		return c, &misuse{"--from: " + f.from + ": " + err.Error(), "choose one with --server, or all with --all"}
	}
	f.server = s.Name
	return f.take(c, s)
}

// take puts a server of a client's file into the target.
func (f *targetFlags) take(c config.Config, s clients.Server) (config.Config, error) {
	switch {
	case s.Unable != "":
		return c, &misuse{f.from + ": " + s.Name + ": " + s.Unable, ""}
	case len(s.Missing) > 0:
		return c, &misuse{f.from + ": " + s.Name + ": " + strings.Join(s.Missing, "; "), ""}
	}
	if s.URL != "" {
		if err := config.CheckURL(s.URL); err != nil {
			return c, &misuse{f.from + ": " + s.Name + ": the url is not an HTTP address: " + err.Error(), ""}
		}
	}
	t := &c.Target
	t.URL, t.SSEURL = s.URL, s.SSE
	if s.URL+s.SSE == "" {
		t.Command = s.Command
	} else {
		t.Start = s.Command
	}
	if s.Cwd != "" {
		t.Cwd = s.Cwd
	}
	t.Env, t.Headers = joined(t.Env, s.Env), joined(t.Headers, s.Headers)
	return c.Hide(s.Secrets...), nil
}

// namedNearby says which servers the clients' files in this folder name, and what to type;
// empty where there is no such file.
func namedNearby(env config.Environment) (problem, hint string) {
	for _, path := range clientFiles() {
		f, err := readClients(path, env)
		if err != nil {
			continue // another program may have a file of this name
		}
		names := f.Names()
		return "no server is named here, and " + path + " names " + strings.Join(names, ", "),
			"say " + program + " run " + shellWords([]string{"--from", filepath.ToSlash(path), "--server", names[0]})
	}
	return "", ""
}
