package dashdash

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/guide"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Handshake returns the cases of the object in the answer to the opening.
func Handshake() suite.Suite {
	scanner := proposal.NewScanner()
	return suite.Suite{
		Name:      "ext-dashdash-init",
		Title:     "the opening says who the server is and when to use it",
		Extension: proposal.Extension("dashdash-init"),
		Cases: slices.Concat([]suite.Case{
			bench.Case("ext-dashdash-init/present", "the answer to the opening has a dashdash object", "ext-dd-init-present",
				"put the object dashdash into the result of initialize, and into _meta of server/discover under "+protocol.DashdashExtension, present),
		}, identity(), offers(), agreements(), []suite.Case{
			bench.Case("ext-dashdash-init/no-secrets", "dashdash objects hold no credentials and no internal addresses", "ext-dd-init-no-secrets",
				"take credentials out of the metadata, replace those that stood in it, and name public addresses only", noSecrets(scanner)),
		}),
	}
}

// A block is the object that a case judges.
type block struct {
	proposal.Block
	client *probe.Client
}

// opening is a case about the object.
func opening(slug, title string, rule requirements.ID, fix string, judge func(block) error) suite.Case {
	return bench.Case("ext-dashdash-init/"+slug, title, rule, fix, func(c *probe.Client) error {
		b := proposal.ReadBlock(c)
		c.NotSeenIf(b.Object == nil, "the answer to the opening has no dashdash object; ext-dashdash-init/present says so")
		return judge(block{b, c})
	})
}

func present(c *probe.Client) error {
	b := proposal.ReadBlock(c)
	switch {
	case b.Result == nil:
		c.Undecide("the answer to the opening could not be read")
	case b.Value == nil:
		return b.Shown.Violation("the answer to the opening has no dashdash object, want one")
	case b.Object == nil:
		return b.Shown.Violation("%s is %s, want an object", b.Where(), probe.Show(b.Value))
	case b.Aside:
		return b.Shown.Violation("the dashdash object stands in %s alone, want it beside serverInfo", b.Where())
	}
	return nil
}

// at is what stands at a place of the object; Absent where nothing does.
func (b block) at(path ...string) any {
	var value any = b.Object
	for _, name := range path {
		value = probe.Member(probe.ObjectOf(value), name)
	}
	return value
}

func (b block) text(path ...string) string { return probe.TextOf(b.at(path...)) }

// want is a violation about a property.
func (b block) want(what string, path ...string) *probe.Violation {
	return b.Shown.Violation("%s is %s, want %s", b.Where(path...), probe.Show(b.at(path...)), what)
}

// fits expects a property to be there and to fit a definition of the schema.
func (b block) fits(definition string, path ...string) error {
	value := b.at(path...)
	if value == (any)(probe.Absent{}) {
		return b.Shown.Violation("%s is absent, want it", b.Where(path...))
	}
	if problem := b.client.ExtensionProblem("dashdash", definition, b.Pointer(path...), value); problem != "" {
		return b.Shown.Violation("%s", problem)
	}
	return nil
}

func fitting(definition string, path ...string) func(block) error {
	return func(b block) error { return b.fits(definition, path...) }
}

func identity() []suite.Case {
	return []suite.Case{
		opening("spec-version", "specVersion is a semantic version, 0.2.0 or later", "ext-dd-init-spec-version",
			`send specVersion as a string of three numbers, such as "0.2.0"`, func(b block) error {
				if !guide.IsVersion(b.text("specVersion")) {
					return b.want("a semantic version as a string, 0.2.0 or later", "specVersion")
				}
				return nil
			}),
		opening("identity-name", "identity.name has small letters, digits and hyphens, at most 64", "ext-dd-init-identity-name",
			"write the name in small letters, with hyphens between words", fitting("Name", "identity", "name")),
		opening("identity-description", "identity.description says what the server is for, and when to use it",
			"ext-dd-init-identity-description",
			`send one string that says when to use the server, as in "Use when the user asks to book a berth"; `+
				"words.trigger-phrases of the configuration adds phrases of other languages", describes),
		opening("access-level", "accessLevel is read, interact or full", "ext-dd-init-access-level",
			"send one of read, interact and full, in small letters", fitting("Level", "accessLevel")),
		opening("alternatives", "alternativeAccess has cliUrl, apiUrl and webUrl, each a URL or null", "ext-dd-init-alternatives",
			"send all three, as absolute URLs, and null for what you do not have", fitting("Alternatives", "alternativeAccess")),
	}
}

func describes(b block) error {
	b.client.NotSeenIf(probe.ObjectOf(b.at("identity")) == nil, "identity is not an object; ext-dashdash-init/identity-name says so")
	if err := b.fits("Text", "identity", "description"); err != nil {
		return err
	}
	if !guide.HasTrigger(b.text("identity", "description"), b.client.Survey().Given.Triggers) {
		return b.want(`words that say when to use the server, such as "use when"`, "identity", "description").AtMostWarn()
	}
	return nil
}

func offers() []suite.Case {
	return []suite.Case{
		opening("install", "install names packages by package manager", "ext-dd-init-install",
			`send install as an object, as in {"npm": "@harbour/office"}`, func(b block) error {
				err := b.fits("Install", "install")
				for _, manager := range slices.Sorted(maps.Keys(probe.ObjectOf(b.at("install")))) {
					if !slices.Contains([]string{"npm", "pip", "docker", "brew", "cargo", "go"}, manager) {
						b.client.Note("install names " + manager + ", which the proposal does not")
					}
				}
				return err
			}),
		opening("requires", "requires lists how to authenticate, variables of the environment and scopes", "ext-dd-init-requires",
			"send requires with auth, env and scopes as arrays of strings; env holds names of variables, never their values",
			fitting("Requires", "requires")),
		opening("invocation", "invocation says who may use the server", "ext-dd-init-invocation",
			"send invocation with modelInvocable and userInvocable as booleans, and allowedTools as an array of strings",
			fitting("Invocation", "invocation")),
		opening("recommended-links", "rateLimit, homepage and repository are given", "ext-dd-init-recommended-links",
			"send rateLimit as a string, and homepage and repository as absolute URLs", func(b block) error {
				for _, link := range []struct{ name, definition string }{{"rateLimit", "Text"}, {"homepage", "URL"}, {"repository", "URL"}} {
					if err := b.fits(link.definition, link.name); err != nil {
						return err
					}
				}
				return nil
			}),
		opening("optional", "emoji, statusPage, contentVersion and lastUpdated are a string, a URL, a string and a date where they are given",
			"ext-dd-init-optional",
			"send text for identity.emoji and contentVersion, an absolute URL for statusPage, and a date such as 2026-07-28 for lastUpdated",
			optional),
	}
}

// optional judges what a server may leave out, where it does not.
func optional(b block) error {
	given := false
	for _, each := range []struct {
		value any
		fits  func(block) error
	}{
		{b.at("identity", "emoji"), fitting("Text", "identity", "emoji")}, {b.at("statusPage"), fitting("URL", "statusPage")},
		{b.at("contentVersion"), fitting("Text", "contentVersion")}, {b.at("lastUpdated"), fitting("Date", "lastUpdated")},
	} {
		if each.value == nil || each.value == (any)(probe.Absent{}) {
			continue
		}
		given = true
		if err := each.fits(b); err != nil {
			return err
		}
	}
	b.client.NotSeenIf(!given, "none of the four is given")
	return nil
}

func agreements() []suite.Case {
	return []suite.Case{
		opening("name-agrees", "identity.name and serverInfo name the same server", "ext-dd-init-name-agrees",
			"give the server one name, and derive both from it", nameAgrees),
		opening("level-fits-tools", "a server with accessLevel read offers no tool that changes something", "ext-dd-init-level-fits-tools",
			"say interact or full, or take the tools that change something out", levelFitsTools),
		opening("cross-reference", "the other ways to the same service are the same in the guide", "ext-dd-init-cross-reference",
			"make alternativeAccess and the front matter of ai_help from the same values", crossReference),
		opening("skill", "a skill file can be made of the metadata", "ext-dd-init-skill",
			"describe in identity.description the occasions to use the server, in some words; mcp-conform skill shows what is made of them", skill),
	}
}

// One name may hold the other, since packages are often named after more than the server.
func nameAgrees(b block) error {
	name, own := b.text("identity", "name"), probe.TextOf(b.client.Survey().ServerInfo["name"])
	b.client.NotSeenIf(!guide.IsName(name), "identity.name is malformed; ext-dashdash-init/identity-name says so")
	b.client.NotSeenIf(own == "", "serverInfo has no name")
	a, z := guide.Fold(name), guide.Fold(own)
	if strings.Contains(a, z) || strings.Contains(z, a) {
		return nil
	}
	return b.want(fmt.Sprintf("the name of serverInfo, %q", own), "identity", "name")
}

func levelFitsTools(b block) error {
	b.client.NotSeenIf(b.at("accessLevel") != "read", "accessLevel is not read")
	tools := probe.List(b.client, protocol.Tools())
	for _, tool := range tools.All {
		hints := probe.ObjectOf(tool.Get("annotations"))
		value, _ := proposal.ItemBlock(tool.Value)
		kind := probe.TextOf(probe.ObjectOf(value)["operationType"])
		switch {
		case slices.Contains([]string{"write", "delete", "admin"}, kind):
			return b.Shown.And(tool.Page).Violation("accessLevel is read, and the tool %q has operationType %s, want a level that allows it",
				tool.Key, kind)
		case hints["destructiveHint"] == true && hints["readOnlyHint"] != true:
			return b.Shown.And(tool.Page).Violation("accessLevel is read, and the tool %q has destructiveHint true, want a level that allows it",
				tool.Key)
		}
	}
	return nil
}

// crossReference compares with the guide, where the server has one.
func crossReference(b block) error {
	access := probe.ObjectOf(b.at("alternativeAccess"))
	b.client.NotSeenIf(access == nil, "alternativeAccess is malformed; ext-dashdash-init/alternatives says so")
	if access["cliUrl"] == nil && access["apiUrl"] == nil && access["webUrl"] == nil {
		b.client.Note("the server names no other way to its service")
	}
	h := readHelp(b.client)
	for _, pair := range []struct{ own, key string }{{"cliUrl", "cli-url"}, {"apiUrl", "api-url"}, {"webUrl", "web-url"}} {
		own, there := access[pair.own]
		other, told := h.front[pair.key]
		if there && told && (own == nil || isURL(own)) && link(own) != link(other) {
			return b.Shown.And(h.shown).Violation("%s is %s, and %s of the front matter is %s, want the same in both",
				b.Where("alternativeAccess", pair.own), probe.Show(own), pair.key, probe.Show(other))
		}
	}
	return nil
}

// link is an address for comparison: null and none are both none.
func link(value any) string {
	text := strings.TrimSuffix(probe.TextOf(value), "/")
	if strings.EqualFold(text, "none") {
		return ""
	}
	return text
}

func skill(b block) error {
	name, description := b.text("identity", "name"), b.text("identity", "description")
	triggers := b.client.Survey().Given.Triggers
	b.client.NotSeenIf(!guide.IsName(name), "identity.name is malformed; ext-dashdash-init/identity-name says so")
	b.client.NotSeenIf(!guide.HasTrigger(description, triggers),
		"identity.description does not say when to use the server; ext-dashdash-init/identity-description says so")
	if !guide.Telling(description, triggers) {
		return b.want("words that say for what, since a model finds the skill by them", "identity", "description")
	}
	return nil
}

const inGuide = "the guide of ai_help"

// A passage is something that the server says in this form.
type passage struct {
	where string
	value any
	shown probe.Evidence
}

func passages(c *probe.Client) []passage {
	var said []passage
	if b := proposal.ReadBlock(c); b.Value != nil {
		said = append(said, passage{b.Where(), b.Value, b.Shown})
	}
	for _, list := range []protocol.List{protocol.Tools(), protocol.Resources()} {
		if c.Survey().Capabilities[list.Capability] == nil {
			continue
		}
		for _, item := range probe.List(c, list).All {
			if value, property := proposal.ItemBlock(item.Value); value != nil {
				said = append(said, passage{item.Where(property), value, item.Evidence()})
			}
		}
	}
	if h := readHelp(c); h.content != "" {
		said = append(said, passage{inGuide, h.content, h.shown})
	}
	return said
}

// noSecrets looks through all that the server says in this form. What is found is shown by
// its beginning alone.
func noSecrets(scanner *proposal.Scanner) func(*probe.Client) error {
	return func(c *probe.Client) error {
		given := c.Survey().Given
		said := passages(c)
		c.NotSeenIf(len(said) == 0, "the server has no dashdash object")
		var doubtful error
		for _, p := range said {
			host := given.Host
			if p.where == inGuide {
				host = "" // instructions name addresses of the reader's own machine
			}
			for _, text := range probe.Texts(p.value) {
				if hits := scanner.Secrets(text, given.Secrets, c.Survey().Tokens.All()); len(hits) > 0 {
					return p.shown.Violation("%s holds %s, %q, want no credentials", p.where, hits[0].What, hits[0].Text)
				}
				inside := scanner.Addresses(proposal.WithoutEchoes(text, nil, given.Host), host)
				if len(inside) > 0 && doubtful == nil {
					doubtful = p.shown.Violation("%s holds %s, %q, want addresses that a user can reach", p.where, inside[0].What, inside[0].Text).
						AtMostWarn()
				}
			}
		}
		return doubtful
	}
}
