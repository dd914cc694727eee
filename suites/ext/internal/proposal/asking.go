package proposal

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// slow is a time of a server to answer that makes it worth to ask for all forms at once.
const slow = 500 * time.Millisecond

// asking gives the answer to the method in each of the forms, when it is wanted.
func (m Method) asking(c *probe.Client, forms []string, params probe.Object, options []probe.Option) func(form string) *probe.Reply {
	early := map[string]*probe.Reply{}
	if m.Harmless && c.Survey().RoundTrip >= slow {
		early = m.atOnce(c, forms, params, options)
	}
	return func(form string) *probe.Reply {
		if reply := early[form]; reply != nil {
			return reply
		}
		return m.send(c, form, params, options)
	}
}

// atOnce asks for all forms at once. A form that is not answered beside others is left out.
func (m Method) atOnce(c *probe.Client, forms []string, params probe.Object, options []probe.Option) map[string]*probe.Reply {
	asked := make([]*probe.Pending, len(forms))
	for i, form := range forms {
		asked[i] = m.start(c, form, params, options)
	}
	if slices.ContainsFunc(forms, func(form string) bool { return strings.HasPrefix(form, "T:") }) {
		toldOfUnknown(c)
	}
	all, silent := map[string]*probe.Reply{}, 0
	for i, form := range forms {
		if all[form] = asked[i].Reply(); all[form].Silent() {
			silent++
		}
	}
	if silent < len(forms) {
		maps.DeleteFunc(all, func(_ string, r *probe.Reply) bool { return r.Silent() })
	}
	return all
}

func (m Method) send(c *probe.Client, form string, params probe.Object, options []probe.Option) *probe.Reply {
	return m.start(c, form, params, options).Reply()
}

func (m Method) start(c *probe.Client, form string, params probe.Object, options []probe.Option) *probe.Pending {
	if tool, ok := strings.CutPrefix(form, "T:"); ok {
		arguments := params.Without("_meta")
		call := probe.Object{"name": tool, "arguments": arguments}
		if meta, ok := params["_meta"]; ok {
			call["_meta"] = meta
		}
		return c.Start("tools/call", call, options...)
	}
	return c.Start(strings.TrimPrefix(form, "M:"), params, options...)
}

// turnedAway reports whether an HTTP status alone refused a request whatever it asks
// for: a limit, a login, or a gateway whose server is away.
func turnedAway(r *probe.Reply) bool {
	switch r.Status() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return !r.Answered()
	}
	return false
}

// unknown reports whether an answer says that there is no such method or tool.
func unknown(c *probe.Client, r *probe.Reply, form string) bool {
	if !r.Answered() {
		return r.Status() >= 400
	}
	code, coded := r.Code()
	if coded && code == protocol.MethodNotFound {
		return true
	}
	tool, called := strings.CutPrefix(form, "T:")
	if !called {
		return false
	}
	if r.Message().Class != frame.Error && !r.ErrorFlag() {
		if _, _, ok := Record(r); !ok {
			return false
		}
	}
	// A tool that is there complains of its arguments, not of its own name.
	if strings.Contains(r.Outcome(), tool) {
		return true
	}
	if !coded || code != protocol.InvalidParams {
		return false
	}
	return toldOfUnknown(c) == r.Outcome()
}

// toldOfUnknown is what the server answers to a call of a tool that does not exist.
func toldOfUnknown(c *probe.Client) string {
	return c.Learn("form:unknown tool", func() string {
		return c.Call("tools/call", probe.Object{"name": "no_such_tool_" + c.Nonce(), "arguments": probe.Object{}}).Outcome()
	})
}
