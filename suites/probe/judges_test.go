package probe_test

import (
	"errors"
	"testing"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// told shows frames to a watcher of a stateless column and returns its last opinion.
func told(watch func() probe.Watcher, frames ...probe.Seen) probe.Opinion {
	w, view, said := watch(), &probe.Connection{}, probe.Nothing()
	for _, s := range frames {
		s.Revision, s.Schemas = requirements.R20260728, schemas.Load()
		said = view.See(s).ShownTo(w)
	}
	return said
}

func modernCall(method string) probe.Asked {
	version := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
	return probe.AskedWith(method, probe.Object{"_meta": version})
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	result := func(a probe.Answer) probe.Opinion { return probe.Breaks("%s of %v", a.Request.Method, a.Result["x"]) }
	notice := func(n probe.Notice) probe.Opinion { return n.Fits("ToolListChangedNotification", "") }
	each := func(m probe.Message) probe.Opinion {
		if m.Class == frame.Error {
			return probe.Breaks("%s is an error", m.Place)
		}
		return probe.Kept()
	}
	good := heardOf(`{"jsonrpc":"2.0","id":1,"result":{"x":1}}`, modernCall("tools/list"))
	malformed := good
	malformed.Malformed = true
	array := heardOf(`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}]`, probe.Asked{})
	handshake := probe.Seen{Frame: frame.New(frame.Sent, frame.KindMessage, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))}
	for name, row := range map[string]struct {
		said    probe.Opinion
		judged  bool
		problem string
	}{
		"a result":           {told(probe.OnResult("tools/list", result), good), true, "tools/list of 1"},
		"of another method":  {told(probe.OnResult("tools/call", result), good), false, ""},
		"provoked":           {told(probe.OnResult("tools/list", result), malformed), false, ""},
		"of several methods": {told(probe.OnResults([]string{"a", "tools/list"}, result), good), true, "tools/list of 1"},
		"a notification": {told(probe.OnNotification("notifications/tools/list_changed", notice),
			heardOf(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":[]}`, probe.Asked{})),
			true, "$.params is [], want an object"},
		"an array":          {told(probe.OnEach(each), array), true, "$[1] is an error"},
		"before handshakes": {told(probe.OnEachStateless(each), array), true, "$[1] is an error"},
		"after one":         {told(probe.OnEachStateless(each), handshake, array), false, ""},
		"provoked as well":  {told(probe.OnEach(each), malformed), true, ""},
	} {
		v := row.said.Violation()
		if row.said.Judged() != row.judged || row.said.Err() != nil || (v != nil) != (row.problem != "") {
			t.Errorf("%s: got %+v", name, row.said)
			continue
		}
		if v != nil && (v.Problem != row.problem || len(v.Frames) == 0) {
			t.Errorf("%s: got %q shown by %d frames", name, v.Problem, len(v.Frames))
		}
	}
}

// A failure of the kit is no opinion on the server.
func TestFailed(t *testing.T) {
	t.Parallel()
	fits := func(a probe.Answer) probe.Opinion { return a.Fits("NoSuchDefinition", "/result") }
	said := told(probe.OnResult("tools/list", fits), heardOf(`{"jsonrpc":"2.0","id":1,"result":{}}`, modernCall("tools/list")))
	if said.Err() == nil || said.Judged() || said.Violation() != nil {
		t.Errorf("got %+v", said)
	}
	both := probe.Kept().And(probe.Failed(errors.New("ours"))).And(probe.Breaks("one")).And(probe.Breaks("two"))
	if !both.Judged() || both.Err() == nil || both.Violation().Problem != "one" {
		t.Errorf("got %+v", both)
	}
}
