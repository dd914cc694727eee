package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A Mention is a tool, a prompt or a resource that a role of the file names.
type Mention struct {
	Kind         roles.Kind // KindTool, KindPrompt or KindResource
	Name         string
	Key          string // its key, such as roles.state-change.tool
	line, column int

	// Arguments are those of a call, with their placeholders; nil where the file gives none,
	// and where the kit adds an argument of its own.
	Arguments map[string]any
	at        *node // of the arguments
}

// Mentions lists the names that roles of the file mention, in the order of the
// file. A configuration without a file has none.
func (c Config) Mentions() []Mention {
	if c.File == "" {
		return nil
	}
	return c.mentions
}

// PlaceOfRole says where the file names the tool, prompt or resource of a role, as in
// "mcp-conform.yaml:12"; it is empty where no file does.
func (c Config) PlaceOfRole(name roles.Name) string {
	for _, m := range c.Mentions() {
		if strings.HasPrefix(m.Key, roles.Key(string(name))+".") {
			return fmt.Sprintf("%s:%d", c.File, m.line)
		}
	}
	return ""
}

// Near reports whether the mention may be a misspelt known name.
func (m Mention) Near(known []string) bool { return near(m.Name, known) != "" }

// Mistaken is the mistake of a mention that the server does not list; known are
// possible spellings.
func (c Config) Mistaken(m Mention, message string, known []string) *Error {
	return c.source.mistake(m.line, m.column, m.Key+": "+message+near(m.Name, known))
}

// Refused is the mistake of a mention whose arguments do not fit; known are the names of
// arguments that do.
func (c Config) Refused(m Mention, message string, known []string) *Error {
	for _, name := range slices.Sorted(maps.Keys(m.Arguments)) {
		if !slices.Contains(known, name) {
			message += near(name, known)
			break
		}
	}
	return c.source.mistake(m.at.line, m.at.column, strings.TrimSuffix(m.Key, ".tool")+": "+message)
}

// give adds the arguments to the mention of the tool beside them.
func (r *reader) give(path string, values roles.Fields, at *node) {
	given, ok := values.Arguments("arguments")
	if _, adds := values["argument"]; !ok || adds || at == nil {
		return
	}
	for i := range r.mentions {
		if m := &r.mentions[i]; m.Key == join(path, "tool") {
			m.Arguments, m.at = given, at
		}
	}
}
