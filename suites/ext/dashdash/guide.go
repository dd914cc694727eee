package dashdash

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// matter are the cases of the front matter.
func matter() []suite.Case {
	return []suite.Case{
		written("front-matter", "the guide begins with YAML between two lines ---", "ext-dd-help-front-matter",
			"write --- as the first line, then keys and values in YAML, indented by blanks, then --- again", func(_ *probe.Client, h help) error {
				if h.trouble != nil {
					return h.shown.Violation("%s, want YAML between two lines ---", h.trouble)
				}
				return nil
			}),
		fronted("front-required", "the front matter has the eight required keys", "ext-dd-help-front-required",
			"add name, description, spec-url, spec-version, access-level, cli-url, api-url and web-url, in small letters with hyphens",
			func(c *probe.Client, h help) error { return h.matter(c, "FrontMatter", h.front) }),
		fronted("front-values", "the values of the front matter are those that the dashdash object may have", "ext-dd-help-front-values",
			"make the front matter from the values of the dashdash object, with none for a URL that you do not have", frontValues),
		fronted("front-recommended", "install, requires and invocation of the front matter have keys with hyphens",
			"ext-dd-help-front-recommended",
			"write model-invocable, user-invocable and allowed-tools, with hyphens as in all keys of the front matter", frontRecommended),
	}
}

// fronted is a case about the values of the front matter.
func fronted(slug, title string, rule requirements.ID, fix string, judge func(*probe.Client, help) error) suite.Case {
	return written(slug, title, rule, fix, func(c *probe.Client, h help) error {
		c.NotSeenIf(h.front == nil, "the front matter cannot be read; ext-dashdash-ai-help/front-matter says so")
		return judge(c, h)
	})
}

// matter expects a part of the front matter to fit a definition of the schema. Problems
// show its place within the text.
func (h help) matter(c *probe.Client, definition string, value any, path ...string) error {
	problem := c.ExtensionProblem("dashdash", definition, strings.Join(append([]string{""}, path...), "/"), value)
	if problem == "" {
		return nil
	}
	return h.shown.Violation("in the front matter %s", problem)
}

func frontValues(c *probe.Client, h help) error {
	var doubtful error
	for _, one := range []struct {
		key, want string
		fits      func(value any) bool
	}{
		{"name", "small letters, digits and hyphens, at most 64", func(v any) bool { return guide.IsName(probe.TextOf(v)) }},
		{"description", "a string that is not empty", func(v any) bool { return strings.TrimSpace(probe.TextOf(v)) != "" }},
		{"spec-url", "an absolute URL", isURL},
		{"spec-version", "a semantic version, 0.2.0 or later", func(v any) bool { return guide.IsVersion(probe.TextOf(v)) }},
		{"access-level", "read, interact or full", func(v any) bool { return isLevel(probe.TextOf(v)) }},
		{"cli-url", "an absolute URL, or none", urlOrNone},
		{"api-url", "an absolute URL, or none", urlOrNone},
		{"web-url", "an absolute URL, or none", urlOrNone},
	} {
		value, there := h.front[one.key]
		if there && !one.fits(value) {
			return h.shown.Violation("%s of the front matter is %s, want %s", one.key, probe.Show(value), one.want)
		}
		if one.key == "description" && there && !guide.HasTrigger(probe.TextOf(value), c.Survey().Given.Triggers) {
			doubtful = h.shown.Violation("description of the front matter is %s, want words that say when to use the server, such as %q",
				probe.Show(value), "use when").AtMostWarn()
		}
	}
	return doubtful
}

func urlOrNone(value any) bool {
	return value == nil || strings.EqualFold(probe.TextOf(value), "none") || isURL(value)
}

func frontRecommended(c *probe.Client, h help) error {
	invocation := probe.ObjectOf(h.front["invocation"])
	for _, held := range []map[string]any{h.front, invocation} {
		for _, key := range []struct{ camel, kebab string }{
			{"modelInvocable", "model-invocable"}, {"userInvocable", "user-invocable"}, {"allowedTools", "allowed-tools"},
		} {
			if _, there := held[key.camel]; there {
				return h.shown.Violation("the front matter has the key %s, want %s", key.camel, key.kebab)
			}
		}
	}
	return h.matter(c, "FrontHints", h.front)
}

// bodies are the cases of what stands behind the front matter.
func bodies() []suite.Case {
	return []suite.Case{
		written("title-summary", "one title and a quoted summary stand before the first section", "ext-dd-help-title-summary",
			"write one heading with #, and below it a line that begins with >", titleSummary),
		written("when-to-use", "the section When to Use lists the occasions to use the server", "ext-dd-help-when-to-use",
			"add ## When to Use as the first section, with a list of what users ask for", whenToUse),
		written("quick-reference", "the section Quick Reference lists the common tools", "ext-dd-help-quick-reference",
			"add ## Quick Reference, with a list of the tools that are used most", func(_ *probe.Client, h help) error {
				_, err := h.listing("Quick Reference", "common tools")
				return err
			}),
		written("tools-exist", "the tools of the section Quick Reference exist", "ext-dd-help-tools-exist",
			"make the section from tools/list", toolsExist),
		written("other-sections", "the guide covers installation, authentication, limits, errors, tools and other ways of access",
			"ext-dd-help-other-sections", "add a section for each of them that applies", otherSections),
	}
}

func titleSummary(_ *probe.Client, h help) error {
	switch {
	case len(h.body.Titles) != 1:
		return h.shown.Violation("the guide has %d headings of the first level, want one", len(h.body.Titles))
	case !h.body.Summary:
		return h.shown.Violation("no line that begins with > stands before the first section, want a summary")
	}
	return nil
}

// listing is the place of a section that has entries.
func (h help) listing(title, of string) (int, error) {
	s, n := h.body.Find(title)
	switch {
	case n < 0:
		return n, h.shown.Violation("the guide has no section %s, want one that lists the %s", title, of)
	case len(s.Items) == 0:
		return n, h.shown.Violation("the section %s has no entries, want a list of the %s", title, of)
	}
	return n, nil
}

func whenToUse(c *probe.Client, h help) error {
	n, err := h.listing("When to Use", "occasions to use the server")
	const early = 2
	switch {
	case err != nil:
		return err
	case n >= early:
		return h.shown.Violation("When to Use is section %d of the guide, want it among the first two", n+1).AtMostWarn()
	}
	if s, _ := h.body.Find("When to Use"); !negative().MatchString(s.Text) {
		c.Note("the section When to Use does not say when not to use the server")
	}
	return nil
}

var negative = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:not|n't|never|avoid)\b`) })

// identifier is the name that an entry of a list begins with, as code.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:[-*+] |[0-9]+[.)] )?\\s*(?:\\*\\*)?`([A-Za-z_][A-Za-z0-9_.-]*)(?:\\([^`]*\\))?`")
})

func toolsExist(c *probe.Client, h help) error {
	quick, n := h.body.Find("Quick Reference")
	c.NotSeenIf(n < 0, "the guide has no section Quick Reference; ext-dashdash-ai-help/quick-reference says so")
	c.NotSeenIf(c.Survey().Capabilities["tools"] != nil && !c.Survey().Whole[protocol.Tools().Method], "tools/list was not read to its end")
	known, compared := names(c), 0
	for _, entry := range quick.Items {
		found := identifier().FindStringSubmatch(entry)
		if found == nil || found[1] == strings.ToUpper(found[1]) { // a variable, or a code
			continue
		}
		if compared++; !known[found[1]] {
			return h.shown.Violation("the section Quick Reference has `%s`, which tools/list lacks, want a tool that exists", found[1])
		}
	}
	c.NotSeenIf(compared == 0, "no entry of the section Quick Reference begins with a name as code")
	return nil
}

// otherSections leaves out what the dashdash object says that the server does not have.
func otherSections(c *probe.Client, h help) error {
	own := proposal.ReadBlock(c).Object
	ways, _ := own["alternativeAccess"].(map[string]any)
	none := func(name string, held map[string]any) bool {
		value, there := held[name]
		return there && slices.Contains([]string{"null", "[]", "{}", `""`}, probe.JSON(value))
	}
	var lacking []string
	for _, part := range []struct {
		name    string
		words   []string
		without bool
	}{
		{"Installation", []string{"install", "setup", "gettingstarted", "quickstart"}, none("install", own)},
		{"Authentication", []string{"auth", "credential", "apikey", "login"}, none("auth", probe.ObjectOf(own["requires"]))},
		{"Rate Limits", []string{"limit", "quota"}, none("rateLimit", own)},
		{"Error Handling", []string{"error", "troubleshooting"}, false},
		{"Tool Reference", []string{"tool", "apireference", "commands", "methods"}, false},
		{
			"Alternative Access", []string{"alternative", "otherways", "access"},
			ways != nil && none("cliUrl", ways) && none("apiUrl", ways) && none("webUrl", ways),
		},
	} {
		there := slices.ContainsFunc(h.body.Sections, func(s guide.Section) bool {
			return slices.ContainsFunc(part.words, func(word string) bool { return strings.Contains(guide.Fold(s.Title), word) })
		})
		if !there && !part.without {
			lacking = append(lacking, part.name)
		}
	}
	if len(lacking) > 0 {
		return h.shown.Violation("the guide lacks sections on %s, want them", strings.Join(lacking, ", "))
	}
	return nil
}

// agreement is the case that compares what stands in several places. Values that break a
// rule of their own place are left to the case of that rule.
func agreement() []suite.Case {
	return []suite.Case{guided("agrees-block", "the guide in both forms and the dashdash object say the same", "ext-dd-help-agrees-block",
		"make the object, the front matter and the metadata of the JSON form from the same values", agreesBlock)}
}

func agreesBlock(c *probe.Client, h help) error {
	b := proposal.ReadBlock(c)
	who := probe.ObjectOf(b.Object["identity"])
	other := inJSON(c)
	metadata := probe.ObjectOf(other.Object["metadata"])
	text := func(v any) string { return strings.Join(strings.Fields(probe.TextOf(v)), " ") }
	for _, one := range []struct {
		what              string
		block, front, own any
		valid             func(string) bool
	}{
		{"name", who["name"], h.front["name"], metadata["name"], guide.IsName},
		{"description", who["description"], h.front["description"], metadata["description"], nil},
		{"spec version", b.Object["specVersion"], h.front["spec-version"], metadata["specVersion"], guide.IsVersion},
		{"access level", b.Object["accessLevel"], h.front["access-level"], nil, isLevel},
	} {
		said := map[string]string{}
		for where, value := range map[string]any{"the dashdash object": one.block, "the front matter": one.front, "the JSON form": one.own} {
			unjudged := where == "the JSON form" && one.what == "spec version" // no case has a rule for it
			if t := text(value); t != "" && (one.valid == nil || unjudged || one.valid(t)) {
				said[where] = t
			}
		}
		places := slices.Sorted(maps.Keys(said))
		for _, place := range places[min(1, len(places)):] {
			if said[place] != said[places[0]] {
				return b.Shown.And(h.shown, other.shown).Violation("the %s of %s is %q, and that of %s is %q, want the same", one.what,
					places[0], said[places[0]], place, said[place])
			}
		}
	}
	return nil
}

func isLevel(text string) bool { return slices.Contains([]string{"read", "interact", "full"}, text) }
