package probe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// booking is a state-changing role with an observer and the given further fields.
func booking(observe roles.Fields, more ...roles.Fields) func(*probe.Setup) {
	fields := roles.Fields{
		"tool": "book", "arguments": map[string]any{"ship": "kit-${nonce}"},
		"undo": roles.Fields{"tool": "release", "arguments": map[string]any{"booking": "${result:/structuredContent/booking}"}},
	}
	if observe != nil {
		fields["observe"] = observe
	}
	for _, each := range more {
		for name, value := range each {
			fields[name] = value
		}
	}
	return func(s *probe.Setup) {
		s.Roles = roles.NewSet(roles.Known(), roles.Filled{Name: roles.StateChange, Source: roles.Config, Fields: fields})
	}
}

// harbour counts bookings, and lists them.
func harbour() *server {
	booked := []string{}
	return &server{hear: func(s *server, h receivedFrame) {
		name, _ := h.Message.At("/params/name")
		switch {
		case name == "book":
			booked = append(booked, "x")
			s.say(0, result(h.Message.ID, `{"structuredContent":{"booking":"b-7"}}`))
		case name == "list":
			s.say(0, result(h.Message.ID, fmt.Sprintf(`{"structuredContent":{"total":%[1]d,"all":%[2]s,"words":"%[1]d booked","text":" %[1]d"}}`, len(booked), probe.JSON(booked))))
		case h.Message.Method == "resources/read":
			s.say(0, result(h.Message.ID, `{"contents":[{"text":"1"}]}`))
		default:
			s.say(0, result(h.Message.ID, `{}`))
		}
	}}
}

func pointer(to string) roles.Fields {
	return roles.Fields{"tool": "list", "arguments": map[string]any{}, "pointer": to}
}

// One logical call keeps its nonce, another call has its own.
func TestToolCalls(t *testing.T) {
	t.Parallel()
	c := connect(t, harbour(), booking(pointer("/structuredContent/total"), roles.Fields{"other-arguments": map[string]any{"ship": "other-${nonce}"}}))
	role := c.Role(roles.StateChange)
	first := role.Call()
	other := first.Using("other-arguments")
	second := role.Call()
	for want, call := range map[string]*probe.ToolCall{"kit-n1": first, "other-n1": other, "kit-n2": second} {
		params := probe.Object{"name": "book", "arguments": probe.Object{"ship": want}, "x": 1}
		if diff := cmp.Diff(params, call.Params(probe.Object{"x": 1})); diff != "" {
			t.Error(diff)
		}
	}
	for name, row := range map[string]struct {
		speak func(c *probe.Client)
		want  string
	}{
		"no such arguments":  {func(c *probe.Client) { c.Role(roles.StateChange).Call().Using("no-such-arguments") }, "role state-change has no no-such-arguments"},
		"an undo of nothing": {func(c *probe.Client) { c.Role(roles.StateChange).Field("undo") }, "${result:/structuredContent/booking}: there is no result of a call before"},
		"no such field":      {func(c *probe.Client) { c.Role(roles.StateChange).Field("no-such-field") }, "role state-change names no call that the server has"},
		"an unfilled role":   {func(c *probe.Client) { c.Role(roles.SlowTool).Call() }, "role  names no call that the server has"},
	} {
		if err := stopped(t, c, row.speak); text(err) != row.want {
			t.Errorf("%s: stopped by %v, want %s", name, err, row.want)
		}
	}
	if role.Fields().Text("tool") != "book" {
		t.Errorf("got %v", role.Fields())
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	const (
		changed = "the observer tells changed from unchanged, but effects have to be counted"
		lead    = "let roles.state-change.observe lead to a number, to digits or to a list"
		told    = "roles.state-change.observe says mode: value"
	)
	for name, row := range map[string]struct {
		observe roles.Fields
		want    string
		counts  bool
	}{
		"a number":           {pointer("/structuredContent/total"), "2", true},
		"a list":             {pointer("/structuredContent/all"), "2", true},
		"a text of digits":   {pointer("/structuredContent/text"), "2", true},
		"a text of words":    {pointer("/structuredContent/words"), changed + `: the observed value is "0 booked"; ` + lead, false},
		"the tool's answer":  {roles.Fields{"tool": "list"}, changed + `: the observed value is {"all":[],"text":" 0","total":0,"words":"0 booked"}; ` + lead, false},
		"told to be a value": {roles.Fields{"tool": "list", "pointer": "/structuredContent/total", "mode": roles.ModeValue}, changed + ": " + told, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, harbour(), booking(row.observe))
			var before, after probe.State
			got := ""
			err := stopped(t, c, func(c *probe.Client) {
				call := c.Role(roles.StateChange).Call()
				before = c.Before(call)
				for range 2 {
					c.CallTool(call, nil)
				}
				after = c.Observe(call)
				got = fmt.Sprint(before.Effects(after))
			})
			if err != nil {
				got = err.Error()
			}
			if got != row.want || before.Counts() != row.counts || before.Same(after) || !before.Same(before) || len(after.Evidence()) != 2 {
				t.Errorf("got %s, counts %v, same %v, %d frames", got, before.Counts(), before.Same(after), len(after.Evidence()))
			}
		})
	}
}

// What has to be changed is named by its key: fields may have observers of their own.
func TestEffectsNameTheObserver(t *testing.T) {
	t.Parallel()
	valued := roles.Fields{"tool": "list", "arguments": map[string]any{}, "pointer": "/structuredContent/total", "mode": roles.ModeValue}
	for want, speak := range map[string]struct {
		observe roles.Fields
		call    func(*probe.Role) *probe.ToolCall
	}{
		"roles.state-change.observe says":            {valued, func(r *probe.Role) *probe.ToolCall { return r.Field("other") }},
		"roles.state-change.idempotent.observe says": {nil, func(r *probe.Role) *probe.ToolCall { return r.Field("idempotent") }},
		"let roles.state-change.inner.observe lead":  {nil, func(r *probe.Role) *probe.ToolCall { return r.Part("inner").Call() }},
		"let roles.state-change.steps[1].observe lead": {nil, func(r *probe.Role) *probe.ToolCall {
			call, _ := r.Entry("steps", 1)
			return call
		}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			c := connect(t, harbour(), booking(speak.observe, roles.Fields{
				"other":      roles.Fields{"tool": "book"},
				"idempotent": roles.Fields{"tool": "book", "observe": valued},
				"inner":      roles.Fields{"tool": "book", "observe": pointer("/structuredContent/words")},
				"steps":      []roles.Fields{{"tool": "book"}, {"tool": "book", "observe": pointer("/structuredContent/words")}},
			}))
			err := stopped(t, c, func(c *probe.Client) {
				before := c.Before(speak.call(c.Role(roles.StateChange)))
				before.Effects(before)
			})
			if !strings.Contains(text(err), want) {
				t.Errorf("got %v, want %s in it", err, want)
			}
		})
	}
}

// An effect that cannot be observed decides nothing.
func TestUnobservable(t *testing.T) {
	t.Parallel()
	moving := 0
	moves := &server{hear: func(s *server, h receivedFrame) {
		moving++
		s.say(0, result(h.Message.ID, fmt.Sprintf(`{"structuredContent":{"total":%d}}`, moving)))
	}}
	for name, row := range map[string]struct {
		server  *server
		observe roles.Fields
		want    string
	}{
		"it moves":   {moves, pointer("/structuredContent/total"), "the observed state changes by itself"},
		"refused":    {&server{hear: func(s *server, h receivedFrame) { s.say(0, refusal(h.Message.ID, `{"code":1}`)) }}, pointer("/x"), `the state could not be observed: the answer to tools/call is error {"code":1}, want a result`},
		"not there":  {harbour(), pointer("/structuredContent/gone"), "the observer's result has nothing at /structuredContent/gone"},
		"a resource": {harbour(), roles.Fields{"resource": "a://b", "pointer": "/contents/0/text"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, row.server, booking(row.observe))
			err := stopped(t, c, func(c *probe.Client) { c.Before(c.Role(roles.StateChange).Call()) })
			var u *probe.Undecided
			if row.want == "" && err != nil || row.want != "" && (!errors.As(err, &u) || err.Error() != row.want) {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
	c := connect(t, harbour(), booking(nil))
	err := stopped(t, c, func(c *probe.Client) { c.Observe(c.Role(roles.StateChange).Call()) })
	if err == nil || errors.As(err, new(*probe.Undecided)) {
		t.Errorf("without an observer: %v, want an error of ours", err)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	s := harbour()
	c := connect(t, s, booking(nil))
	call := c.Role(roles.StateChange).Call()
	done := c.CallTool(call, nil, probe.WithHeader(http.Header{}))
	c.Undo(call, done)
	if got := s.texts(); !strings.HasSuffix(got, `"params":{"name":"release","arguments":{"booking":"b-7"}}}`) {
		t.Errorf("got %s", got)
	}
	before := len(s.heard())
	empty := c.Call("x", nil)
	c.Undo(call, empty)
	if notes := strings.Join(control(c).Notes(), "\n"); !strings.Contains(notes, "roles.state-change.undo was not called") {
		t.Errorf("the notes are %q, want why nothing was undone", notes)
	}
	if got := len(s.heard()); got != before+1 {
		t.Error("something was undone without what the undo asks for")
	}
}

// A second principal shows its own credentials and none of the first's.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var dialled []*server
	people := func(s *probe.Setup) {
		s.Roles = roles.NewSet(roles.Known(), roles.Filled{Name: roles.Principals, Source: roles.Config, Fields: roles.Fields{
			"first":  roles.Fields{"headers": map[string]string{"x-key": "one", "x-tenant": "a"}},
			"second": roles.Fields{"token": "two", "headers": map[string]string{"x-key": "2"}},
		}})
	}
	c := connect(t, &server{http: true, hear: inSession}, people, dials(&mu, &dialled, inSession))
	if !c.Identified("second") || c.Identified("foreign") {
		t.Error("who has credentials is not known")
	}
	other := c.As("second")
	other.Call("x", nil, probe.WithHeader(http.Header{"x-key": {"of the case"}}))
	sent := dialled[0].heard()
	want := http.Header{"Authorization": {"Bearer two"}, "X-Key": {"2"}, "X-Tenant": nil}
	if diff := cmp.Diff(want, sent[0].Header); diff != "" {
		t.Error(diff)
	}
	if got := sent[2].Header; got.Get("X-Key") != "of the case" || got.Get("Mcp-Session-Id") != "s-1" || got.Get("Authorization") != "Bearer two" {
		t.Errorf("got %v", got)
	}
	asForeign := func(c *probe.Client) { c.As("foreign") }
	asSecond := func(c *probe.Client) { c.As("second") }
	if err := stopped(t, c, asForeign); !errors.As(err, new(*probe.Undecided)) {
		t.Errorf("nobody's credentials: %v", err)
	}
	if err := stopped(t, connect(t, &server{}, people), asSecond); !errors.As(err, new(*probe.Undecided)) {
		t.Errorf("over stdio: %v", err)
	}
	var shut []*server
	locked := connect(t, &server{http: true, hear: inSession}, people, dials(&mu, &shut, posts(401)))
	if err := stopped(t, locked, asSecond); err == nil || err.Error() != "the server does not let principals.second in: HTTP status 401 without a JSON-RPC response" {
		t.Errorf("got %v", err)
	}
}

func TestExtensionProblem(t *testing.T) {
	t.Parallel()
	c := connect(t, &server{})
	if err := stopped(t, c, func(c *probe.Client) { c.ExtensionProblem("no-such-extension", "x", "/result", nil) }); err == nil {
		t.Error("an extension that has no schema fits")
	}
	if err := stopped(t, c, func(c *probe.Client) { c.ExtensionProblem("idempotency", "NoSuchDefinition", "/result", nil) }); err == nil {
		t.Error("a definition that does not exist fits, or does not")
	}
	got := c.ExtensionProblem("idempotency", "Key", "/result/_meta/idempotency_key", json.Number("1"))
	if got != "$.result._meta.idempotency_key is 1, want a string" {
		t.Errorf("got %q", got)
	}
	if got := (probe.Item{Pointer: "/result/tools/0"}).Where("a b"); got != `$.result.tools[0]["a b"]` {
		t.Errorf("got %s", got)
	}
	if got := probe.Singles(frame.Read([]byte(`[1,2]`))); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}
