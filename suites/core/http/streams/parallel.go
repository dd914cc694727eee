package streams

import (
	"time"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/reporting"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func parallelCases() []suite.Case {
	return []suite.Case{{
		ID:     "http/parallel-answers",
		Title:  "two requests at the same time get each its own answer",
		Checks: []requirements.ID{"jsonrpc-response-id-echo"},
		Needs:  []suite.Need{suite.Answers()},
		Fix:    "keep the request that is being served with its exchange, and not in a variable that requests share",
		Run:    ownAnswers,
	}}
}

// An asking is a request that changes nothing, and the result that it gets alone.
type asking struct {
	method string
	params probe.Object
	result string
}

// rounds is how often the two requests are sent together. Both were answered within alone
// before; without an answer within together there is no verdict.
const (
	rounds   = 3
	alone    = time.Second
	together = 3 * time.Second
)

// ownAnswers compares what two requests get together with what each gets alone.
func ownAnswers(c *probe.Client) error {
	pair, ok := differing(c)
	c.NotSeenIf(!ok, "no two requests that change nothing have results which differ and stay the same")
	for range rounds {
		var streams [2]*probe.Stream
		var ids [2]string
		for i, one := range pair {
			text := c.Compose(one.method, one.params)
			ids[i] = frame.IDKey(frame.Read([]byte(text)).ID)
			streams[i] = c.Begin(probe.Outgoing{Text: text})
		}
		for i, stream := range streams {
			got, answered := stream.Await(min(c.Waits().Answer, together), reporting.Responds)
			c.UndecideIf(!answered,
				"one of two requests that were sent at the same time is not answered, which jsonrpc/all-answered judges")
			if err := pair.judge(i, ids, stream, got); err != nil {
				return err
			}
		}
	}
	return nil
}

type askings [2]asking

// judge looks for the answer to the other request.
func (p askings) judge(i int, ids [2]string, stream *probe.Stream, got probe.Seen) error {
	own, other := p[i], p[1-i]
	for _, m := range reporting.Responses(got) {
		shown := probe.Shown(stream, probe.One(got.Frame))
		switch result := essence(m); {
		case frame.IDKey(m.ID) == ids[1-i]:
			return shown.Violation("the answer to the POST of %s is the response to %s, which was sent at the same time, want its own",
				own.method, other.method)
		case result == other.result && result != own.result:
			return shown.Violation("%s gets the result of %s, which was sent at the same time, want its own", own.name(), other.name())
		}
	}
	return nil
}

// name tells two calls of tools apart.
func (a asking) name() string {
	if tool, ok := a.params["name"].(string); ok {
		return a.method + " of " + probe.Show(tool)
	}
	return a.method
}

// differing finds two requests with different results, two calls of tools if possible.
func differing(c *probe.Client) (pair askings, ok bool) {
	const most = 4
	var candidates []asking
	safe := c.Survey().Safe
	for _, call := range safe[:min(len(safe), most)] {
		params := probe.Object{"name": call.Tool, "arguments": probe.Object(call.Arguments)}
		candidates = append(candidates, asking{method: "tools/call", params: params})
	}
	for _, list := range c.Declared() {
		candidates = append(candidates, asking{method: list.Method})
	}
	for _, method := range []string{"ping", "server/discover"} { // a revision has one of them
		candidates = append(candidates, asking{method: method})
	}
	var found []asking
	for _, one := range candidates {
		if one.result = steady(c, one); one.result == "" || len(found) == 1 && one.result == found[0].result {
			continue
		}
		if found = append(found, one); len(found) == len(pair) {
			return askings(found), true
		}
	}
	return pair, false
}

// steady is the result of a request, if two requests get the same one promptly.
func steady(c *probe.Client, one asking) string {
	var results [2]string
	for i := range results {
		reply := c.Call(one.method, one.params, probe.Within(min(c.Waits().Answer, alone)))
		if !reply.Served() {
			return ""
		}
		results[i] = essence(reply.Message())
	}
	if results[0] != results[1] {
		return ""
	}
	return results[0]
}

// essence is a result without its metadata, which may differ each time; empty for an error.
func essence(m frame.Message) string {
	value, _ := m.At("/result")
	result := probe.ObjectOf(value)
	if result == nil {
		return ""
	}
	return probe.JSON(probe.Object(result).Without("_meta"))
}
