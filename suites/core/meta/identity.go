package meta

import (
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// identityCases judge the names by which client and server introduce themselves.
func identityCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "meta/client-info-ignored",
			Title:  "the name of the client does not change what it is offered",
			Checks: []requirements.ID{"meta-client-info-no-behaviour"},
			Fix:    "use clientInfo for display and logs only; capabilities say what a client can do",
			Run:    clientInfoIgnored,
		},
		{
			ID:     "meta/client-info-opens-nothing",
			Title:  "a call that is refused stays refused under the name of another client",
			Checks: []requirements.ID{"meta-client-info-not-security"},
			Needs: []suite.Need{
				suite.Over(requirements.HTTP), suite.Role(roles.Denied), suite.Role(roles.Principals, "limited"),
			},
			Observes: roles.Denied,
			Fix:      "decide by the credentials of the request; anybody can write any clientInfo",
			Run:      clientInfoOpensNothing,
		},
		{
			ID:     "meta/server-info",
			Title:  "every result says in _meta which server it is from",
			Checks: []requirements.ID{"meta-server-info-in-results"},
			Fix:    "add " + protocol.MetaServerInfo + " with name and version to the _meta of each result",
			Sees:   "a result",
			Watch:  onInfo(serverInfo),
		},
		{
			ID:     "meta/server-info-shape",
			Title:  "what a result says of its server has a name and a version, and no property of another type",
			Checks: []requirements.ID{"meta-server-info-shape"},
			Fix:    "write " + protocol.MetaServerInfo + " as an object whose name and version are strings",
			Owns:   []suite.Part{{Class: frame.Result, At: strings.TrimPrefix(infoPlace, "/result")}},
			Sees:   "a result that says which server it is from",
			Watch:  onInfo(serverInfoShape),
		},
	}
}

// clients are introductions that may get special treatment: an unknown client, and a
// client that many authors test with.
func clients() []probe.Object {
	return []probe.Object{
		{"name": "example-client", "version": "0.0.1"},
		{"name": "mcp-inspector", "version": "0.17.0", "title": "MCP Inspector"},
	}
}

// clientInfoIgnored compares only the items on offer: hints, such as the lifetime of the
// answer, may change at any time.
func clientInfoIgnored(c *probe.Client) error {
	method := c.PlainMethod()
	ask := func(info probe.Object) *probe.Reply {
		var params probe.Object
		if info != nil {
			params = probe.Object{"_meta": probe.Object{protocol.MetaClientInfo: info}}
		}
		return c.Call(method, params)
	}
	usual := ask(nil)
	c.NotSeenIf(!usual.Served(), method+" is not served at all")
	for _, info := range clients() {
		other := ask(info)
		if probe.Same(offered(usual), offered(other)) {
			continue
		}
		again := ask(nil)
		c.UndecideIf(!probe.Same(offered(usual), offered(again)), "the answer to "+method+" changes by itself")
		return probe.Shown(usual, other).Violation("%s says something else to %s than to the kit, want the same", method, probe.JSON(info))
	}
	return nil
}

// offered is the list of items in an answer, sorted.
func offered(r *probe.Reply) any {
	if code, failed := r.Code(); failed {
		return code
	}
	method, _ := protocol.MethodOf(protocol.Client, r.Method)
	v, _ := r.At("/result/" + method.Holds)
	items, ok := v.([]any)
	if !ok {
		return v
	}
	return slices.SortedFunc(slices.Values(items), func(a, b any) int { return strings.Compare(probe.JSON(a), probe.JSON(b)) })
}

// clientInfoOpensNothing counts a result marked as an error as a refusal.
func clientInfoOpensNothing(c *probe.Client) error {
	call := c.Role(roles.Denied).Call()
	ask := func(beside probe.Object) (reply *probe.Reply, refused bool) {
		reply = c.CallTool(call, beside, probe.As("limited"))
		return reply, reply.Refused() || reply.ErrorFlag()
	}
	usual, refused := ask(nil)
	c.NotSeenIf(!refused, "the call of roles.denied is not refused to principals.limited")
	for _, info := range clients() {
		other, refused := ask(probe.Object{"_meta": probe.Object{protocol.MetaClientInfo: info}})
		if other.Served() && !refused {
			return probe.Shown(usual, other).Violation(
				"the call that is refused to the kit is served to %s, with the same credentials, want a refusal", probe.JSON(info))
		}
	}
	return nil
}

// onInfo judges the server info in a result, or its absence.
func onInfo(judge func(m probe.Message, info any) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		result, ok := m.Value("/result").(map[string]any)
		meta, object := result["_meta"].(map[string]any)
		if _, there := result["_meta"]; m.Class != frame.Result || !ok || there && !object {
			return probe.Nothing() // meta/object judges metadata that is no object
		}
		return judge(m, probe.Member(meta, protocol.MetaServerInfo))
	})
}

const infoPlace = "/result/_meta/io.modelcontextprotocol~1serverInfo"

func serverInfo(m probe.Message, info any) probe.Opinion {
	if info == (probe.Absent{}) {
		return probe.Breaks("%s is absent, want the name and version of the server", m.Where(infoPlace))
	}
	return probe.Kept()
}

// serverInfoShape leaves out icons, which have a page of their own.
func serverInfoShape(m probe.Message, info any) probe.Opinion {
	switch v := info.(type) {
	case probe.Absent:
		return probe.Nothing()
	case map[string]any:
		info = map[string]any(probe.Object(v).Without("icons"))
	}
	set, err := m.Frame.Schemas.Core(string(m.Revision))
	if err != nil {
		return probe.Failed(err)
	}
	return probe.Fits(probe.Faults(infoPlace, set.Validate("Implementation", info)), nil)
}
