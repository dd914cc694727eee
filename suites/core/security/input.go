package security

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A door is a method with a name of something, by which input comes in.
type door struct{ list, method, member string }

// doors are tried in this order: the first that the server has is the one.
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
	}{
		{
			"wrong-types", "values of the wrong types", "check the type of each value before it is used",
			func(params probe.Object, member string) { params[member], params["arguments"] = 7, "text" },
		},
		{
			"huge-text", "a huge string", "limit the size of what is read, and reject the rest instead of giving up",
			with(func() any { return strings.Repeat("x", size) }),
		},
		{
			"deep-nesting", "arrays a thousand levels deep", "limit the depth to which values are read, and reject deeper ones instead of giving up",
			with(func() any { return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels)) }),
		},
		{
			"lone-surrogate", "half of a character", "take a lone surrogate for U+FFFD, or reject the request",
			with(func() any { return json.RawMessage(`"half \ud800 only"`) }),
		},
		{
			"control-characters", "control characters in a string", "let no character of a string end what it is written into",
			with(func() any { return "\x00 \x1b[2J \x7f \u202e \r\n" }),
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "security/survives-" + row.slug,
			Title:  "a request with " + row.what + " is answered, and so is the next one",
			Checks: []requirements.ID{"security-robust-to-hostile-input"},
			Needs:  []suite.Need{suite.Lists(), suite.Answers()},
			Fix:    row.fix,
			Run: func(ctx context.Context, c *probe.Client) error {
				return survives(ctx, c, row.what, row.spoil)
			},
		})
	}
	return cases
}

// with puts a value among the arguments, where every server has to read past it.
func with(value func() any) func(probe.Object, string) {
	return func(params probe.Object, _ string) { params["arguments"] = probe.Object{"mcp_conform": value()} }
}

// The name is of nothing, so that nothing runs whatever a server makes of the rest.
func (d door) knock(ctx context.Context, c *probe.Client, spoil func(probe.Object, string)) (*probe.Reply, error) {
	name := "no-such-" + c.Nonce()
	if d.member == "uri" {
		name = "test://" + name
	}
	params := probe.Object{d.member: name, "arguments": probe.Object{}}
	if spoil != nil {
		spoil(params, d.member)
	}
	return c.Ask(ctx, c.Compose(d.method, params), probe.ThenBarrier())
}

func survives(ctx context.Context, c *probe.Client, what string, spoil func(probe.Object, string)) error {
	d, ok := doorOf(c)
	if !ok {
		return probe.NotSeen("the server declares nothing that is asked for by name")
	}
	reply, err := d.knock(ctx, c, spoil)
	if err != nil {
		return err
	}
	problem := trouble(c, reply)
	if problem == "" {
		return nil
	}
	other, err := c.Opened(ctx)
	if err != nil {
		return err
	}
	plain, err := d.knock(ctx, other, nil)
	if err != nil {
		return err
	}
	if same := trouble(other, plain); same != "" {
		return probe.NotSeen("the same request without " + what + " has no other outcome: " + same)
	}
	return probe.Shown(reply, reply.Behind()).Violation("%s with %s: %s", d.method, what, problem)
}

func doorOf(c *probe.Client) (door, bool) {
	for _, d := range doors() {
		if capability, _, _ := strings.Cut(d.list, "/"); c.Survey().Declares(capability) {
			return d, true
		}
	}
	return door{}, false
}

// trouble says what is not orderly about an answer. Silence over stdio is, for what may
// have been unreadable, as long as the server is still there.
func trouble(c *probe.Client, reply *probe.Reply) string {
	behind := reply.Behind()
	switch overHTTP := c.Transport() == requirements.HTTP; {
	case behind == nil || !behind.Answered() && !behind.Refused():
		return "the request behind it gets " + outcome(behind) + ", want an answer"
	case !overHTTP || reply.Answered():
		return ""
	case reply.Status() == 0 || reply.Status() >= http.StatusInternalServerError:
		return fmt.Sprintf("the answer is %s, want a JSON-RPC response or an HTTP status from 400 to 499", outcome(reply))
	}
	return ""
}

func outcome(reply *probe.Reply) string {
	if reply == nil {
		return "no answer"
	}
	return cmp.Or(reply.Outcome(), "no answer")
}
