package questions

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/internal/subscriptions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Able is the client with a capability for questions; detail is what the capability holds.
func Able(c *probe.Client, capability string, detail probe.Object) *probe.Client {
	return c.With(c.Capabilities().With(capability, detail))
}

// Unable is the client without the capability. A client that does not have it anyway keeps its
// connection.
func Unable(c *probe.Client, capability string) *probe.Client {
	if _, has := c.Capabilities()[capability]; !has {
		return c
	}
	return c.With(c.Capabilities().Without(capability))
}

// An Asker is a tool of roles.client-request, called by a client that answers its questions.
type Asker struct {
	Field  string                  // of roles.client-request
	Method string                  // of its questions
	How    string                  // what the client answers, in a word; empty: each call is another
	Answer func(probe.Request) any // as for Client.Answers
}

// A Dialogue is a call, the questions that came of it, and its end.
type Dialogue struct {
	*probe.Reply
	Asked []probe.Request
	call  *probe.ToolCall
}

// Call calls the tool. A tool that does not ask ends the case as not seen: it may ask only
// when it has to.
func (a Asker) Call(c *probe.Client) Dialogue {
	d := a.Try(c)
	c.NotSeenIf(len(d.Asked) == 0, "the tool of roles.client-request."+a.Field+" did not ask the client for "+a.Method)
	return d
}

// Try is Call for tools that need not ask.
func (a Asker) Try(c *probe.Client) Dialogue {
	var mu sync.Mutex
	var asked []probe.Request
	c.Answers(a.Method, func(r probe.Request) any {
		mu.Lock()
		asked = append(asked, r)
		mu.Unlock()
		return a.Answer(r)
	})
	subscriptions.Hear(c) // many servers ask there
	call := c.Role(roles.ClientRequest).Field(a.Field)
	reply := c.CallTool(call, nil, a.alike(call)...)
	mu.Lock()
	defer mu.Unlock()
	return Dialogue{Reply: reply, Asked: slices.Clone(asked), call: call}
}

func (a Asker) alike(call *probe.ToolCall) []probe.Option {
	if a.How == "" {
		return nil
	}
	return []probe.Option{Alike(call.Tool, a.Method, a.How)}
}

// Alike is the option of calls of one tool whose questions get one kind of answer: a server may
// answer none of them.
func Alike(tool, method, how string) probe.Option {
	return probe.Alike("calls of " + probe.Show(tool) + " whose " + method + " the client answers with " + how)
}

// Always gives each question the same answer.
func Always(answer any) func(probe.Request) any { return func(probe.Request) any { return answer } }

// Since are the questions of the server after a mark, with their frames.
func Since(c *probe.Client, from probe.Mark) []Question {
	var all []Question
	for _, m := range Messages(c, from) {
		all = append(all, read(m)...)
	}
	return all
}

// Messages are the messages of the server after a mark, with their frames.
func Messages(c *probe.Client, from probe.Mark) []probe.Message {
	var all []probe.Message
	for _, s := range c.Since(from) {
		if s.Dir != frame.Received || s.Kind != frame.KindMessage {
			continue
		}
		for _, m := range probe.Singles(s.Message()) {
			all = append(all, probe.Message{Message: m, Place: "$", Revision: c.Revision(), Request: s.Request, Frame: s})
		}
	}
	return all
}

// An Undeclared is a rule that a client is not asked for what it does not declare.
type Undeclared struct {
	ID, Title, Fix string
	Checks         []requirements.ID
	Field          string                              // of roles.client-request: a tool that asks
	Beside         []string                            // further fields, whose tools must not ask for it either
	Client         func(c *probe.Client) *probe.Client // that does not declare what the tool asks for
	Forbids        func(Question) bool
	What           string // that it does not declare
	Unless         string // the case about a server that asks whatever is declared; empty for that case
}

// AskedUndeclared is the case of the page of a method that judges whether a client is asked for
// what it does not declare.
func AskedUndeclared(method string) probe.Elsewhere {
	page, _, _ := strings.Cut(method, "/")
	if !slices.Contains([]string{Elicitation, Sampling, Roots}, method) {
		return probe.Elsewhere{}
	}
	return probe.Elsewhere{Case: page + "/only-if-declared", Why: "a client that does not declare " + page + " is asked for it"}
}

// Case calls the tool as that client. What the tool answers instead is free.
func (u Undeclared) Case() suite.Case {
	fields := append([]string{u.Field}, u.Beside...)
	var needs []suite.Need
	for _, field := range fields {
		needs = append(needs, suite.Role(roles.ClientRequest, field))
	}
	return suite.Case{
		ID: u.ID, Title: u.Title, Fix: u.Fix, Checks: u.Checks, Needs: []suite.Need{suite.Either(needs...)},
		Run: func(c *probe.Client) error {
			unable := u.Client(c)
			subscriptions.Hear(unable)
			for _, field := range fields {
				if c.Role(roles.ClientRequest).Fields().At(field).Text("tool") != "" {
					c.Must(u.ask(unable, field))
				}
			}
			return nil
		},
	}
}

func (u Undeclared) ask(unable *probe.Client, field string) error {
	from := unable.Mark()
	reply := unable.CallTool(unable.Role(roles.ClientRequest).Field(field), nil)
	for _, q := range Since(unable, from) {
		if u.Forbids(q) {
			return probe.Shown(reply, probe.One(q.Frame.Frame)).Violation(
				"a client that does not declare %s is asked for it, want another answer", u.What).
				Unless(probe.Elsewhere{Case: u.Unless, Why: "a client that declares nothing of the kind is asked, too"})
		}
	}
	return nil
}
