package dashdash

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Help returns the cases of the guide.
func Help() suite.Suite {
	return suite.Suite{
		Name:      "ext-dashdash-ai-help",
		Title:     "the server hands models a guide to itself",
		Extension: proposal.Extension("dashdash-ai-help"),
		Cases:     slices.Concat(answers(), matter(), bodies(), agreement(), asked()),
	}
}

// guided is a case about the guide, in Markdown.
func guided(slug, title string, rule requirements.ID, fix string, judge func(*probe.Client, help) error) suite.Case {
	return bench.Case("ext-dashdash-ai-help/"+slug, title, rule, fix, func(c *probe.Client) error {
		h := readHelp(c)
		c.NotSeenIf(h.Object == nil && !h.plain, "the server has no guide; ext-dashdash-ai-help/available says so")
		return judge(c, h)
	})
}

// written is a case about the text of the guide.
func written(slug, title string, rule requirements.ID, fix string, judge func(*probe.Client, help) error) suite.Case {
	return guided(slug, title, rule, fix, func(c *probe.Client, h help) error {
		c.NotSeenIf(h.content == "", "the guide has no content; ext-dashdash-ai-help/markdown-shape says so")
		return judge(c, h)
	})
}

func answers() []suite.Case {
	return []suite.Case{
		bench.Case("ext-dashdash-ai-help/available", "the server answers ai_help", "ext-dd-help-available",
			"serve the method ai_help, whose result has content and contentType", available),
		guided("defaults", "ai_help without parameters hands over the whole guide in Markdown", "ext-dd-help-defaults",
			"take markdown as the default of format, and the whole guide as the default of section", defaults),
		guided("markdown-shape", "the Markdown form has content and contentType text/markdown", "ext-dd-help-markdown-shape",
			"send the guide as one string, and contentType text/markdown beside it", func(c *probe.Client, h help) error {
				if h.plain {
					c.Note("the guide is the text of a tool, which has no place for contentType")
					return nil
				}
				return h.fits(c, "MarkdownHelp", h.Object)
			}),
		guided("json-shape", "the JSON form has metadata, sections and contentType application/json", "ext-dd-help-json-shape",
			"answer format json with metadata (name, description, specVersion), sections as an object, and contentType application/json", jsonShape),
		guided("json-sections", "the sections of the JSON form say when to use the server and list its common tools", "ext-dd-help-json-sections",
			"send whenToUse and quickReference as arrays, and authentication and rateLimits where they apply", jsonSections),
	}
}

// fits expects a value of the answer to fit a definition of the schema.
func (h help) fits(c *probe.Client, definition string, value any, path ...string) error {
	pointer := "/result"
	for _, name := range path {
		pointer += "/" + name
	}
	if problem := c.ExtensionProblem("dashdash", definition, pointer, value); problem != "" {
		return h.shown.Violation("%s", problem)
	}
	return nil
}

func available(c *probe.Client) error {
	m := proposal.AIHelp()
	answer := m.Ask(c, probe.Object{"format": "markdown"})
	switch {
	case answer.Unknown && proposal.ReadBlock(c).Value == nil && !c.Survey().Claims[m.Extension].Configured:
		c.NotSeen("the server has no guide, and no dashdash object in the answer to the opening that would want one")
	case answer.Unknown:
		return answer.Violation("%s, want a guide", m.Tried(c))
	case answer.Object == nil && !readHelp(c).plain:
		return answer.Violation("%s, want an object with content and contentType", answer.AnswerTo(m.Name)).
			Unless(answer.NotObject())
	}
	return m.NoteForm(c, answer)
}

// defaults compares with the guide that was asked for by its format. A guide that differs
// from one moment to the next shows nothing.
func defaults(c *probe.Client, h help) error {
	c.NotSeenIf(h.content == "", "the guide has no content; ext-dashdash-ai-help/markdown-shape says so")
	for _, asking := range []struct {
		what   string
		params probe.Object
	}{{"empty parameters", probe.Object{}}, {"no parameters", nil}} {
		got := askHelp(c, asking.params)
		if got.content == h.content {
			continue
		}
		anew := askHelp(c, probe.Object{"format": "markdown"})
		c.UndecideIf(anew.content != h.content, "the guide changes from one answer to the next")
		if got.content == "" {
			return got.shown.Violation("%s, want the guide in Markdown", got.AnswerTo("ai_help with "+asking.what))
		}
		return h.shown.And(got.Reply).Violation("ai_help with %s gives another guide than format markdown, want the same", asking.what)
	}
	return nil
}

// inJSON is the guide in JSON, once for the connection.
func inJSON(c *probe.Client) help {
	return probe.Once(c, "ai_help:json", func() (help, bool) {
		h := askHelp(c, probe.Object{"format": "json"})
		return h, h.Reply.Answered()
	})
}

func jsonShape(c *probe.Client, markdown help) error {
	h := inJSON(c)
	if h.Object == nil {
		return h.shown.Violation("%s, want an object with metadata, sections and contentType", h.AnswerTo("ai_help with format json"))
	}
	judged := probe.Object(h.Object)
	own, other := probe.TextOf(h.Object["contentType"]), probe.TextOf(markdown.Object["contentType"])
	if !markdown.plain && own == other && !strings.HasPrefix(own, "text/markdown") {
		judged = judged.With("contentType", "application/json") // markdown-shape judges a server that says neither type
	}
	if err := h.fits(c, "JSONHelp", map[string]any(judged)); err != nil {
		return err
	}
	if _, there := h.Object["sections"]; !there {
		return h.shown.Violation("the JSON form has no sections, want an object").AtMostWarn()
	}
	return nil
}

func jsonSections(c *probe.Client, _ help) error {
	h := inJSON(c)
	sections := probe.ObjectOf(h.Object["sections"])
	c.NotSeenIf(sections == nil, "the JSON form has no sections; ext-dashdash-ai-help/json-shape says so")
	if err := h.fits(c, "HelpSections", sections, "sections"); err != nil {
		return err
	}
	own := proposal.ReadBlock(c).Object
	for _, part := range []struct {
		key     string
		applies bool
	}{
		{"authentication", len(probe.ArrayOf(probe.ObjectOf(own["requires"])["auth"])) > 0},
		{"rateLimits", probe.TextOf(own["rateLimit"]) != ""},
	} {
		if _, there := sections[part.key]; part.applies && !there {
			return h.shown.Violation("sections lacks %s, want it, since the dashdash object names such a thing", part.key)
		}
	}
	return nil
}

// asked are the cases of parameters and limits.
func asked() []suite.Case {
	cases := []suite.Case{
		written("section", "section gives one section and nothing else", "ext-dd-help-section",
			"answer a section with its heading and what stands below, and null like an absent section", section),
	}
	for _, bad := range []struct {
		slug, what string
		params     probe.Object
	}{
		{"unknown-format", "an unknown format", probe.Object{"format": "xml"}},
		{"malformed-format", "a format that is a number", probe.Object{"format": 5}},
		{"unknown-section", "an unknown section", probe.Object{"format": "markdown", "section": "nope"}},
	} {
		cases = append(cases, guided("rejects-"+bad.slug, bad.what+" is rejected", "ext-dd-help-bad-params",
			"answer error -32602 for a format or a section that you do not have", func(c *probe.Client, _ help) error {
				reply := proposal.AIHelp().Ask(c, bad.params).Reply
				if proposal.Declined(reply) {
					return nil
				}
				return reply.Violation("%s, want a refusal", reply.AnswerTo("ai_help with "+bad.what))
			}))
	}
	return append(cases, bench.Observing(roles.RateLimit, bench.Case("ext-dashdash-ai-help/rate-errors",
		"an error for too many calls says when to come back", "ext-dd-help-rate-errors",
		"add retryAfter in seconds, as a number, and a code in capitals to the data of the error", rateErrors,
		suite.Role(roles.RateLimit, "repeat"))))
}

// section asks for the section that every guide has, under its title and its key.
func section(c *probe.Client, h help) error {
	whole, n := h.body.Find("When to Use")
	c.NotSeenIf(n < 0, "the guide has no section When to Use; ext-dashdash-ai-help/when-to-use says so")
	if null := askHelp(c, probe.Object{"format": "markdown", "section": nil}); null.content != h.content {
		anew := askHelp(c, probe.Object{"format": "markdown"})
		c.UndecideIf(anew.content != h.content, "the guide changes from one answer to the next")
		return null.shown.Violation("%s, want the whole guide for section null", null.AnswerTo("ai_help with section null"))
	}
	part := askHelp(c, probe.Object{"format": "markdown", "section": "When to Use"})
	switch {
	case part.content == "":
		return part.shown.Violation("%s, want the section", part.AnswerTo("ai_help with section When to Use"))
	case len(part.content) >= len(h.content):
		return h.shown.And(part.Reply).Violation("the section When to Use is as long as the whole guide, want the section alone")
	}
	for _, s := range part.body.Sections {
		if guide.Fold(s.Title) != guide.Fold(whole.Title) {
			return part.shown.Violation("the answer for section When to Use has the section %q, want it left out", s.Title)
		}
	}
	return sectionInJSON(c)
}

func sectionInJSON(c *probe.Client) error {
	all := probe.ObjectOf(inJSON(c).Object["sections"])
	if _, there := all["whenToUse"]; !there || len(all) < 2 {
		return nil
	}
	part := askHelp(c, probe.Object{"format": "json", "section": "whenToUse"})
	own := probe.ObjectOf(part.Object["sections"])
	if _, there := own["whenToUse"]; !there || len(own) >= len(all) {
		return part.shown.Violation("sections of the answer for section whenToUse is %s, want this section alone", probe.Show(own))
	}
	return nil
}

// rateErrors calls a tool until its limit refuses it.
func rateErrors(c *probe.Client) error {
	role := c.Role(roles.RateLimit)
	repeat, _ := role.Fields().Number("repeat")
	call := role.Call()
	for range repeat + 1 {
		reply := c.CallTool(call, nil)
		if !reply.ErrorFlag() && !reply.Refused() {
			continue
		}
		c.UndecideIf(!reply.Answered(), "the answer to the call is "+reply.Outcome())
		for _, told := range proposal.Details(reply.Message()) {
			after, there := told.Record["retryAfter"]
			if !there {
				after, there = told.Record["retry_after_seconds"]
			}
			code, coded := told.Record["code"].(string)
			switch _, number := probe.NumberOf(after); {
			case !there:
				continue
			case !number:
				broken := reply.Violation("the time to wait in %s is %s, want a number of seconds", told.Place, probe.Show(after))
				if told.Record["retryAfter"] == nil {
					broken = broken.Unless(probe.Elsewhere{Case: "ext-structured-errors/retry-time-type", Why: "retry_after_seconds is not a number"})
				}
				return broken
			case coded && !patterns().code.MatchString(code):
				return reply.Violation("code in %s is %q, want words in capitals, joined by underscores", told.Place, code)
			}
			return nil
		}
		return reply.Violation("%s without retryAfter, want it in the data of the error", reply.AnswerTo("a call beyond the limit")).
			Unless(untimed(reply))
	}
	c.NotSeen(fmt.Sprintf("no limit refused any of %d calls", repeat+1))
	return nil
}

// untimed tells which case of structured errors judges that a failure states no time to wait.
func untimed(reply *probe.Reply) probe.Elsewhere {
	record, _, told := proposal.Record(reply)
	switch category := record["category"]; {
	case !told && len(proposal.Details(reply.Message())) == 0 && reply.ErrorFlag():
		return probe.Elsewhere{Case: "ext-structured-errors/record-of-failure", Why: "a tool that fails has no record beside its error"}
	case told && (category == "transient" || category == "rate_limited"):
		return probe.Elsewhere{Case: "ext-structured-errors/retry-time-stated", Why: "the record of a failure that passes states no time"}
	}
	return probe.Elsewhere{}
}

// names are what the server lists under names: a guide may mention any of them.
func names(c *probe.Client) map[string]bool {
	known := map[string]bool{"ai_help": true}
	for _, list := range []protocol.List{protocol.Tools(), protocol.Prompts(), protocol.Resources(), protocol.Templates()} {
		for _, item := range c.Survey().Lists[list.Method] {
			entry := probe.ObjectOf(item)
			known[probe.TextOf(entry["name"])], known[probe.TextOf(entry[list.Key])] = true, true
		}
	}
	return known
}
