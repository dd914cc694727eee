package dashdash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The most that a skill file takes of a server: what agents accept, and what is sensible.
const (
	mostDescription = 1024
	mostGuide       = 256 << 10
)

// SkillFile is a suite of one case, which makes a skill file of what the server says and
// judges nothing. Keep gets the file, or what is missing for it.
func SkillFile(keep func(text string, missing []string)) suite.Suite {
	return suite.Suite{
		Name:  "skill",
		Title: "a skill file is made of what the server says of itself",
		Cases: []suite.Case{{
			ID: "skill/file", Title: "the metadata are enough for a skill file", Checks: []requirements.ID{"ext-dd-init-skill"},
			Fix: "add what is missing", Run: func(c *probe.Client) error {
				s := gather(c)
				keep(s.text(), s.missing)
				return nil
			},
		}},
	}
}

// A sketch is a skill file that is being made.
type sketch struct {
	name, description string
	block             map[string]any
	help              help
	sections          map[string]any // of the JSON form
	tools             []probe.Item
	missing           []string
}

func (s *sketch) lack(format string, args ...any) {
	s.missing = append(s.missing, fmt.Sprintf(format, args...))
}

// either is a value of the dashdash object, or else of the front matter of the guide.
func (s *sketch) either(key string, path ...string) (value any, there bool) {
	value = s.block
	for _, name := range path {
		if value, there = probe.ObjectOf(value)[name]; !there {
			value, there = s.help.front[key]
			return value, there
		}
	}
	return value, there
}

// gather reads what the proposal wants for a skill, and notes what is missing or cannot be
// used.
func gather(c *probe.Client) *sketch {
	s := &sketch{block: proposal.ReadBlock(c).Object, help: readHelp(c)}
	_ = c.Try(func() { s.sections = probe.ObjectOf(inJSON(c).Object["sections"]) }) // a server may have one form only
	if c.Survey().Capabilities["tools"] != nil {
		s.tools = probe.List(c, protocol.Tools()).All
	}
	s.readIdentity(c.Survey().Given.Triggers)
	for _, one := range []struct {
		key, want string
		path      []string
		fits      func(any) bool
	}{
		{
			"spec-version", "a semantic version, 0.2.0 or later", []string{"specVersion"},
			func(v any) bool { return guide.IsVersion(probe.TextOf(v)) },
		},
		{"access-level", "read, interact or full", []string{"accessLevel"}, func(v any) bool { return isLevel(probe.TextOf(v)) }},
		{"cli-url", "an absolute URL or null", []string{"alternativeAccess", "cliUrl"}, urlOrNone},
		{"api-url", "an absolute URL or null", []string{"alternativeAccess", "apiUrl"}, urlOrNone},
		{"web-url", "an absolute URL or null", []string{"alternativeAccess", "webUrl"}, urlOrNone},
	} {
		value, there := s.either(one.key, one.path...)
		switch {
		case !there:
			s.lack("%s is missing, want %s", strings.Join(one.path, "."), one.want)
		case !one.fits(value):
			s.lack("%s is %s, want %s", strings.Join(one.path, "."), probe.Show(value), one.want)
		}
	}
	s.readGuide()
	scanner := proposal.NewScanner()
	for _, p := range passages(c) {
		for _, text := range probe.Texts(p.value) {
			if hits := scanner.Secrets(text, c.Survey().Given.Secrets, nil); len(hits) > 0 {
				s.lack("%s holds %s, %q, want no credentials", p.where, hits[0].What, hits[0].Text)
			}
		}
	}
	return s
}

func (s *sketch) readIdentity(triggers []string) {
	name, _ := s.either("name", "identity", "name")
	description, _ := s.either("description", "identity", "description")
	s.name, s.description = probe.TextOf(name), strings.Join(strings.Fields(printable(probe.TextOf(description))), " ")
	switch {
	case s.name == "":
		s.lack("identity.name is missing, want small letters, digits and hyphens")
	case !guide.IsName(s.name):
		s.lack("identity.name is %s, want small letters, digits and hyphens, at most 64", probe.Show(s.name))
	}
	switch n := len([]rune(s.description)); {
	case n == 0:
		s.lack("identity.description is missing, want what the server is for, and when to use it")
	case n > mostDescription:
		s.lack("identity.description has %d characters, and a skill has at most %d", n, mostDescription)
	case !guide.HasTrigger(s.description, triggers):
		s.lack(`identity.description does not say when to use the server, as in "Use when the user asks to book a berth"`)
	case !guide.Telling(s.description, triggers):
		s.lack("identity.description does not say for what the server is used")
	}
}

// readGuide looks for the two sections: in Markdown, or where there is none in the JSON form.
func (s *sketch) readGuide() {
	if len(s.help.content) > mostGuide {
		s.lack("the guide of ai_help has %d bytes, and a skill file takes at most %d", len(s.help.content), mostGuide)
	}
	if s.help.content == "" && s.sections == nil {
		s.lack("ai_help is missing, want a guide with the sections When to Use and Quick Reference")
		return
	}
	for _, one := range []struct{ title, key string }{{"When to Use", "whenToUse"}, {"Quick Reference", "quickReference"}} {
		entries := len(probe.ArrayOf(s.sections[one.key]))
		if s.help.content != "" {
			section, _ := s.help.body.Find(one.title)
			entries = len(section.Items)
		}
		if entries == 0 {
			s.lack("the guide of ai_help has no section %s with entries", one.title)
		}
	}
}

// text is the file, empty where anything is missing.
func (s *sketch) text() string {
	if len(s.missing) > 0 {
		return ""
	}
	// A string of JSON is a string of YAML too, whatever it holds.
	parts := []string{"---\nname: " + s.name + "\ndescription: " + probe.JSON(s.description) + "\n---", s.guide()}
	for _, more := range []struct{ title, text string }{{"Tools", s.listed()}, {"Requirements", s.requirements()}, {"Other ways", s.ways()}} {
		if more.text != "" {
			parts = append(parts, "## "+more.title+" of the MCP server\n\n"+more.text)
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// guide is the guide in Markdown, or what is made of its JSON form.
func (s *sketch) guide() string {
	if s.help.content != "" {
		return strings.TrimSpace(printable(s.help.text))
	}
	text := "# " + s.name + "\n\n> " + s.description
	for _, one := range []struct{ title, key string }{{"When to Use", "whenToUse"}, {"Quick Reference", "quickReference"}} {
		text += "\n\n## " + one.title + "\n"
		for _, entry := range probe.ArrayOf(s.sections[one.key]) {
			text += "\n- " + line(entry)
		}
	}
	return text
}

// listed is a line for each tool.
func (s *sketch) listed() string {
	var lines []string
	for _, tool := range s.tools {
		value, _ := proposal.ItemBlock(tool.Value)
		about := "- `" + line(tool.Key) + "`"
		if text := line(probe.ObjectOf(tool.Value)["description"]); text != "" {
			about += ": " + text
		}
		if kind := line(probe.ObjectOf(value)["operationType"]); kind != "" {
			about += " (" + kind + ")"
		}
		if tool.Keyed {
			lines = append(lines, about)
		}
	}
	return strings.Join(lines, "\n")
}

func (s *sketch) requirements() string {
	var lines []string
	for _, one := range []struct{ path, title string }{{"auth", "Authentication"}, {"env", "Environment"}, {"scopes", "Scopes"}} {
		if all := probe.Strings(probe.ObjectOf(s.block["requires"])[one.path]); len(all) > 0 {
			lines = append(lines, "- "+one.title+": "+line(strings.Join(all, ", ")))
		}
	}
	packages := probe.ObjectOf(s.block["install"])
	for _, manager := range slices.Sorted(maps.Keys(packages)) {
		lines = append(lines, "- Package of "+line(manager)+": `"+line(packages[manager])+"`")
	}
	return strings.Join(lines, "\n")
}

func (s *sketch) ways() string {
	var lines []string
	for _, one := range []struct{ key, name, title string }{{"cli-url", "cliUrl", "Command line"}, {"api-url", "apiUrl", "API"},
		{"web-url", "webUrl", "Web"}} {
		if value, _ := s.either(one.key, "alternativeAccess", one.name); isURL(value) {
			lines = append(lines, "- "+one.title+": "+line(value))
		}
	}
	return strings.Join(lines, "\n")
}

// line is a value on one line.
func line(value any) string {
	text, ok := value.(string)
	if !ok && value != nil {
		text = probe.JSON(value)
	}
	return strings.Join(strings.Fields(printable(text)), " ")
}

// printable is a text without what a terminal obeys.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) || r == '\u200d' {
			return r
		}
		return -1
	}, text)
}
