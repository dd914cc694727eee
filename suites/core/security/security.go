// Package security holds the cases of what the pages ask of every server for safety:
// hostile input does no harm, and logs reveal no secrets.
package security

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/garbage"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases about input, and then the cases about logs.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "security",
		Title: "hostile input does no harm, and logs give nothing away",
		Cases: slices.Concat(inputCases(), logCases()),
	}
}

func logCases() []suite.Case {
	return []suite.Case{{
		ID:     "security/no-internals-in-logs",
		Title:  "log messages contain no connection strings with passwords and no stack traces",
		Checks: []requirements.ID{"security-no-internals-in-errors"},
		Fix:    "log what went wrong in words of your own, and keep connection strings and stack traces in the server's own log",
		Sees:   "a log message",
		Watch:  probe.OnNotification("notifications/message", noInternals),
	}}
}

// noInternals judges log messages, because a client may show them to any user or model.
func noInternals(n probe.Notice) probe.Opinion {
	said := probe.Kept()
	for _, text := range probe.Texts(n.Params["data"]) {
		said = said.And(opinion(n, text))
	}
	return said
}

// opinion first searches a text for a fixed string that every match contains: the
// expressions take a hundred times as long, and a server may log much.
func opinion(n probe.Notice, text string) probe.Opinion {
	if strings.Contains(text, "://") {
		for _, found := range connection().FindAllStringSubmatch(text, -1) {
			if scheme, password := found[1], found[2]; !placeholder().MatchString(password) {
				return probe.Breaks("%s contains a connection string that begins with %s:// and has a password, want none",
					n.Where("/params/data"), scheme)
			}
		}
	}
	traced := strings.Contains(text, "Traceback (") || strings.Contains(text, "goroutine ") || strings.Contains(text, "at ")
	if traced && trace().MatchString(text) {
		return probe.Breaks("%s contains a stack trace, want none", n.Where("/params/data")).AtMostWarn()
	}
	return probe.Kept()
}

// connection matches secrets in a log, and placeholder matches texts that stand in for a
// removed password.
var (
	connection = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b([a-zA-Z][a-zA-Z0-9+.-]*)://[^\s/:@"']*:([^\s/@"']+)@[^\s/"'@]`)
	})
	placeholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(\*+|x+|\.+|…|-+|<.*>|\[.*\]|\{.*\}|\$.*|%.*|pass(word|wd)?|pwd|secret|redacted|hidden|masked)$`)
	})
	trace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^Traceback \(most recent call last\):|^goroutine \d+ \[|^\s+at .+\([^()]+:\d+(:\d+)?\)\s*$`)
	})
)

// A door is a method that takes a name, through which input reaches the server.
type door struct{ list, method, member string }

// doors are tried in this order; the case uses the first one that the server declares.
func doors() []door {
	return []door{
		{"tools/list", "tools/call", "name"},
		{"resources/list", "resources/read", "uri"},
		{"prompts/list", "prompts/get", "name"},
	}
}

func inputCases() []suite.Case {
	const levels, size = 1000, 512 << 10
	var cases []suite.Case
	for _, row := range []struct {
		slug, what, fix string
		spoil           func(params probe.Object, member string)
		revisions       []requirements.Revision
	}{
		{
			"wrong-types", "values of the wrong types", "check the type of each value before it is used",
			func(params probe.Object, member string) { params[member], params["arguments"] = 7, "text" }, nil,
		},
		{
			"huge-text", "a huge string", "limit the size of what is read, and reject the rest instead of giving up",
			with(func() any { return strings.Repeat("x", size) }), nil,
		},
		{
			"deep-nesting", "arrays a thousand levels deep", "limit the depth to which values are read, and reject deeper ones instead of giving up",
			with(func() any { return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels)) }), nil,
		},
		{
			"lone-surrogate", "half of a character", "take a lone surrogate for U+FFFD, or reject the request",
			with(func() any { return json.RawMessage(`"half \ud800 only"`) }), nil,
		},
		{
			"control-characters", "control characters in a string", "let no character of a string end what it is written into",
			with(func() any { return "\x00 \x1b[2J \x7f \u202e \r\n" }), nil,
		},
		{
			"odd-capabilities", "client capabilities of the wrong types", "check the type of each capability, and ignore or reject the others",
			func(params probe.Object, _ string) {
				odd := probe.Object{"roots": "yes", "sampling": 7, "elicitation": []any{}}
				params["_meta"] = probe.Object{protocol.MetaCapabilities: odd}
			}, protocol.Stateless(),
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "security/survives-" + row.slug,
			Title:  "a request with " + row.what + " is answered, and so is the next one",
			Checks: []requirements.ID{"security-robust-to-hostile-input"},
			Needs:  []suite.Need{suite.Lists(), suite.Answers()},
			Fix:    row.fix, Revisions: row.revisions,
			Run: func(c *probe.Client) error {
				return survives(c, row.what, row.spoil)
			},
		})
	}
	return cases
}

// with puts a value into the arguments, which every server has to parse.
func with(value func() any) func(probe.Object, string) {
	return func(params probe.Object, _ string) { params["arguments"] = probe.Object{"mcp_conform": value()} }
}

// A visit is the replies to a request and to the next request.
type visit struct{ reply, behind *probe.Reply }

// knock uses a name that does not exist, so that nothing runs whatever the server does
// with the other params. The next request waits for the answer, because it may overtake a
// large request.
func (d door) knock(c *probe.Client, spoil func(probe.Object, string)) visit {
	name := "no-such-" + c.Nonce()
	if d.member == "uri" {
		name = "test://" + name
	}
	params := probe.Object{d.member: name, "arguments": probe.Object{}}
	if spoil != nil {
		spoil(params, d.member)
	}
	var awaited []probe.Option
	if c.Transport() == requirements.HTTP {
		awaited = append(awaited, probe.Patient()) // over HTTP silence is not an answer
	}
	reply := c.Ask(c.Compose(d.method, params), awaited...)
	return visit{reply, c.Barrier()}
}

func survives(c *probe.Client, what string, spoil func(probe.Object, string)) error {
	d, ok := doorOf(c)
	c.NotSeenIf(!ok, "the server declares nothing that is asked for by name")
	spoilt := d.knock(c, spoil)
	problem := problemOf(c, spoilt)
	if problem == "" {
		return nil
	}
	if spoilt.behind.Died() {
		garbage.LeaveToOne(c)
	}
	other := c.Opened()
	plain := d.knock(other, nil)
	same := problemOf(other, plain)
	c.NotSeenIf(same != "", "the same request without "+what+" has no other outcome: "+same)
	return probe.Shown(spoilt.reply, spoilt.behind).Violation("%s with %s: %s", d.method, what, problem)
}

func doorOf(c *probe.Client) (door, bool) {
	for _, d := range doors() {
		if capability, _, _ := strings.Cut(d.list, "/"); c.Survey().Declares(capability) {
			return d, true
		}
	}
	return door{}, false
}

// problemOf describes what is wrong with an answer. Silence over stdio is fine as long as
// the server still runs, because it may have been unable to read the request.
func problemOf(c *probe.Client, v visit) string {
	reply := v.reply
	switch overHTTP := c.Transport() == requirements.HTTP; {
	case !v.behind.Answered() && !v.behind.Refused():
		return "the request behind it gets " + v.behind.Outcome() + ", want an answer"
	case !overHTTP || reply.Answered():
		return ""
	case reply.Status() == 0 || reply.Status() >= http.StatusInternalServerError:
		return fmt.Sprintf("the answer is %s, want a JSON-RPC response or an HTTP status from 400 to 499", reply.Outcome())
	}
	return ""
}
