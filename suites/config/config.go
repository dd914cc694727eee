// Package config reads mcp-conform.yaml: it knows every key, where it stood,
// and which values are secret. It starts nothing and reads no other file.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// FileName is the file in the working directory that is read unless the user
// names another one.
const FileName = "mcp-conform.yaml"

// A person writes a configuration; a longer file is something else.
const maxSize = 1 << 20

// Config holds the settings of a file, with defaults for the rest.
type Config struct {
	File string // as the user named it; empty without a file
	Dir  string // of the file, the working directory without one

	TargetLine int // the line of the file that names the server; 0 without a file
	Target     Target
	Revisions  Revisions
	Transport  Transport
	Roles      roles.Set // including principals
	Principals Principals
	Claims     Claims
	Dialects   map[string]Dialect // by extension
	Wait       Wait
	Limits     Limits
	Words      Words
	Baseline   []Expected

	Stress     bool
	External   bool
	Production bool

	None []None // what the server does not have

	Secrets []string // values that no report may show
	Checked []string // the secrets that the server must never send

	declared []string // values of the key secrets
	expanded []string // values of ${NAME}
	mentions []Mention
	programs []Program
	ca       *node          // the value of target.ca in the file
	given    map[string]int // the line of each principal of the file
	source   source         // the file's text, for excerpts
}

// Wait holds the durations of waits.
type Wait struct {
	Event      time.Duration // for messages that may not come; 0: twenty of the server's round trips
	DefaultTTL time.Duration // the pause in rows about default lifetimes
	Max        time.Duration // the longest single wait
}

// Limits limits the data that the kit sends and reads.
type Limits struct {
	MaxUpload    int64 // bytes
	Frame        int64 // bytes
	Pages        int   // of one list
	Reads        int   // resources, prompts and tools tried as a sample
	Depth        int   // calls of each read-only tool with varied arguments
	Rounds       int   // of input in one call
	Ping         time.Duration
	ProgressRate int // notifications for one request within a second that are a flood
	Rate         int // requests per second; 0: as fast as it goes
}

// Words are words that some proposals leave to the server.
type Words struct {
	Recommend      string   // the capability to ask recommendations for
	TriggerPhrases []string // added to the known ones
}

// Default returns the configuration of a run without a file.
func Default() Config {
	return Config{
		Dir:       ".",
		Target:    Target{Wait: 30 * time.Second},
		Transport: Auto,
		Roles:     roles.NewSet(roles.Known()),
		Wait:      Wait{DefaultTTL: 10 * time.Second, Max: 30 * time.Second},
		Limits: Limits{
			MaxUpload: 8 << 20, Frame: 16 << 20, Pages: 100, Reads: 50, Depth: 4, Rounds: 10, Ping: time.Second, ProgressRate: 1000,
		},
		Words:      Words{Recommend: "design_mockup"},
		Production: true,
	}
}

// Environment looks up an environment variable, as os.LookupEnv does.
type Environment func(name string) (string, bool)

// Known is what a file may refer to. A nil field has a default.
type Known struct {
	Roles      []roles.Spec // roles.Known()
	Revisions  []string     // nil: every date is allowed
	Extensions []string     // Extensions()
}

// Load reads a file. A failure is an *Error.
func Load(path string, env Environment, known Known) (Config, error) {
	data, err := readFile(path)
	if err != nil {
		return Config{}, &Error{File: path, Message: "the configuration cannot be read: " + reason(err), cause: err}
	}
	return Parse(path, data, env, known)
}

// Parse reads the text of a file; its name gives the directory that relative
// paths start from. A failure is an *Error.
func Parse(name string, data []byte, env Environment, known Known) (Config, error) {
	if known.Roles == nil {
		known.Roles = roles.Known()
	}
	if known.Extensions == nil {
		known.Extensions = Extensions()
	}
	r := &reader{source: newSource(name, data), env: env, known: known, dir: filepath.Dir(name)}
	root, err := r.source.tree()
	if err != nil {
		return Config{}, err
	}
	c := Default()
	c.File, c.Dir = name, r.dir
	c.Target.Cwd = r.dir
	c.Roles = roles.NewSet(known.Roles)
	if root.kind == null {
		return c, nil
	}
	if err := readConfig(r, root, &c); err != nil {
		return Config{}, err
	}
	c.expanded, c.None, c.mentions, c.programs, c.ca, c.source = r.expanded, r.none, r.mentions, r.programs, r.ca, r.source
	return c.Settled(), nil
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("it is larger than %d bytes", maxSize)
	}
	return data, err
}

// reason is the error without the path, which the message already names.
func reason(err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return err.Error()
}
