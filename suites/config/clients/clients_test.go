package clients_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-conform/mcp-conform/suites/config/clients"
)

func read(path, text string) (clients.File, error) {
	known := map[string]string{"TOKEN": "from-outside", "MCP_INPUT_api_key": "typed", "EMPTY": "", "HOME": "/users/somebody"}
	return clients.Read([]byte(text), clients.Place{
		Path: path, Dir: "/srv/project", Home: "/users/somebody",
		Env: func(name string) (string, bool) { v, ok := known[name]; return v, ok },
		Read: func(path string) ([]byte, error) {
			if path != "/srv/project/.env" {
				return nil, errors.New("no such file")
			}
			return []byte("# kept apart\nexport A=1\nB = \"two words\"\nno assignment\n"), nil
		},
	})
}

// TestRead: each client's file is read as that client reads it.
func TestRead(t *testing.T) {
	t.Parallel()
	type m = map[string]string
	for name, row := range map[string]struct {
		path, text, client string
		want               []clients.Server
	}{
		"a command": {"/srv/project/.mcp.json", `{"mcpServers": {"a": {"command": "node", "args": ["x.js", "${TOKEN}"], "env": {"N": 1, "T": "${TOKEN}"}}}}`, "Claude Code",
			[]clients.Server{{Name: "a", Command: []string{"node", "x.js", "from-outside"}, Cwd: "/srv/project", Env: m{"N": "1", "T": "from-outside"}, Secrets: []string{"from-outside", "from-outside"}}}},
		"defaults, and what is not set": {"/srv/project/.mcp.json", `{"mcpServers": {"a": {"type": "http", "url": "${BASE:-http://127.0.0.1:8080}/mcp", "headers": {"Authorization": "Bearer ${SECRET}", "X": "${EMPTY:-none}"}}}}`, "Claude Code",
			[]clients.Server{{Name: "a", URL: "http://127.0.0.1:8080/mcp", Headers: m{"Authorization": "Bearer ${SECRET}", "X": "none"}, Missing: []string{"${SECRET}: the environment variable SECRET is not set"}}}},
		"the folder of the user is no secret": {"/srv/project/.mcp.json", `{"mcpServers": {"a": {"command": "node", "args": ["${HOME}/x.js"]}}}`, "Claude Code",
			[]clients.Server{{Name: "a", Command: []string{"node", "/users/somebody/x.js"}, Cwd: "/srv/project"}}},
		"a dollar alone is text": {"/srv/project/.mcp.json", `{"mcpServers": {"a": {"command": "sh", "args": ["-c", "echo $TOKEN"]}}}`, "Claude Code",
			[]clients.Server{{Name: "a", Command: []string{"sh", "-c", "echo $TOKEN"}, Cwd: "/srv/project"}}},
		"HTTP+SSE, null and a folder": {"/x/mcp.json", `{"mcpServers": {"a": {"type": "sse", "url": "http://127.0.0.1:1/sse"}, "b": null, "c": {"command": "./server", "cwd": "sub"}}}`, "Claude Code",
			[]clients.Server{{Name: "a", SSE: "http://127.0.0.1:1/sse"}, {Name: "c", Command: []string{"./server"}, Cwd: "sub"}}},
		"names of other clients for a URL": {"/users/somebody/.gemini/settings.json", `{"theme": "dark", "mcpServers": {"a": {"httpUrl": "http://127.0.0.1:1/mcp"}, "b": {"serverUrl": "http://127.0.0.1:2/mcp"}}}`, "Claude Code",
			[]clients.Server{{Name: "a", URL: "http://127.0.0.1:1/mcp"}, {Name: "b", URL: "http://127.0.0.1:2/mcp"}}},
		"a file of a user with projects": {"/users/somebody/.claude.json", `{"mcpServers": {"a": {"command": "a"}}, "projects": {"/srv/project": {"mcpServers": {"b": {"command": "b"}}}, "/elsewhere": {"mcpServers": {"c": {"command": "c"}}}}}`, "Claude Code",
			[]clients.Server{{Name: "a", Command: []string{"a"}}, {Name: "b", Command: []string{"b"}}}},
		"Claude Desktop fills in nothing": {"/x/claude_desktop_config.json", `{"mcpServers": {"a": {"command": "sh", "args": ["-c", "x ${TOKEN}"]}}}`, "Claude Desktop",
			[]clients.Server{{Name: "a", Command: []string{"sh", "-c", "x ${TOKEN}"}}}},
		"Cursor": {"/srv/project/.cursor/mcp.json", `{"mcpServers": {"a": {"command": "${workspaceFolder}/run", "args": ["${userHome}${/}data", "${workspaceFolderBasename}"], "envFile": ".env", "env": {"T": "${env:TOKEN}", "A": "2"}}}}`, "Cursor",
			[]clients.Server{{Name: "a", Command: []string{"/srv/project/run", "/users/somebody/data", "project"}, Cwd: "/srv/project", Env: m{"A": "2", "B": "two words", "T": "from-outside"}, Secrets: []string{"from-outside"}}}},
		"VS Code, with comments and inputs": {"/srv/project/.vscode/mcp.json", `{
			// what the editor asks for
			"inputs": [{"id": "api-key", "type": "promptString", "description": "the key", "password": true}, {"id": "region", "default": "north"}, {"id": "other", "description": "another"}],
			"servers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "${input:region}", "${input:other}", "${command:pick}"], "cwd": "${workspaceFolder}/sub", "env": {"KEY": "${input:api-key}"}}, /* last */ },
		}`, "VS Code", []clients.Server{{Name: "a", Command: []string{"npx", "-y", "north", "${input:other}", "${command:pick}"}, Cwd: "/srv/project/sub", Env: m{"KEY": "typed"}, Secrets: []string{"typed"},
			Missing: []string{"${command:pick}: nothing here can fill it in", "${input:other}: the editor asks for it (another); set MCP_INPUT_other"}}}},
		"a file of variables that is not there": {"/srv/project/.vscode/mcp.json", `{"servers": {"a": {"command": "x", "envFile": "${workspaceFolder}/none"}}}`, "VS Code",
			[]clients.Server{{Name: "a", Command: []string{"x"}, Cwd: "/srv/project", Missing: []string{"envFile /srv/project/none: it cannot be read"}}}},
		"packages and remotes": {"/x/server.json", `{"name": "io.example/tides", "packages": [
			{"registryType": "npm", "identifier": "@example/tides", "version": "1.2.3", "transport": {"type": "stdio"},
			 "packageArguments": [{"type": "positional", "value": "{folder}", "variables": {"folder": {"default": "/data"}}}, {"type": "named", "name": "--quiet", "value": "yes"}, {"type": "named", "name": "--left-out"}, {"type": "positional", "valueHint": "port", "isRequired": true}],
			 "environmentVariables": [{"name": "TOKEN", "isSecret": true, "isRequired": true}, {"name": "UNSET", "isRequired": true}, {"name": "OPTIONAL"}, {"name": "MODE", "default": "fast"}]},
			{"registryType": "pypi", "identifier": "tides", "version": "1.0", "transport": {"type": "stdio"}},
			{"registryType": "oci", "identifier": "example/tides", "version": "2", "runtimeArguments": [{"type": "named", "name": "-p", "value": "8080:8080"}], "environmentVariables": [{"name": "MODE", "value": "fast"}], "transport": {"type": "streamable-http", "url": "http://127.0.0.1:8080/mcp"}},
			{"registryType": "mcpb", "identifier": "bundle"}],
			"remotes": [{"type": "streamable-http", "url": "https://{tenant}.example.com/mcp", "headers": [{"name": "X-Key", "value": "{key}", "variables": {"key": {"default": "k"}}}]}]}`, "the registry",
			[]clients.Server{
				{Name: "@example/tides", Command: []string{"npx", "-y", "@example/tides@1.2.3", "/data", "--quiet", "yes"}, Env: m{"MODE": "fast", "TOKEN": "from-outside"}, Secrets: []string{"from-outside"},
					Missing: []string{"the variable UNSET has to be given: set UNSET", "the argument port has to be given"}},
				{Name: "bundle", Unable: `nothing here can start a package of the kind "mcpb"`},
				{Name: "example/tides", Command: []string{"docker", "run", "-i", "--rm", "-e", "MODE", "-p", "8080:8080", "example/tides:2"}, Env: m{"MODE": "fast"}, URL: "http://127.0.0.1:8080/mcp"},
				{Name: "https://{tenant}.example.com/mcp", URL: "https://{tenant}.example.com/mcp", Headers: m{"X-Key": "k"}, Missing: []string{"{tenant} of the address: set MCP_INPUT_tenant"}},
				{Name: "tides", Command: []string{"uvx", "tides==1.0"}},
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := read(row.path, row.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(clients.File{Client: row.client, Servers: row.want}, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadWrong: a mistake is named.
func TestReadWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"mcpServers": `:           "line 1, column 16: parsing value: unexpected EOF",
		`[]`:                        "want a JSON object",
		`{"roles": {}}`:             "it has none of mcpServers, servers, packages and remotes",
		`{"mcpServers": []}`:        "mcpServers is not a JSON object",
		`{"mcpServers": {}}`:        "it names no server",
		`{"mcpServers": {"a": 7}}`:  `the server "a": it is a JSON number, want an object`,
		`{"mcpServers": {"a": {}}}`: `the server "a": it has neither a command nor a url`,
		`{"mcpServers": {"a": {"command": "x", "args": "-y"}}}`:    `the server "a": args is a JSON string of the wrong type`,
		`{"mcpServers": {"a": {"command": "x", "env": {"A":[]}}}}`: `the server "a": the value of a variable is not a string`,
		`{"packages": []}`: "it names neither a package nor a remote",
		`{"packages": {}}`: "packages is a JSON object of the wrong type",
	} {
		if _, err := read("/x/.mcp.json", text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	f, err := read("/x/.mcp.json", `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.Find("b"); err != nil || s.Name != "b" {
		t.Errorf("b: %v, %v", s, err)
	}
	for name, want := range map[string]string{"": "2 servers are named: a, b", "c": `no server "c" is named; there is a, b`} {
		if _, err := f.Find(name); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	f.Servers = f.Servers[:1]
	if s, err := f.Find(""); err != nil || s.Name != "a" {
		t.Errorf("the only one: %v, %v", s, err)
	}
}
