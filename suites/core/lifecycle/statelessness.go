package lifecycle

import (
	"slices"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func statelessCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "lifecycle/no-handshake",
			Title:  "the first request on a connection is served if its metadata is complete",
			Checks: []requirements.ID{"lifecycle-no-handshake-needed"},
			Needs:  []suite.Need{suite.Lists()},
			Fix:    "serve each request by its own metadata; wait for no initialize and no server/discover",
			Run:    noHandshake,
		},
		{
			ID:     "lifecycle/metadata-not-remembered",
			Title:  "a request without metadata is rejected even after a complete one",
			Checks: []requirements.ID{"lifecycle-no-connection-context", "meta-object-required"},
			Needs:  []suite.Need{suite.Trait(probe.ModernOnly)},
			Fix:    "answer error -32602 where _meta is missing, and keep nothing of it for the next request, on whatever connection",
			Run:    metadataNotRemembered,
		},
		{
			ID:     "lifecycle/capabilities-not-remembered",
			Title:  "the capabilities of one request count for that request only",
			Checks: []requirements.ID{"lifecycle-no-connection-context"},
			Needs:  []suite.Need{suite.Role(roles.ClientRequest, "elicitation")},
			Fix:    "ask for input only what the capabilities of the same request allow",
			Run:    capabilitiesNotRemembered,
		},
		{
			ID:     "lifecycle/interleaved",
			Title:  "requests of different clients are served side by side on one connection",
			Checks: []requirements.ID{"lifecycle-interleaved-conversations"},
			Fix:    "answer each request from its own metadata, whoever else uses the connection",
			Run:    interleaved,
		},
		{
			ID:     "lifecycle/pages-across-connections",
			Title:  "a cursor from one connection works on another",
			Checks: []requirements.ID{"lifecycle-no-connection-affinity"},
			Needs:  []suite.Need{suite.Trait(probe.AnyPaginates)},
			Fix:    "put all a cursor needs into the cursor, instead of keeping it with the connection",
			Run:    pagesAcrossConnections,
		},
		{
			ID:     "lifecycle/state-handle",
			Title:  "state created on one connection can be reached by its identifier on another",
			Checks: []requirements.ID{"lifecycle-explicit-state-handle"},
			Needs: []suite.Need{
				suite.Role(roles.SessionState), suite.Either(suite.Over(requirements.HTTP), suite.Trait(probe.Durable)),
			},
			Fix: "keep state under the identifier that the client sends, not with the connection it was made on",
			Run: stateHandle,
		},
	}
}

// noHandshake first asks for the list on the present connection, to see whether the
// server serves it at all. It takes the last declared list, because conversations
// usually open with another one.
func noHandshake(c *probe.Client) error {
	method := c.AnyList().Method
	for _, l := range []protocol.List{protocol.Resources(), protocol.Prompts()} {
		if slices.Contains(c.Declared(), l) {
			method = l.Method
		}
	}
	c.Call("server/discover", nil)
	usual := c.Call(method, nil)
	c.NotSeenIf(usual.WantResult() != nil, method+" is not served after server/discover either")
	first := c.Another().Call(method, nil)
	if first.WantResult() != nil {
		return first.Violation("%s as the first request got %s, want a result as after server/discover", method, first.Outcome())
	}
	return nil
}

// metadataNotRemembered compares with a new connection, which over stdio is a new
// process. Over HTTP no server is new: a server that remembers metadata for all clients
// cannot be told from a server that needs none. Both serve a request that they have to
// reject.
func metadataNotRemembered(c *probe.Client) error {
	method := c.PlainMethod()
	bare := func(c *probe.Client, id string) *probe.Reply {
		return c.Ask(probe.RequestText(id, method, probe.Object{}), probe.Patient())
	}
	whole := c.Call(method, nil)
	after := bare(c, `"after"`)
	if !after.Served() {
		return nil
	}
	alone := bare(c.Another(), `"alone"`)
	if alone.Served() {
		return alone.Violation("%s without metadata got a result, on a new connection too, want error %d", method, protocol.InvalidParams).
			Under("meta-object-required")
	}
	return probe.Shown(whole, after).Violation(
		"%s without metadata, rejected as the first request, got a result after a complete one, want an error", method).
		Under("lifecycle-no-connection-context")
}

// capabilitiesNotRemembered passes over a tool that asks every client: it remembers
// nothing.
func capabilitiesNotRemembered(c *probe.Client) error {
	call := c.Role(roles.ClientRequest).Field("elicitation")
	with := func(c *probe.Client, capabilities probe.Object) *probe.Reply {
		return c.CallTool(call, probe.Object{"_meta": probe.Object{protocol.MetaCapabilities: capabilities}})
	}
	able := with(c, probe.Object{"elicitation": probe.Object{}})
	c.NotSeenIf(!elicits(able), "the tool did not ask a client that declared elicitation")
	unable := with(c, probe.Object{})
	if !elicits(unable) {
		return nil
	}
	alone := with(c.Another(), probe.Object{})
	c.NotSeenIf(elicits(alone), "the tool asks even a client that never declared elicitation")
	return probe.Shown(able, unable).Violation("a request that does not declare elicitation is answered by an elicitation, " +
		"as if the capabilities of the request before still held")
}

// elicits reports whether the answer asks for input by elicitation.
func elicits(reply *probe.Reply) bool {
	asked, _ := reply.At("/result/inputRequests")
	for _, each := range probe.ObjectOf(asked) {
		if request, ok := each.(map[string]any); ok && request["method"] == "elicitation/create" {
			return true
		}
	}
	return false
}

// pagesAcrossConnections judges only the other connection; the pagination page judges the
// first one.
func pagesAcrossConnections(c *probe.Client) error {
	at := slices.IndexFunc(c.Declared(), func(l protocol.List) bool { return c.Survey().Traits[probe.Paginates(l)] })
	list := c.Declared()[at]
	first := probe.FetchPage(c, list, nil)
	c.NotSeenIf(!first.More, list.Method+" has one page only this time")
	here := probe.FetchPage(c, list, &first.Next)
	c.NotSeenIf(!here.OK, "the second page is not served on the first connection either")
	there := probe.FetchPage(c.Another(), list, &first.Next)
	if !there.OK {
		c.NotSeenIf(!probe.FetchPage(c, list, &first.Next).OK, "the cursor is no longer valid on its own connection either")
		return probe.Shown(first.Reply, there.Reply).Violation(
			"the cursor of the first page, which works on its own connection, got %s on another, want a result", there.Reply.Outcome())
	}
	return nil
}

// stateHandle tries the identifier first on the connection that made the state: where it
// fails there, it shows nothing about connections. The two connections share nothing, not
// even a TCP connection.
func stateHandle(c *probe.Client) error {
	role := c.Role(roles.SessionState)
	read, ok := role.Fields().At("second").Call()
	c.NotSeenIf(!ok || !roles.Mentions(read.Arguments, "result"),
		"the second call of roles.session-state carries nothing of the first one's result")
	first := role.Field("first")
	one := c.Opened()
	made := one.CallTool(first, nil)
	c.UndecideIf(!made.Succeeded(), "the first call of roles.session-state got "+made.Outcome())
	result, _ := made.Result()
	read, err := read.Expand(roles.Vars{Nonce: c.Nonce(), Result: result})
	if err != nil {
		c.Undecide("the first call of roles.session-state: " + err.Error())
	}
	params := probe.Object{"name": read.Tool, "arguments": probe.Object(read.Arguments)}
	here := one.Call("tools/call", params)
	c.UndecideIf(!here.Succeeded(), "the identifier does not work on its own connection: "+here.Outcome())
	there := c.Opened().Call("tools/call", params)
	return sameState(c, role.Fields(), made, here, there)
}

func sameState(c *probe.Client, f roles.Fields, made, here, there *probe.Reply) error {
	shown := probe.Shown(made, here, there)
	if !there.Succeeded() {
		return shown.Violation("the identifier got %s on another connection, want the state that it leads to on its own", there.Outcome())
	}
	want, given := f.Any("expect")
	if !given {
		return nil
	}
	answer := func(r *probe.Reply) any {
		result, _ := r.Result()
		return probe.Payload(result)
	}
	if own := answer(here); !probe.Same(own, want) {
		c.Undecide("on its own connection the identifier leads to " + probe.Show(own) +
			", and roles.session-state.expect is " + probe.Show(want))
	}
	if got := answer(there); !probe.Same(got, want) {
		return shown.Violation("on another connection the identifier leads to %s, want %s as on its own", probe.Show(got), probe.Show(want))
	}
	return nil
}

// A conversation is one of several clients on the connection.
type conversation struct {
	name, method string
	meta         probe.Object
	reply        *probe.Reply
}

// interleaved lets four clients send a request at once. Each answer has to fit the method
// of its request, and progress may be reported only for tokens that the clients gave.
func interleaved(c *probe.Client) error {
	plain := c.PlainMethod()
	usual := c.Call(plain, nil)
	c.NotSeenIf(usual.WantResult() != nil, plain+" is not served by itself either")
	mark := c.Mark()
	all := conversations(plain)
	askAtOnce(c, all)
	for _, each := range all {
		c.Must(each.reply.WantResult())
		asked, _ := protocol.MethodOf(protocol.Client, each.method)
		if _, own := each.reply.At("/result/" + asked.Holds); !own {
			return each.reply.Violation("the answer to %s of the client %q has no %s", each.method, each.name, asked.Holds)
		}
	}
	return tokensKept(c, mark, all)
}

func conversations(plain string) []*conversation {
	const discovery = "server/discover"
	all := []*conversation{
		{method: plain, name: "first", meta: probe.Object{protocol.MetaProgress: "first"}},
		{method: discovery, name: "second", meta: probe.Object{protocol.MetaCapabilities: probe.Object{"elicitation": probe.Object{}}}},
		{method: plain, name: "third", meta: probe.Object{protocol.MetaProgress: 3, protocol.MetaLogLevel: "error"}},
		{method: discovery, name: "fourth", meta: probe.Object{protocol.MetaCapabilities: probe.Object{}}},
	}
	for _, each := range all {
		each.meta[protocol.MetaClientInfo] = probe.Object{"name": each.name, "version": "1"}
	}
	return all
}

func askAtOnce(c *probe.Client, all []*conversation) {
	asked := make([]*probe.Pending, len(all))
	for i, each := range all {
		asked[i] = c.Start(each.method, probe.Object{"_meta": each.meta})
	}
	for i, each := range all {
		each.reply = asked[i].Reply()
	}
}

func tokensKept(c *probe.Client, mark probe.Mark, all []*conversation) error {
	for _, s := range c.Since(mark) {
		if notification(s) != "notifications/progress" {
			continue
		}
		token := at(s, "/params/progressToken")
		given := func(each *conversation) bool { return probe.Same(token, each.meta[protocol.MetaProgress]) }
		if !slices.ContainsFunc(all, given) {
			return probe.Shown(s).Violation("$.params.progressToken is %s, which no client of this connection gave", probe.Show(token))
		}
	}
	return nil
}
