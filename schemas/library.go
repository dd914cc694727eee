// Package schemas tells whether a message fits the protocol at one revision, and applies
// the schemas of servers without trusting them. Objects are open everywhere: an
// undefined member is never a fault. It loads only embedded documents.
package schemas

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"
)

//go:embed core/*.json extensions/*.json
var documents embed.FS

// A Library holds our documents, each compiled on first use. It is safe for concurrent
// use.
type Library struct {
	core       map[string]func() (*Set, error)
	extensions map[string]func() (*Set, error)
}

//nolint:gochecknoglobals // what is embedded never changes, and compiling it takes as long as judging a small server
var own = sync.OnceValue(func() *Library {
	return &Library{core: lazily("core"), extensions: lazily("extensions")}
})

// Load returns the Library over the embedded documents, one for the whole process. Load
// compiles nothing.
func Load() *Library { return own() }

// Core returns the definitions of one revision, named by its date.
func (l *Library) Core(revision string) (*Set, error) {
	return find(l.core, "revision", revision)
}

// Prepare compiles the parts that all definitions of one revision need, ahead of their
// first use.
func (l *Library) Prepare(revision string) {
	if set, err := l.Core(revision); err == nil {
		set.Validate(set.Names()[0], nil)
	}
}

// Extension returns the definitions of one extension, named by its token.
func (l *Library) Extension(name string) (*Set, error) {
	return find(l.extensions, "extension", name)
}

func find(sets map[string]func() (*Set, error), kind, name string) (*Set, error) {
	compiled, known := sets[name]
	if !known {
		return nil, fmt.Errorf("no schemas for %s %q", kind, name)
	}
	return compiled()
}

func lazily(dir string) map[string]func() (*Set, error) {
	sets := map[string]func() (*Set, error){}
	entries, err := documents.ReadDir(dir)
	if err != nil {
		return sets // the directory is embedded, so it is there
	}
	for _, entry := range entries {
		file := path.Join(dir, entry.Name())
		name := strings.TrimSuffix(entry.Name(), ".json")
		sets[name] = sync.OnceValues(func() (*Set, error) { return compileSet(file) })
	}
	return sets
}
