package probe_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"kit","version":"1"}`

func TestCompose(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		revision requirements.Revision
		method   string
		params   probe.Object
		want     string
	}{
		"no params":            {requirements.R20251125, "ping", nil, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		"empty params":         {requirements.R20251125, "ping", probe.Object{}, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`},
		"params":               {requirements.R20241105, "a<b", probe.Object{"x": "<&>"}, `{"jsonrpc":"2.0","id":1,"method":"a<b","params":{"x":"<&>"}}`},
		"modern, no params":    {requirements.R20260728, "tools/list", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}}`},
		"modern, params":       {requirements.R20260728, "tools/list", probe.Object{"cursor": "c"}, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"c",` + modernMeta + `}}}`},
		"modern, more of meta": {requirements.R20260728, "x", probe.Object{"_meta": probe.Object{"z": 1}}, `{"jsonrpc":"2.0","id":1,"method":"x","params":{` + strings.Replace(modernMeta, `"2026-07-28"`, `"2026-07-28","z":1`, 1) + `}}}`},
		"modern, another version": {requirements.R20260728, "x", probe.Object{"_meta": probe.Object{protocol.MetaVersion: "2027-01-01"}},
			`{"jsonrpc":"2.0","id":1,"method":"x","params":{` + strings.Replace(modernMeta, "2026-07-28", "2027-01-01", 1) + `}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, &server{}, at(row.revision))
			if diff := cmp.Diff(row.want, c.Compose(row.method, row.params)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestComposeCountsAndLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	c := connect(t, &server{}, at(requirements.R20260728))
	meta := probe.Object{"z": 1}
	params := probe.Object{"_meta": meta}
	first, second := c.Compose("x", params), c.Compose("x", params)
	if first == second {
		t.Errorf("two requests are the same: %s", first)
	}
	if len(meta) != 1 || len(params) != 1 {
		t.Errorf("the case's own params have changed: %v", params)
	}
	if legacy := connect(t, &server{}); legacy.Params(nil) != nil {
		t.Errorf("a legacy request has the params %v", legacy.Params(nil))
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		`{"jsonrpc":"2.0","id":"a","method":"m"}`:               probe.RequestText(`"a"`, "m", nil),
		`{"jsonrpc":"2.0","id":null,"method":"m","params":[1]}`: probe.RequestText("null", "m", []any{1}),
		`{"jsonrpc":"2.0","method":"m","params":{"a":1}}`:       probe.NotificationText("m", probe.Object{"a": 1}),
		`{"jsonrpc":"2.0","method":"m"}`:                        probe.NotificationText("m", probe.Object(nil)),
		`{"b":2}`:                                               probe.JSON(probe.Object{"a": 1, "b": 2}.Without("a")),
		`{"a":2}`:                                               probe.JSON(probe.Object{"a": 1}.With("a", 2)),
		`{"name":"<b>","arguments":{"x":[null]},"_meta":{}}`: probe.JSON(probe.Object{
			"_meta": probe.Object{}, "arguments": map[string]any{"x": []any{nil}}, "name": "<b>",
		}),
		`null`: probe.JSON(func() {}),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The headers of a good client follow from the text of the message.
func TestHeaders(t *testing.T) {
	t.Parallel()
	const version, session, method, name = "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"
	modern := func(c *probe.Client, method string, params probe.Object) string { return c.Compose(method, params) }
	for label, row := range map[string]struct {
		revision requirements.Revision
		text     func(c *probe.Client) string
		want     map[string]string
	}{
		"2024-11-05":         {requirements.R20241105, func(c *probe.Client) string { return c.Compose("ping", nil) }, map[string]string{session: "s-1"}},
		"2025-03-26":         {requirements.R20250326, func(c *probe.Client) string { return c.Compose("ping", nil) }, map[string]string{session: "s-1"}},
		"2025-06-18":         {requirements.R20250618, func(c *probe.Client) string { return c.Compose("ping", nil) }, map[string]string{session: "s-1", version: "2025-06-18"}},
		"a second handshake": {requirements.R20251125, func(*probe.Client) string { return probe.RequestText("9", "initialize", probe.Object{}) }, map[string]string{}},
		"no JSON":            {requirements.R20251125, func(*probe.Client) string { return "{" }, map[string]string{session: "s-1", version: "2025-11-25"}},
		"modern list":        {requirements.R20260728, func(c *probe.Client) string { return modern(c, "tools/list", nil) }, map[string]string{version: "2026-07-28", method: "tools/list"}},
		"modern call":        {requirements.R20260728, func(c *probe.Client) string { return modern(c, "tools/call", probe.Object{"name": "a tool"}) }, map[string]string{version: "2026-07-28", method: "tools/call", name: "a tool"}},
		"modern prompt":      {requirements.R20260728, func(c *probe.Client) string { return modern(c, "prompts/get", probe.Object{"name": "prüfung"}) }, map[string]string{version: "2026-07-28", method: "prompts/get", name: "=?base64?cHLDvGZ1bmc=?="}},
		"modern resource":    {requirements.R20260728, func(c *probe.Client) string { return modern(c, "resources/read", probe.Object{"uri": "a://b"}) }, map[string]string{version: "2026-07-28", method: "resources/read", name: "a://b"}},
		"spaces around":      {requirements.R20260728, func(c *probe.Client) string { return modern(c, "tools/call", probe.Object{"name": " a"}) }, map[string]string{version: "2026-07-28", method: "tools/call", name: "=?base64?IGE=?="}},
		"looks like base64":  {requirements.R20260728, func(c *probe.Client) string { return modern(c, "tools/call", probe.Object{"name": "=?base64?YQ==?="}) }, map[string]string{version: "2026-07-28", method: "tools/call", name: "=?base64?PT9iYXNlNjQ/WVE9PT89?="}},
		"a line break":       {requirements.R20260728, func(c *probe.Client) string { return modern(c, "x\ny", nil) }, map[string]string{version: "2026-07-28", method: "=?base64?eAp5?="}},
		"a name of no text":  {requirements.R20260728, func(c *probe.Client) string { return modern(c, "tools/call", probe.Object{"name": 1}) }, map[string]string{version: "2026-07-28", method: "tools/call"}},
		"no metadata":        {requirements.R20260728, func(*probe.Client) string { return probe.RequestText("1", "x", nil) }, map[string]string{version: "2026-07-28", method: "x"}},
		"another version": {requirements.R20260728, func(*probe.Client) string {
			return probe.RequestText("1", "x", probe.Object{"_meta": probe.Object{protocol.MetaVersion: "1999"}})
		}, map[string]string{version: "1999", method: "x"}},
		"nothing to read":      {requirements.R20260728, func(*probe.Client) string { return "{" }, map[string]string{version: "2026-07-28"}},
		"a modern initialize":  {requirements.R20260728, func(*probe.Client) string { return probe.RequestText("1", "initialize", nil) }, map[string]string{}},
		"a modern message out": {requirements.R20260728, func(*probe.Client) string { return probe.NotificationText("notifications/x", nil) }, map[string]string{version: "2026-07-28", method: "notifications/x"}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			s := &server{http: true, hear: inSession}
			c := connect(t, s, at(row.revision))
			if err := control(c).Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.Send(row.text(c))
			sent := s.heard()
			got := map[string]string{}
			for name, values := range sent[len(sent)-1].Header {
				got[name] = values[0]
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// inSession is polite, with a session.
func inSession(s *server, h receivedFrame) {
	if h.Message.Method == "initialize" {
		version, _ := h.Message.At("/params/protocolVersion")
		s.answer(h, result(h.Message.ID, `{"protocolVersion":`+probe.JSON(version)+`}`), "Mcp-Session-Id", "s-1")
		return
	}
	polite(s, h)
}

func TestHandshakeHasNoHeaders(t *testing.T) {
	t.Parallel()
	s := &server{http: true, hear: inSession}
	c := connect(t, s)
	if err := control(c).Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := s.heard()
	if len(sent) != 2 || len(sent[0].Header) != 0 {
		t.Fatalf("got %d frames, the first with the headers %v, want two and none", len(sent), sent[0].Header)
	}
	want := http.Header{"Mcp-Session-Id": {"s-1"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	if diff := cmp.Diff(want, sent[1].Header); diff != "" {
		t.Error(diff)
	}
}

func TestHeadersOfTheCase(t *testing.T) {
	t.Parallel()
	s := &server{http: true, hear: polite}
	c := connect(t, s, at(requirements.R20260728))
	own := http.Header{"mcp-method": {"other"}, "Mcp-Protocol-Version": nil, "X-Own": {"1"}}
	c.Ask(c.Compose("x", nil), probe.WithHeader(own))
	c.Call("x", nil, probe.WithHeader(http.Header{"X-Own": {"2"}}))
	sent := s.heard()
	want := http.Header{"Mcp-Method": {"other"}, "Mcp-Protocol-Version": nil, "X-Own": {"1"}}
	if diff := cmp.Diff(want, sent[0].Header); diff != "" {
		t.Error(diff)
	}
	if got := sent[1].Header; got.Get("X-Own") != "2" || got.Get("Mcp-Method") != "x" {
		t.Errorf("got %v", got)
	}
	stdio := &server{hear: polite}
	if connect(t, stdio).Ask(probe.RequestText("1", "ping", nil), probe.WithHeader(own)); stdio.heard()[0].Header != nil {
		t.Errorf("over stdio: headers %v", stdio.heard()[0].Header)
	}
}

// A server that takes nothing any more does not stop the case; later frames
// show it.
func TestSendingToNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &server{deaf: errors.New("broken pipe")})
		c.Send("{}")
		c.Notify("notifications/x", nil)
		c.Initialized()
		reply := c.Call("ping", nil)
		if !reply.Silent() {
			t.Errorf("Call: %s", reply.Outcome())
		}
	})
}
