package schema

import (
	"fmt"
	"net"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// publishedCases judge how a server applies the schemas of its own tools.
func publishedCases() []suite.Case {
	return []suite.Case{{
		ID:     "schema/applied-as-2020-12",
		Title:  "a schema without $schema is applied as JSON Schema 2020-12",
		Checks: []requirements.ID{"schema-2020-12-supported"},
		Needs:  []suite.Need{suite.Role(roles.InvalidInput, "schema-2020")},
		Fix:    "validate arguments with a library that knows prefixItems, dependentRequired and unevaluatedProperties",
		Run:    appliedAs202012,
	}}
}

// appliedAs202012 expects a refusal: a server that applies another dialect ignores the
// unknown keywords. Some tools refuse in the text of a result, so only an answer equal to
// the answer for valid arguments proves that the tool ran.
func appliedAs202012(c *probe.Client) error {
	good := c.Role(roles.InvalidInput).Field("schema-2020")
	bad := good.Using("invalid-arguments")
	decides(c, good, bad)
	reply := c.CallTool(bad, nil)
	if refused(reply) {
		return nil
	}
	result, served := reply.Result()
	c.UndecideIf(!served, "the answer to arguments that the input schema excludes is "+reply.Outcome())
	usual := c.CallTool(good, nil)
	c.UndecideIf(!usual.Served() || refused(usual), "the tool rejects the arguments that its schema allows, too")
	v := probe.Shown(reply, usual).Violation(
		"arguments that the input schema of %s excludes in 2020-12 are answered with %s, want an error or a result with isError true",
		probe.Show(bad.Tool), probe.Show(result)).Unless(probe.NoContent(reply))
	if !probe.Same(probe.Payload(result), answer(usual)) {
		c.MustMarkFailures()
		return v.AtMostWarn()
	}
	return v
}

// decides makes sure that the published schema, read as 2020-12, accepts the first call
// and excludes the second.
func decides(c *probe.Client, good, bad *probe.ToolCall) {
	tools := probe.List(c, protocol.Tools())
	tools.MustHaveSome()
	tool, _ := tools.Find(good.Tool)
	published, ok := tool.Get("inputSchema").(map[string]any)
	c.UndecideIf(!ok, "the tool "+probe.Show(good.Tool)+" is not listed with an input schema")
	_, named := published["$schema"]
	c.NotSeenIf(named, "the input schema of "+probe.Show(good.Tool)+" names its dialect")
	schema, err := schemas.Compile(published)
	if err != nil {
		c.Undecide("the input schema of " + probe.Show(good.Tool) + " cannot be applied: " + err.Error())
	}
	for _, each := range []struct {
		call *probe.ToolCall
		fits bool
	}{{good, true}, {bad, false}} {
		faults, undecided := schema.Validate(frame.Read([]byte(probe.JSON(each.call.Arguments))).Value)
		c.UndecideIf(undecided || (len(faults) == 0) != each.fits,
			"the published input schema does not tell the two calls of roles.invalid-input.schema-2020 apart")
	}
}

func refused(r *probe.Reply) bool { return r.Refused() || r.ErrorFlag() }

// answer is the payload of the result of the tool.
func answer(r *probe.Reply) any {
	result, _ := r.Result()
	return probe.Payload(result)
}

// A door is an address of the kit that only a server which follows references connects
// to. Whoever connects waits until the connections are counted.
type door struct {
	url      string
	listener net.Listener
}

func open(c *probe.Client) *door {
	listener, err := (&net.ListenConfig{}).Listen(c.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		c.Stop(fmt.Errorf("listen for those who follow a reference: %w", err))
	}
	return &door{"http://" + listener.Addr().String() + "/form.json", listener}
}

// knocks closes the connections that have come, and returns their number. The listener accepts
// connections in order, so the kit connects too and counts those before its own.
func (d *door) knocks(c *probe.Client) int {
	own, err := (&net.Dialer{}).DialContext(c.Context(), "tcp", d.listener.Addr().String())
	if err != nil {
		c.Stop(fmt.Errorf("knock at the kit's own door: %w", err))
	}
	defer func() { _ = own.Close() }()
	for n := 0; ; n++ {
		conn, err := d.listener.Accept()
		if err != nil {
			return n
		}
		last := conn.RemoteAddr().String() == own.LocalAddr().String()
		_ = conn.Close()
		if last {
			return n
		}
	}
}

func (d *door) close() { _ = d.listener.Close() }
