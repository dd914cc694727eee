package permissions

import (
	"context"
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
func on(seconds int, procedure func(ctx context.Context, h *holder) error) func(context.Context, *probe.Client) error {
	return func(ctx context.Context, c *probe.Client) error {
		h, err := begin(ctx, c, seconds)
		if err != nil {
			return err
		}
		defer h.undo(ctx)
		return procedure(ctx, h)
	}
}

func begin(ctx context.Context, c *probe.Client, seconds int) (*holder, error) {
	who, err := weakest(ctx, c)
	if err != nil {
		return nil, err
	}
	h := &holder{own: c, who: who}
	places := []proposal.Dialect{proposal.Header, proposal.Beside}
	try := func(ctx context.Context, d proposal.Dialect) (read, accepted bool, err error) {
		return (&holder{own: c, who: who, dialect: d}).try(ctx)
	}
	h.dialect, err = proposal.LearnDialect(ctx, c, "permissions", places, try)
	if err != nil {
		return nil, err
	}
	h.dialect.NoteOlder(c, "session tokens", map[proposal.Dialect]string{proposal.Beside: "params.session_token"},
		"_meta.session_token or the header X-MCP-Session-Token")
	return h, h.enter(ctx, seconds)
}

// enter gets a session, and finds a call for it.
func (h *holder) enter(ctx context.Context, seconds int) (err error) {
	grantable := h.own.Role(roles.Scopes).Fields().Texts("grantable")
	if h.pass, err = admit(ctx, h.who.Client, grantable, seconds); err != nil {
		return err
	}
	h.call, err = opened(ctx, h.own, h.who.Client, h.pass.scopes)
	return err
}

// try shows a token and then a made-up one: a server that lets the first in and not
// the second has read them.
func (h *holder) try(ctx context.Context) (read, accepted bool, err error) {
	const seconds = 600
	if err := h.enter(ctx, seconds); err != nil {
		return false, false, err
	}
	defer h.undo(ctx)
	real, err := h.show(ctx, h.pass.token)
	if err != nil {
		return false, false, err
	}
	accepted = proposal.WantDone(real) == nil
	if !accepted {
		return false, false, nil
	}
	forged, err := h.show(ctx, h.random())
	if err != nil {
		return false, false, err
	}
	return proposal.Declined(forged), true, nil
}

// opened is a call of a role that takes scopes, all of which were granted. What takes
// none says nothing about tokens: a server need not look at them there.
func opened(ctx context.Context, own, who *probe.Client, granted []string) (*probe.ToolCall, error) {
	known, err := told(ctx, own)
	if err != nil {
		return nil, err
	}
	for _, name := range []roles.Name{roles.StateChange, roles.ReadOnlyTool} {
		role := own.Role(name)
		if _, ok := role.Fields().Call(); !ok {
			continue
		}
		call, err := role.Call()
		if err != nil {
			return nil, err
		}
		required, listed := known.required[call.Tool]
		if !listed {
			a, err := askAbout(ctx, who, call, nil)
			if err != nil {
				return nil, err
			}
			if yes, told := a.allowed(); told && !yes {
				required = a.missing()
			}
		}
		if len(required) > 0 && within(required, granted) {
			return call, nil
		}
	}
	return nil, probe.Undecide("neither roles.state-change nor roles.read-only-tool names a tool that is known to require " +
		"granted scopes and no others: " + strings.Join(granted, ", "))
}

// show makes the call with a token.
func (h *holder) show(ctx context.Context, token string) (*probe.Reply, error) {
	reply, err := h.showFor(ctx, h.call, token)
	if err != nil {
		return nil, err
	}
	if result, ok := reply.Result(); ok && !proposal.Declined(reply) {
		if h.done == nil {
			h.done = map[string]*probe.Reply{}
		}
		h.done[probe.JSON(probe.Payload(result))] = reply
	}
	return reply, nil
}

func (h *holder) showFor(ctx context.Context, call *probe.ToolCall, token string) (*probe.Reply, error) {
	placed, params, headers := h.dialect.Placed(call, proposal.Members{
		Values:  probe.Object{"session_token": token},
		Headers: map[string]string{"session_token": "X-MCP-Session-Token"},
	})
	reply, err := h.who.CallTool(ctx, placed, params, probe.WithHeader(headers))
	if err == nil {
		h.sent = h.sent.And(reply)
	}
	return reply, err
}

// admitted makes the call with the token that was given out. That it is let in is
// the rule of session-token-works.
func (h *holder) admitted(ctx context.Context) error {
	reply, err := h.show(ctx, h.pass.token)
	if err == nil && proposal.WantDone(reply) != nil {
		err = probe.Undecide("the call is not done with the token either, which ext-permissions/session-token-works judges: " + reply.Outcome())
	}
	return err
}

func (h *holder) undo(ctx context.Context) {
	for _, reply := range h.done {
		h.own.Undo(ctx, h.call, reply)
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
func (h *holder) altered() (string, error) {
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
		return "", probe.Undecide(fmt.Sprintf("there is not a letter or digit to change in the token of %d characters", len(token)))
	}
	token[order[at]] = other(token[order[at]])
	return string(token), nil
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
