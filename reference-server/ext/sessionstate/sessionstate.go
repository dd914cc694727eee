// Package sessionstate serves the session-state extension: the state of a client's work
// travels with the client, as a token that only the server can read. The server keeps
// nothing, and a client goes on over any connection.
//
// A tool takes part through its State: Lines is what the token of the call holds, and Add
// puts a line behind it. A call without a token begins with no lines.
package sessionstate

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// Prefix begins the keys of the extension where they need a namespace.
const Prefix = "io.github.mcp-extension-proposals/"

const (
	claim = Prefix + "session_state"

	longest  = 64 << 10        // of a token, in bytes
	lifetime = 5 * time.Second // of a token; each change gives a new one
)

// Options are the options of the extension.
type Options struct {
	Now   func() time.Time
	Fault *fault.Fault // nil keeps every rule
}

// New returns the extension.
func New(o Options) core.Extension {
	faults := switches(o.Fault)
	e := &extension{now: o.Now, faults: faults, sealer: newSealer(faults)}
	return core.Extension{Name: "session-state", Key: claim, CallTool: e.call}
}

type extension struct {
	now    func() time.Time
	faults Switches
	sealer sealer
	latest latest
}

type key struct{}

// A State is what a client's token holds while a tool runs. The nil State, of a server
// without the extension, is always empty.
type State struct {
	content
	used, changed bool
}

// Of returns the state of a call.
func Of(t *core.Turn) *State {
	s, _ := t.Kept(key{}).(*State)
	return s
}

// Lines are the lines so far.
func (s *State) Lines() []string {
	if s == nil {
		return nil
	}
	s.used = true
	return slices.Clone(s.content.Lines)
}

// Add adds a line and returns all lines.
func (s *State) Add(line string) []string {
	if s == nil {
		return []string{line}
	}
	s.used, s.changed = true, true
	s.content.Lines = append(s.content.Lines, line)
	return slices.Clone(s.content.Lines)
}

// call reads the token of a call, and adds the next one to the result of a tool that used
// the state.
func (e *extension) call(call *core.ToolCall, run func() (fault.Message, *core.Error)) (fault.Message, *core.Error) {
	token, given, refusal := asked(call.Turn)
	held := content{Principal: call.Principal()}
	if given && refusal == nil {
		held, refusal = e.read(call.Turn, token)
	}
	if refusal != nil {
		return call.RefuseResult(refusal.Message, *refusal), nil
	}
	if !given && e.latest.failing() {
		return nil, &core.Error{Code: core.InternalError, Message: "the state is broken"}
	}
	if !given {
		held = e.faults.unasked(&e.latest, call, held)
	}
	state := &State{content: held}
	call.Keep(key{}, state)
	result, failure := run()
	if failure == nil && state.used && result["isError"] != true {
		e.answer(call.Turn, result, state, token)
	}
	return result, failure
}

// asked is the token of a request, under the bare or the prefixed key. An empty one is
// none.
func asked(t *core.Turn) (token string, given bool, refusal *core.Refusal) {
	for _, name := range []string{"session_state", claim} {
		raw := t.Meta(name)
		if raw == nil {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return "", false, unusable("INVALID_INPUT", "session_state is not a string.")
		}
		if given && text != token {
			return "", false, unusable("INVALID_INPUT", "The places of session_state hold different tokens.")
		}
		token, given = text, true
	}
	return token, token != "", nil
}

func unusable(code, text string) *core.Refusal {
	return &core.Refusal{
		Code: code, Category: core.InvalidInput, Message: text, Suggestion: "Call again without session_state, which begins a new session.",
	}
}

// read opens a token for its owner, while it lasts.
func (e *extension) read(t *core.Turn, token string) (content, *core.Refusal) {
	if len(token) > longest {
		return content{}, unusable("PAYLOAD_TOO_LARGE", "session_state is longer than 64 KiB.")
	}
	held, ok := e.sealer.open(token)
	if !ok {
		return e.faults.unreadable(&e.latest, t, token)
	}
	bound := !e.faults.AnyPrincipal && (!e.faults.Unsealed || e.faults.OwnerCompared)
	stale := e.now().Sub(held.Issued) >= lifetime && !e.faults.NeverStale
	switch {
	case bound && held.Principal != t.Principal():
		return content{}, unusable("INVALID_INPUT", "session_state was issued to somebody else.")
	case stale:
		e.latest.staled(e.faults.StuckWhenStale)
		return content{}, unusable("TOKEN_EXPIRED", "session_state is out of date.")
	}
	return e.faults.opened(&e.latest, t, held), nil
}

// answer tells the next token, and what is known of the session.
func (e *extension) answer(t *core.Turn, result fault.Message, s *State, token string) {
	members := map[string]any{"state_changed": s.changed}
	if s.changed {
		created := s.Session == ""
		if created {
			s.Session, s.Created = "hs-"+rand.Text(), e.now()
		}
		s.Issued = e.now()
		s.Pad += e.faults.pad()
		token = e.sealer.seal(s.content)
		e.latest.issued(t.Principal(), token, s.content)
		if created && declares(t) {
			t.Notify("notifications/session/lifecycle", map[string]any{
				"type": "session_created", "session_id": s.Session, "timestamp": s.Created.UTC().Format(time.RFC3339Nano),
			})
		}
	}
	if token != "" && s.Session != "" {
		members["session_state"] = token
		members["session"] = map[string]any{
			"session_id": s.Session, "state": token,
			"created_at": s.Created.UTC().Format(time.RFC3339Nano), "expires_at": s.Issued.Add(lifetime).UTC().Format(time.RFC3339Nano),
			"metadata": map[string]any{"server_name": t.Identity().Name, "tool_context": "notices"},
		}
	}
	meta := result.Object("_meta")
	for name, value := range members {
		meta[name] = value
		if t.Modern() {
			meta[Prefix+name] = value
		}
	}
}

// declares says whether the client declares the extension.
func declares(t *core.Turn) bool {
	var client struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	}
	return json.Unmarshal(t.Capabilities(), &client) == nil && client.Extensions[claim] != nil
}
