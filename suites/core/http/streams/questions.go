package streams

import (
	"net/http"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// askers are the tools that ask, and what a client says that declines. That a server asks for the
// roots may have another reason than the call.
func askers() []questions.Asker {
	return []questions.Asker{
		{Field: "elicitation", Method: questions.Elicitation, How: "decline", Answer: questions.Always(probe.Object{"action": "decline"})},
		{
			Field: "sampling", Method: questions.Sampling, How: "a rejection",
			Answer: questions.Always(probe.Refusal{Code: -1, Message: "User rejected sampling request"}),
		},
	}
}

func questionCases() []suite.Case {
	var needs []suite.Need
	for _, a := range askers() {
		needs = append(needs, suite.Role(roles.ClientRequest, a.Field))
	}
	return []suite.Case{{
		ID:     "http/get-stream-questions-unrelated",
		Title:  "what a call asks the client comes on the stream of the call, and not on the one that GET opens",
		Checks: []requirements.ID{"http-get-messages-unrelated"},
		Needs:  []suite.Need{suite.Either(needs...)},
		Fix: "send a question with the request that it belongs to, as the handler gets it from the SDK (in TypeScript extra.sendRequest in " +
			"place of server.request): a client that does not open a stream by GET never hears it",
		Run: questionsUnrelated,
	}}
}

func questionsUnrelated(c *probe.Client) error {
	asked := false
	for _, a := range askers() {
		asks, _ := protocol.MethodOf(protocol.Server, a.Method)
		if !asks.In(c.Revision()) || c.Role(roles.ClientRequest).Fields().At(a.Field).Text("tool") == "" {
			continue
		}
		able := questions.Able(c, a.Field, probe.Object{}) // the field has the name of the capability
		from := able.Mark()
		call := a.Try(able)
		for _, q := range questions.Since(able, from) {
			if q.Asks != a.Method {
				continue
			}
			asked = true
			if opened, ok := byGET(able, q.Frame.Exchange); ok {
				return probe.Shown(probe.One(opened), probe.One(q.Frame.Frame), call).Violation(
					"%s of a running call comes on the stream that GET opened, want it on the stream of the call", a.Method)
			}
		}
	}
	c.NotSeenIf(!asked, "the tools of roles.client-request did not ask the client")
	return nil
}

// byGET is the GET that opened the stream of an exchange, if it did not resume another one.
func byGET(c *probe.Client, exchange int) (frame.Frame, bool) {
	opened, found := c.Find(0, func(s probe.Seen) bool {
		return s.Dir == frame.Sent && s.Exchange == exchange && s.HTTP != nil && s.HTTP.Method == http.MethodGet &&
			s.HTTP.Header.Get("Last-Event-ID") == ""
	})
	return opened.Frame, found
}
