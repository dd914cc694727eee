package config

import "github.com/mcp-conform/mcp-conform/suites/roles"

// A Mention is a tool, a prompt or a resource that a role of the file names.
type Mention struct {
	Kind         roles.Kind // KindTool, KindPrompt or KindResource
	Name         string
	Key          string // where it is named, such as roles.state-change.tool
	line, column int
}

// Mentions lists what the roles of the file name, in its order. A
// configuration that was made without a file mentions nothing.
func (c Config) Mentions() []Mention {
	if c.File == "" {
		return nil
	}
	return c.mentions
}

// Near tells whether one of the known names may have been meant.
func (m Mention) Near(known []string) bool { return near(m.Name, known) != "" }

// Mistaken is the mistake of a mention that the server knows nothing of; known
// are the names that may have been meant.
func (c Config) Mistaken(m Mention, message string, known []string) *Error {
	return c.source.mistake(m.line, m.column, m.Key+": "+message+near(m.Name, known))
}
