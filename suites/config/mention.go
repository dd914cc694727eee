package config

import "github.com/mcp-conform/mcp-conform/suites/roles"

// A Mention is a tool, a prompt or a resource that a role of the file names.
type Mention struct {
	Kind         roles.Kind // KindTool, KindPrompt or KindResource
	Name         string
	Key          string // its key, such as roles.state-change.tool
	line, column int
}

// Mentions lists the names that roles of the file mention, in the order of the
// file. A configuration without a file has none.
func (c Config) Mentions() []Mention {
	if c.File == "" {
		return nil
	}
	return c.mentions
}

// Near reports whether the mention may be a misspelt known name.
func (m Mention) Near(known []string) bool { return near(m.Name, known) != "" }

// Mistaken is the mistake of a mention that the server does not list; known are
// possible spellings.
func (c Config) Mistaken(m Mention, message string, known []string) *Error {
	return c.source.mistake(m.line, m.column, m.Key+": "+message+near(m.Name, known))
}
