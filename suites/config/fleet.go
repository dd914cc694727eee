package config

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Fleet is a file that names many servers.
type Fleet struct {
	File    string
	Members []Member
}

// A Member is a server of a fleet: how it is reached, or the file that says so, and what
// its entry sets. What neither the entry nor the defaults of the file set is zero.
type Member struct {
	Name string
	Line int
	Path string // of its configuration, or empty

	Revisions                    *Revisions
	Transport                    Transport
	Timeout, StartTimeout, Limit time.Duration

	config Config // where there is no Path
}

// Config is the configuration by which the server is judged. A failure is an *Error.
func (m Member) Config(env Environment, known Known) (Config, error) {
	c := m.config
	if m.Path != "" {
		var err error
		if c, err = Load(m.Path, env, known); err != nil {
			return c, err
		}
		if c.Target.Empty() {
			return c, &Error{File: m.Path, Message: "it names no target; add target.command or target.url"}
		}
	}
	if m.Revisions != nil {
		c.Revisions = *m.Revisions
	}
	if m.Transport != "" {
		c.Transport = m.Transport
	}
	return c, nil
}

// LoadFleet reads a file that names many servers. A failure is an *Error.
func LoadFleet(path string, env Environment, known Known) (Fleet, error) {
	data, err := readFile(path)
	if err != nil {
		return Fleet{}, &Error{File: path, Message: "the file cannot be read: " + reason(err), cause: err}
	}
	return ParseFleet(path, data, env, known)
}

// ParseFleet reads the text of a file that names many servers. A failure is an *Error.
func ParseFleet(name string, data []byte, env Environment, known Known) (Fleet, error) {
	if known.Roles == nil {
		known.Roles = roles.Known()
	}
	r := &reader{source: newSource(name, data), env: env, known: known, dir: filepath.Dir(name)}
	root, err := r.source.tree()
	if err != nil {
		return Fleet{}, err
	}
	if root.kind != object {
		return Fleet{}, r.failNode(root, "want a map with the keys servers and defaults, got %s", root.kind)
	}
	var common Member
	var servers *node
	err = r.object(root, "", keys{
		"defaults": section(memberKeys(&common)),
		"servers":  func(_ *reader, n *node, _ string) error { servers = n; return nil },
	})
	switch {
	case err != nil:
		return Fleet{}, err
	case servers == nil:
		return Fleet{}, r.failNode(root, "the file names no server; list them below servers")
	case servers.kind != list:
		return Fleet{}, r.want(servers, "servers", "a list with at least one server")
	case len(servers.items) == 0:
		return Fleet{}, r.failNode(servers, "servers: the list is empty, want at least one server")
	}
	f := Fleet{File: name}
	lines := map[string]int{}
	for i, item := range servers.items {
		m, err := r.member(item, fmt.Sprintf("servers[%d]", i), common)
		if err != nil {
			return Fleet{}, err
		}
		if line, twice := lines[m.Name]; twice {
			return Fleet{}, r.failNode(item, "the name %q stands here twice, first in line %d", m.Name, line)
		}
		lines[m.Name] = m.Line
		f.Members = append(f.Members, m)
	}
	return f, nil
}

// memberKeys are what an entry may set, and the defaults for all entries.
func memberKeys(m *Member) keys {
	return keys{
		"revision": func(r *reader, n *node, path string) error {
			m.Revisions = new(Revisions)
			return into(readRevisions, m.Revisions)(r, n, path)
		},
		"transport":     into(readTransport, &m.Transport),
		"timeout":       into(readSpan, &m.Timeout),
		"start-timeout": into(readSpan, &m.StartTimeout),
		"limit":         into(readSpan, &m.Limit),
	}
}

func (r *reader) member(n *node, path string, common Member) (Member, error) {
	m := common
	m.Line = n.line
	r.expanded, r.ca = nil, nil // a report hides the secrets of its own server
	c := Default()
	c.File, c.Dir, c.TargetLine, c.Target.Cwd = r.file, r.dir, named(n), r.dir
	c.Roles = roles.NewSet(r.known.Roles)
	known := targetKeys(&c.Target)
	for key, read := range memberKeys(&m) {
		known[key] = read
	}
	known["name"], known["config"] = into(readText, &m.Name), into(readPath, &m.Path)
	if err := r.object(n, path, known); err != nil {
		return m, err
	}
	if m.Name == "" {
		return m, r.failNode(n, "%s: the server has no name", path)
	}
	for _, key := range n.members {
		if _, reaches := targetKeys(&Target{})[key.key]; reaches && m.Path != "" {
			text := fmt.Sprintf("%s: config names the target of %q already; leave out %s or config", path, m.Name, key.key)
			return m, r.fail(key.line, key.column, text)
		}
	}
	if m.Path == "" {
		if c.Target.Empty() {
			return m, r.failNode(n, "%s: %q has none of command, url and config", path, m.Name)
		}
		if err := c.Target.Check(); err != nil {
			return m, r.failNode(n, "%s: %s", path, err)
		}
	}
	c.expanded, c.ca, c.source = r.expanded, r.ca, r.source
	m.config = c.Settled()
	return m, nil
}

// readSpan reads a duration above zero.
func readSpan(r *reader, n *node, path string) (time.Duration, error) {
	value, err := readDuration(r, n, path)
	if err == nil && value == 0 {
		err = r.failNode(n, "%s: want a duration above zero, got %q", path, n.text)
	}
	return value, err
}
