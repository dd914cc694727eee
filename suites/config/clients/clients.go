// Package clients reads the files in which MCP clients and the registry name their servers, by
// the rules of each client, so that nobody has to write a server down a second time. It never
// writes such a file.
package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A Server is one that a file names.
type Server struct {
	Name    string
	Command []string // serves stdio, or the address if there is one
	Env     map[string]string
	Cwd     string // empty: the client says nothing of it
	URL     string // of Streamable HTTP; clients try HTTP+SSE there as well
	SSE     string
	Headers map[string]string

	Secrets []string // values that came from elsewhere than the file
	Missing []string // what the client would fill in, and is not known here; each a sentence
	Unable  string   // why the server cannot be started by a command
}

// A File is what a client's file holds.
type File struct {
	Client  string // whose rules it follows
	Servers []Server
}

// Find returns the server with the name, or the only one where the name is empty.
func (f File) Find(name string) (Server, error) {
	names := f.Names()
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	for _, s := range f.Servers {
		if s.Name == name {
			return s, nil
		}
	}
	if name == "" {
		return Server{}, fmt.Errorf("%d servers are named: %s", len(names), strings.Join(names, ", "))
	}
	return Server{}, fmt.Errorf("no server %q is named; there is %s", name, strings.Join(names, ", "))
}

// Names lists the servers in the order of their names.
func (f File) Names() []string {
	var names []string
	for _, s := range f.Servers {
		names = append(names, s.Name)
	}
	return names
}

// Place is where a file is read: what its variables stand for.
type Place struct {
	Path string // of the file
	Dir  string // the working directory
	Home string
	Env  func(name string) (string, bool)
	Read func(path string) ([]byte, error) // of files that the file names
}

// Read reads a file.
func Read(text []byte, at Place) (File, error) {
	plain, err := hujson.Standardize(bytes.TrimPrefix(slices.Clone(text), []byte("\xef\xbb\xbf")))
	if err != nil {
		return File{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(plain, &whole); err != nil {
		return File{}, errors.New("want a JSON object")
	}
	if _, packages := whole["packages"]; packages || whole["remotes"] != nil {
		return registry(plain, at)
	}
	client, of := dialectOf(whole, at)
	found, err := entries(whole, at)
	if err != nil {
		return File{}, err
	}
	f := File{Client: client}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s, err := of.server(name, found[name])
		if err != nil {
			return File{}, fmt.Errorf("the server %q: %w", name, err)
		}
		if s != nil {
			f.Servers = append(f.Servers, *s)
		}
	}
	if len(f.Servers) == 0 {
		return File{}, errors.New("it names no server")
	}
	return f, nil
}

// entries are the servers of a file, also those that a file of a user holds for one project.
func entries(whole map[string]json.RawMessage, at Place) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	seen := false
	add := func(text json.RawMessage, key string) error {
		if text == nil {
			return nil
		}
		seen = true
		var some map[string]json.RawMessage
		if err := json.Unmarshal(text, &some); err != nil {
			return fmt.Errorf("%s is not a JSON object", key)
		}
		maps.Copy(all, some)
		return nil
	}
	var projects map[string]struct {
		Servers json.RawMessage `json:"mcpServers"`
	}
	_ = json.Unmarshal(whole["projects"], &projects) // files of other clients may mean something else by it
	err := errors.Join(add(whole["servers"], "servers"), add(whole["mcpServers"], "mcpServers"),
		add(projects[at.Dir].Servers, "mcpServers of the project"))
	if err == nil && !seen {
		err = errors.New("it has none of mcpServers, servers, packages and remotes")
	}
	return all, err
}

// An entry is a server as clients write it. Clients know further members.
type entry struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]scalar `json:"env"`
	EnvFile   string            `json:"envFile"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url"`
	HTTPURL   string            `json:"httpUrl"`
	ServerURL string            `json:"serverUrl"`
	Headers   map[string]string `json:"headers"`
}

// A scalar is a string, or a number or boolean in its place, as clients take it too.
type scalar string

func (s *scalar) UnmarshalJSON(text []byte) error {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		*s = scalar(plain)
		return nil
	}
	if len(text) > 0 && strings.ContainsRune("[{", rune(text[0])) {
		return errors.New("the value of a variable is not a string")
	}
	*s = scalar(text)
	return nil
}

// server is nil for an entry that is null.
func (d dialect) server(name string, text json.RawMessage) (*Server, error) {
	if string(text) == "null" {
		return nil, nil //nolint:nilnil // clients skip it
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, wrongType(err)
	}
	s := &Server{Name: name, Env: map[string]string{}, Headers: map[string]string{}}
	put := func(text string) string { return d.expand(s, text) }
	if e.EnvFile != "" {
		d.environmentFile(s, put(e.EnvFile))
	}
	for key, value := range e.Env {
		s.Env[key] = put(string(value))
	}
	for key, value := range e.Headers {
		s.Headers[key] = put(value)
	}
	kind := strings.ToLower(e.Type + e.Transport)
	address := put(e.URL + e.HTTPURL + e.ServerURL)
	switch {
	case kind == "sse":
		s.SSE = address
	case address != "" && kind != "stdio":
		s.URL = address
	case e.Command != "":
		s.Command = append([]string{put(e.Command)}, d.each(s, e.Args)...)
		s.Cwd = d.folder(put(e.Cwd))
	}
	if len(s.Command) == 0 && s.URL == "" && s.SSE == "" {
		return nil, errors.New("it has neither a command nor a url")
	}
	slices.Sort(s.Missing)
	s.Missing = slices.Compact(s.Missing)
	return s, nil
}

func (d dialect) each(s *Server, texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, d.expand(s, text))
	}
	return all
}

// folder is where a command is started: relative paths begin at the project, if there is one.
func (d dialect) folder(cwd string) string {
	switch {
	case cwd == "":
		return d.project
	case filepath.IsAbs(cwd) || d.project == "":
		return cwd
	default:
		return filepath.Join(d.project, cwd)
	}
}

// wrongType says in words what the JSON library says in terms of Go.
func wrongType(err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		if wrong.Field == "" {
			return fmt.Errorf("it is a JSON %s, want an object", wrong.Value)
		}
		return fmt.Errorf("%s is a JSON %s of the wrong type", wrong.Field, wrong.Value)
	}
	return err
}
