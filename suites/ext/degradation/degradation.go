// Package degradation holds the cases that optional features stay optional: a
// client that knows no extension sees a plain server, and a server takes what it
// does not know as the protocol says. They hold for every server, whether or not it
// has an extension; what an extension does is judged by its own suite.
package degradation

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases: first what every server meets, then what only those meet
// that have extensions.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "ext-degradation",
		Title: "extensions stay optional for both sides",
		Cases: slices.Concat(meta(), inline(), methods(), notifications(), forms(), plain(), valid(), alone(), handles()),
	}
}

// lacking ends a case about a server that lacks an extension where the server has it, or where the
// server declares its extensions so that nobody can read which it has.
func lacking(c *probe.Client, extension string) {
	c.NotSeenIf(proposal.Offers(c, extension), "the server has the extension "+extension)
	declared, given := c.Survey().Capabilities["extensions"]
	_, names := declared.([]any) // as the examples of the proposals have it
	unreadable := c.Survey().Capabilities == nil || given && !names && probe.ObjectOf(declared) == nil
	c.NotSeenIf(unreadable, "what the server declares as capabilities or extensions is not an object, which another case judges")
}

// An attempted call is one of a tool that changes nothing, with something beside
// its name and arguments.
type attempted struct {
	client *probe.Client
	call   *probe.ToolCall
	reply  *probe.Reply
	broken *probe.Reply // the same reply where it is no good, and the call without what was beside it is; nil: all is well
}

// attempt makes the call. Where it has no good result it is made again, without what
// is beside it and with it: a tool that fails now and then, or always, shows nothing.
func attempt(c *probe.Client, beside probe.Object) *attempted {
	call := c.Role(roles.ReadOnlyTool).Call()
	s := &attempted{client: c, call: call}
	if s.reply = c.CallTool(call, beside); s.reply.Succeeded() {
		return s
	}
	if s.reply.Died() {
		s.broken = s.reply
		return s
	}
	without, again := askedAgain(func(with bool) *probe.Reply {
		if with {
			return c.CallTool(call, beside)
		}
		return c.CallTool(call, nil)
	})
	switch {
	case !without.Succeeded():
		c.Undecide("the call of roles.read-only-tool has no good result by itself: " + without.Outcome())
	case again.Succeeded():
		c.Undecide("the call of roles.read-only-tool fails now and then: " + s.reply.Outcome())
	}
	s.broken = s.reply
	return s
}

// askedAgain makes a request again that failed with something beside it: twice
// without that, and where both times went well once more with it. Of replicas that
// take turns one may be broken, whatever is asked.
func askedAgain(ask func(with bool) *probe.Reply) (without, again *probe.Reply) {
	for range 2 {
		if without = ask(false); !without.Succeeded() {
			return without, nil
		}
	}
	return without, ask(true)
}

// tells reports whether a refusal has one of the words in its texts.
func tells(reply *probe.Reply, words []string) bool {
	m := reply.Message()
	said, _ := m.At("/error")
	if m.Class == frame.Result {
		said, _ = m.At("/result")
	}
	text := plainly(probe.JSON(said))
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, plainly(word)) })
}

//nolint:gochecknoglobals // nobody changes it
var separators = strings.NewReplacer("_", "", "-", "", " ", "", "/", "")

// plainly makes names comparable that are written with underscores, hyphens or as
// words: people do.
func plainly(text string) string {
	return separators.Replace(strings.ToLower(text))
}

func keys(values probe.Object) []string { return slices.Sorted(maps.Keys(values)) }

func listed(values probe.Object) string { return strings.Join(keys(values), " and ") }
