package questions

import (
	"slices"
	"strconv"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// An OwnAnswers is the rule that of several calls that ask at the same time each gets the answer
// to its own question.
type OwnAnswers struct {
	Page   string
	Asks   Asker // without an answer
	Client func(c *probe.Client) *probe.Client
	Say    func(r probe.Request, text string) any // an answer that holds the text
}

// Case is about the revisions at which the server asks by a request: an input request has no id
// of its own.
func (o OwnAnswers) Case() suite.Case {
	asks, _ := protocol.MethodOf(protocol.Server, o.Asks.Method)
	return suite.Case{
		ID:        o.Page + "/answers-by-id",
		Title:     "calls that ask at the same time get each the answer to its own " + o.Asks.Method,
		Checks:    []requirements.ID{"jsonrpc-response-id-echo"},
		Revisions: slices.DeleteFunc(requirements.Revisions(), func(r requirements.Revision) bool { return !asks.In(r) }),
		Needs:     []suite.Need{suite.Role(roles.ClientRequest, o.Asks.Field)},
		Fix:       "look up the question that a response answers by its id: clients answer in any order",
		Run:       o.run,
	}
}

// run makes three calls, each once the call before has asked, and answers the one in the middle
// first: a server that takes the oldest open question for the answered one fails as well as one
// that takes the newest. An answer that its own call shows too may be meant for all of them.
func (o OwnAnswers) run(c *probe.Client) error {
	client := o.Client(c)
	usual := o.answering("kit-alone").Call(client)
	client.UndecideIf(!usual.Answered(), "the call whose question is answered gets "+usual.Outcome())
	client.NotSeenIf(!usual.Succeeded(), "the tool of roles.client-request."+o.Asks.Field+" takes no text that the kit makes up")
	client.NotSeenIf(len(usual.Asked) > 1, "the tool of roles.client-request."+o.Asks.Field+" asks more than once")
	client.NotSeenIf(!Outcome(usual.Reply, "kit-alone").Shows, "the result does not show what the client answered")

	const calls = 3
	client.Answers(o.Asks.Method, Always(nil))
	var open []asking
	for i := range calls {
		one, came := o.ask(client, "kit-answer-"+strconv.Itoa(i+1))
		if open = append(open, one); !came {
			break
		}
	}
	client.Answers(o.Asks.Method, o.answering("kit-later").Answer)
	together := len(open) == calls && open[calls-1].id != ""
	for _, i := range []int{1, 0, 2} {
		if i < len(open) && open[i].id != "" {
			client.Send(`{"jsonrpc":"2.0","id":` + open[i].id + `,"result":` + probe.JSON(open[i].answer) + `}`)
		}
	}
	for _, one := range open {
		one.call.Reply()
	}
	client.NotSeenIf(!together, "the server asks for one call after the other")
	return mixedUp(open)
}

func (o OwnAnswers) answering(text string) Asker {
	asks := o.Asks
	asks.Answer = func(r probe.Request) any { return o.Say(r, text) }
	return asks
}

// An asking is a call, its question and the answer to that.
type asking struct {
	call   *probe.Pending
	id     string // of the question; empty where none came
	text   string
	answer any
}

// ask makes a call and waits for its question.
func (o OwnAnswers) ask(client *probe.Client, text string) (a asking, came bool) {
	a = asking{text: text}
	call := client.Role(roles.ClientRequest).Field(o.Asks.Field)
	a.call = client.StartTool(call, nil, o.Asks.alike(call)...)
	asked, came := a.call.Await(client.Waits().Event, func(s probe.Seen) bool {
		m := s.Message()
		return s.Dir == frame.Received && m.Class == frame.Request && m.Method == o.Asks.Method
	})
	if came {
		m := asked.Message()
		params, _ := m.At("/params")
		a.id = m.ID
		a.answer = o.Say(probe.Request{ID: m.ID, Method: m.Method, Params: probe.ObjectOf(params)}, text)
	}
	return a, came
}

// mixedUp finds a call that shows the answer to the question of another, which does not show it.
func mixedUp(open []asking) error {
	shows := func(a asking, text string) bool { return Outcome(a.call.Reply(), text).Shows }
	for _, one := range open {
		for _, owner := range open {
			if shows(one, owner.text) && !shows(one, one.text) && !shows(owner, owner.text) {
				return probe.Shown(one.call.Reply(), owner.call.Reply()).Violation(
					"a call shows %s, which answers the question %s of another call, want the answer to its own question, %s",
					probe.Show(owner.text), owner.id, probe.Show(one.text))
			}
		}
	}
	return nil
}
