// Package bench is where a case of an extension works. A Bench makes calls in the form
// that the server reads, keeps what was said as evidence, looks at the state that calls
// change, and undoes at the end what was done.
package bench

import (
	"net/http"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A Bench is one conversation about one call of a tool.
type Bench struct {
	*probe.Client // asks, observes and undoes

	Caller   *probe.Client    // makes the calls of tools; nil: Client does
	ToolCall *probe.ToolCall  // the call that the case is about
	Earlier  probe.State      // the state ahead of it
	Dialect  proposal.Dialect // where the server reads the properties of the extension
	Said     probe.Evidence   // all that was asked and answered

	left map[string]bool // what was done and is still there
}

// New is a bench on the kit's own connection.
func New(c *probe.Client) *Bench { return &Bench{Client: c} }

// After makes a case of two parts: what is prepared, and the judgement of it.
func After[T any](prepare func(*probe.Client) T, judge func(T) error) func(*probe.Client) error {
	return func(c *probe.Client) error { return judge(prepare(c)) }
}

// Case is a case that speaks with the server. Its texts come in the order of reading: the
// id, what a server does, the rule, and what to do about a violation.
func Case(id, title string, rule requirements.ID, fix string, run func(*probe.Client) error, needs ...suite.Need) suite.Case {
	return suite.Case{ID: id, Title: title, Checks: []requirements.ID{rule}, Needs: needs, Fix: fix, Run: run}
}

// In is the same case in another lane.
func In(lane suite.Lane, c suite.Case) suite.Case {
	c.Lane = lane
	return c
}

// Observing is the same case, which counts the effects of a role.
func Observing(role roles.Name, c suite.Case) suite.Case {
	c.Observes = role
	return c
}

// Tried is the same case, as one of a trial.
func Tried(trial string, c suite.Case) suite.Case {
	c.Trial = trial
	return c
}

// With is the same bench on another connection. What is said and done there is not
// known here.
func (b *Bench) With(c *probe.Client) *Bench {
	other := *b
	other.Client, other.left = c, nil
	return &other
}

// Weakest is the principal of the configuration with the fewest rights, and the kit's
// own connection where that works as this principal anyway. It is not sure over stdio
// where the configuration has several principals: the identity belongs to the process
// then, and nothing says which of them it is.
func Weakest(c *probe.Client) (caller *probe.Client, sure bool) {
	filled := c.Role(roles.Principals).Fields()
	for _, name := range []string{"limited", "second"} {
		if _, given := filled.Any(name); !given {
			continue
		}
		if c.Transport() != requirements.HTTP {
			return c, false
		}
		if c.Identified(name) {
			return c.As(name), true
		}
	}
	return c, true
}

// Entitled is the principal whose own rights the roles are written for: the first one of
// the configuration over HTTP, and else whoever the kit works as.
func Entitled(c *probe.Client) *probe.Client {
	if c.Transport() == requirements.HTTP && c.Identified("first") {
		return c.As("first")
	}
	return c
}

// Key is a fresh key of letters and digits, which every server accepts.
func (b *Bench) Key() string { return "kit" + b.Nonce() }

// ID is a fresh id for a thing that the client names.
func (b *Bench) ID() string { return "kit-" + b.Nonce() }

// CallMethod calls a method of the extension and keeps the answer as evidence.
func (b *Bench) CallMethod(m proposal.Method, params probe.Object) proposal.Answer {
	answer := m.Ask(b.Client, params)
	b.Said = b.Said.And(answer)
	return answer
}

// A Call is one call of a tool with properties of the extension. What is left out is
// that of the bench.
type Call struct {
	Tool    *probe.ToolCall
	Dialect proposal.Dialect
	Values  probe.Object // the properties, for the places of the dialect
	Params  probe.Object // further params
	Meta    probe.Object // further members of _meta
	Header  http.Header  // further headers
}

// StartCall sends a call; several may be under way at once.
func (b *Bench) StartCall(call Call, options ...probe.Option) *probe.Pending {
	call = b.whole(call)
	caller := b.Caller
	if caller == nil {
		caller = b.Client
	}
	placed, params, headers := call.Dialect.Placed(call.Tool, call.Values)
	if len(call.Meta) > 0 {
		meta, _ := params["_meta"].(probe.Object)
		for name, value := range call.Meta {
			meta = meta.With(name, value)
		}
		params["_meta"] = meta
	}
	for name, value := range call.Params {
		params[name] = value
	}
	for name, values := range call.Header {
		headers[name] = values
	}
	return caller.StartTool(placed, params, append(options, probe.WithHeader(headers))...)
}

// whole is a call with what it leaves out.
func (b *Bench) whole(call Call) Call {
	if call.Tool == nil {
		call.Tool = b.ToolCall
	}
	if call.Dialect == "" {
		call.Dialect = b.Dialect
	}
	return call
}

// MakeCall makes a call, keeps what was said, and remembers how the call is undone. Where
// a limit refuses it, it is made again when the server says.
func (b *Bench) MakeCall(call Call) *probe.Reply {
	reply := b.StartCall(call).Reply()
	for waited := time.Duration(0); proposal.RateLimited(reply); {
		wait := max(proposal.StatedWait(reply), time.Second)
		if waited += wait; waited > b.Waits().Max {
			b.Undecide("the server limits how often it is called, and wait.max is too short to wait for it, try --jobs 1: " + reply.Outcome())
		}
		proposal.Pause(b.Client, wait)
		reply = b.StartCall(call).Reply()
	}
	b.Keep(b.whole(call).Tool, reply)
	return reply
}

// Keep keeps the answer to a call as evidence. What the call did is undone when the
// case has ended, as far as its role says how; a replay is no second effect.
func (b *Bench) Keep(tool *probe.ToolCall, reply *probe.Reply) {
	b.Said = b.Said.And(reply)
	if result, ok := reply.Result(); ok && !proposal.Declined(reply) {
		b.Did(probe.JSON(probe.Payload(result)), func() { b.Undo(tool, reply) })
	}
}

// Did says what was done, and how it is undone when the case has ended.
func (b *Bench) Did(what string, undo func()) {
	if b.left == nil {
		b.left = map[string]bool{}
	}
	if b.left[what] {
		return
	}
	b.left[what] = true
	b.Cleanup(func() {
		if b.left[what] {
			undo()
		}
	})
}

// Over says that nothing is left to undo.
func (b *Bench) Over(what string) { delete(b.left, what) }

// Permitted ends a case that is not about rights where a call was refused for lack of
// them: then the configuration is at fault, and no rule of the case is broken.
func (b *Bench) Permitted(tool *probe.ToolCall, reply *probe.Reply) {
	if proposal.LacksRights(reply) {
		b.Undecide("the caller of this run may not call " + tool.Tool + ", give it the rights for that: " +
			"by target.env over stdio, by principals over HTTP")
	}
}
