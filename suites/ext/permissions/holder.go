package permissions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// A holder has a session, and a call that takes a scope which the session has. It
// is the weakest principal, so that the session opens something.
type holder struct {
	own     *probe.Client
	who     caller
	call    *probe.ToolCall
	pass    pass
	dialect proposal.Dialect
	sent    probe.Evidence
	done    map[string]*probe.Reply // what was done, by the answer
}

// on makes a case of a procedure with a session that was asked for so many seconds.
// What the calls did is undone behind it.
func on(seconds int, procedure func(h *holder) error) func(*probe.Client) error {
	return func(c *probe.Client) error {
		h := begin(c, seconds)
		c.Cleanup(h.undo)
		return procedure(h)
	}
}

func begin(c *probe.Client, seconds int) *holder {
	who := weakest(c)
	h := &holder{own: c, who: who}
	places := []proposal.Dialect{proposal.Header, proposal.Beside}
	try := func(d proposal.Dialect) (read, accepted bool) {
		return (&holder{own: c, who: who, dialect: d}).try()
	}
	h.dialect = proposal.LearnDialect(c, "permissions", places, try)
	h.dialect.NoteOlder(c, "session tokens", map[proposal.Dialect]string{proposal.Beside: "params.session_token"},
		"_meta.session_token or the header X-MCP-Session-Token")
	h.enter(seconds)
	return h
}

// enter gets a session, and finds a call for it.
func (h *holder) enter(seconds int) {
	grantable := h.own.Role(roles.Scopes).Fields().Texts("grantable")
	h.pass = admit(h.who.Client, grantable, seconds)
	h.call = opened(h.own, h.who.Client, h.pass.scopes)
}

// try shows a token and then a made-up one: a server that lets the first in and not
// the second has read them.
func (h *holder) try() (read, accepted bool) {
	const seconds = 600
	h.enter(seconds)
	h.own.Cleanup(h.undo)
	real := h.show(h.pass.token)
	accepted = proposal.WantDone(real) == nil
	if !accepted {
		return false, false
	}
	forged := h.show(h.random())
	return proposal.Declined(forged), true
}

// opened is a call of a role that takes scopes, all of which were granted. What takes
// none says nothing about tokens: a server need not look at them there.
func opened(own, who *probe.Client, granted []string) *probe.ToolCall {
	known := told(own)
	for _, name := range []roles.Name{roles.StateChange, roles.ReadOnlyTool} {
		role := own.Role(name)
		if _, ok := role.Fields().Call(); !ok {
			continue
		}
		call := role.Call()
		required, listed := known.required[call.Tool]
		if !listed {
			a := askAbout(who, call, nil)
			if yes, told := a.allowed(); told && !yes {
				required = a.missing()
			}
		}
		if len(required) > 0 && within(required, granted) {
			return call
		}
	}
	own.Undecide("neither roles.state-change nor roles.read-only-tool names a tool that is known to require " +
		"granted scopes and no others: " + strings.Join(granted, ", "))
	return nil
}

// show makes the call with a token.
func (h *holder) show(token string) *probe.Reply {
	reply := h.showFor(h.call, token)
	if result, ok := reply.Result(); ok && !proposal.Declined(reply) {
		if h.done == nil {
			h.done = map[string]*probe.Reply{}
		}
		h.done[probe.JSON(probe.Payload(result))] = reply
	}
	return reply
}

func (h *holder) showFor(call *probe.ToolCall, token string) *probe.Reply {
	placed, params, headers := h.dialect.Placed(call, proposal.Members{
		Values:  probe.Object{"session_token": token},
		Headers: map[string]string{"session_token": "X-MCP-Session-Token"},
	})
	reply := h.who.CallTool(placed, params, probe.WithHeader(headers))
	h.sent = h.sent.And(reply)
	return reply
}

// admitted makes the call with the token that was given out. That it is let in is
// the rule of session-token-works.
func (h *holder) admitted() {
	reply := h.show(h.pass.token)
	if proposal.WantDone(reply) != nil {
		h.own.Undecide("the call is not done with the token either, which ext-permissions/session-token-works judges: " + reply.Outcome())
	}
}

func (h *holder) undo() {
	for _, reply := range h.done {
		h.own.Undo(h.call, reply)
	}
}

// random is a token that nobody was given, as long as a real one.
func (h *holder) random() string {
	made := "kit" + h.own.Nonce()
	for len(made) < len(h.pass.token) {
		made += h.own.Nonce()
	}
	return made[:max(len("kit")+1, min(len(made), len(h.pass.token)))]
}

// altered is the real token with one letter or digit changed, in the middle: the
// last characters of some tokens mean nothing.
func (h *holder) altered() string {
	token := []byte(h.pass.token)
	order := make([]int, 0, len(token))
	for i := range token {
		order = append(order, (len(token)/2+i)%len(token))
	}
	at := slices.IndexFunc(order, func(i int) bool {
		c := token[i]
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	})
	if at < 0 {
		h.own.Undecide(fmt.Sprintf("there is not a letter or digit to change in the token of %d characters", len(token)))
	}
	token[order[at]] = other(token[order[at]])
	return string(token)
}

// other is another character of the same kind, so that the token keeps its form.
func other(c byte) byte {
	switch c {
	case '9':
		return '0'
	case 'z':
		return 'a'
	case 'Z':
		return 'A'
	default:
		return c + 1
	}
}
