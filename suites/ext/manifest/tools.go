package manifest

import (
	"fmt"
	"regexp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func tools() []suite.Case {
	return []suite.Case{
		handed("tool-required", "each tool of the manifest has a name, a description and input_schema", "ext-manifest-tool-required",
			"send name, description and input_schema for each tool; inputSchema is the spelling of tools/list", of(toolRequired)),
		handed("tool-name-pattern", "tool names of the manifest consist of small letters, digits and underscores",
			"ext-manifest-tool-name-pattern",
			"rename the tool: begin with a small letter, and use a-z, 0-9 and _ only", of(toolNamePattern)),
		handed("tool-names-unique", "each tool occurs once in the manifest", "ext-manifest-tool-names-unique",
			"list each tool once, and give different tools different names", of(toolNamesUnique)),
		handed("tool-flags-boolean", "the flags of tools are booleans and required_scopes is an array of strings",
			"ext-manifest-tool-flags-boolean",
			"send true or false for idempotent, requires_confirmation, supports_streaming and supports_pagination", ofEntries("ToolFlags")),
	}
}

// ofEntries makes a case of a definition that each tool has to fit.
func ofEntries(definition string) func(*probe.Client) error {
	return of(func(d *document) error {
		all := d.entries()
		for _, e := range all {
			if err := d.fits(definition, e.tool, "tools", e.at); err != nil {
				return err
			}
		}
		return nil
	})
}

func toolRequired(d *document) error {
	listed, ok := d.Document["tools"].([]any)
	if !ok || len(listed) == 0 {
		d.entries()
		return nil
	}
	for i, tool := range listed {
		if err := d.fits("ToolOutline", tool, "tools", i); err != nil {
			return err
		}
	}
	return nil
}

// A name that the core protocol allows and that tools/list has too cannot be changed
// for the manifest alone.
func toolNamePattern(d *document) error {
	all := d.entries()
	narrow, wide := regexp.MustCompile(`^[a-z][a-z0-9_]*$`), regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
	var doubtful error
	for _, e := range all {
		name := e.name()
		if name == "" || narrow.MatchString(name) {
			continue
		}
		broken := d.violation("%s is %q, want a name that fits ^[a-z][a-z0-9_]*$", d.Where("tools", e.at, "name"), name)
		if !wide.MatchString(name) {
			return broken
		}
		switch listed := d.lists(name); {
		case !listed:
			return broken
		case doubtful == nil:
			doubtful = broken.AtMostWarn()
		}
	}
	return doubtful
}

// lists reports whether tools/list has a tool of this name.
func (d *document) lists(name string) bool {
	items := probe.List(d.client, protocol.Tools())
	_, ok := items.Find(name)
	return ok
}

func toolNamesUnique(d *document) error {
	all := d.entries()
	first := map[string]int{}
	var problems []string
	for _, e := range all {
		name := e.name()
		if name == "" {
			continue
		}
		if at, twice := first[name]; twice {
			problems = append(problems, fmt.Sprintf("%s is %q, the name of %s, want each name once",
				d.Where("tools", e.at, "name"), name, d.Where("tools", at)))
			continue
		}
		first[name] = e.at
	}
	if len(problems) > 0 {
		return d.violation("%s", some(problems))
	}
	return nil
}
