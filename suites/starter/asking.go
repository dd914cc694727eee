package starter

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// asker is the tool that may ask the client for what a field of roles.client-request is about:
// one that is named after it, or else the first that speaks of it.
func (s *Seen) asker(role roles.Name, field string) (tool, bool) {
	stem := field[:min(len(field), 5)]
	if role != roles.ClientRequest || len(stem) < 5 {
		return tool{}, false
	}
	fits := func(is func(tool) bool) int {
		return slices.IndexFunc(s.tools, func(t tool) bool { return !t.destroys && is(t) })
	}
	i := fits(func(t tool) bool { return strings.Contains(strings.ToLower(t.name), stem) })
	if speaks := speaking(field); i < 0 && speaks != nil {
		i = fits(func(t tool) bool { return speaks.MatchString(t.name + " " + t.about) })
	}
	if i < 0 {
		return tool{}, false
	}
	return s.tools[i], true
}

// speaking are the words with which a tool says that it asks the client for something.
func speaking(field string) *regexp.Regexp {
	return map[string]*regexp.Regexp{
		"elicitation": regexp.MustCompile(`(?i)^ask\b|elicit|\basks? (you|(the )?user)|\bprompts? the user|\buser input|\bconfirm`),
		"sampling":    regexp.MustCompile(`(?i)\bsampl(e|ing)\b|client's (model|llm)|\basks? the (model|llm)`),
		"roots":       regexp.MustCompile(`(?i)\broots\b`),
	}[field]
}
