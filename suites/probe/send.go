package probe

import (
	"errors"
	"maps"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A composer writes what a good client says.
type composer struct {
	column   *column
	ledger   *ledger
	declares Object // the client's capabilities, where they differ from the setup's
}

// Compose returns the bytes that a good client of this revision would send,
// with a fresh id, for a case to change.
func (c *composer) Compose(method string, params Object) string {
	return RequestText(c.ledger.nextID(), method, c.Params(params))
}

// Params are the params as a good client of this revision sends them: from
// 2026-07-28 on with the metadata of each request.
func (c *composer) Params(params Object) Object {
	meta := c.meta()
	if meta == nil {
		return params
	}
	if given, ok := params["_meta"].(Object); ok {
		maps.Copy(meta, given)
	}
	return params.With("_meta", meta)
}

// meta is the metadata that this revision demands in each request; nil where it
// demands none.
func (c *composer) meta() Object {
	if !protocol.RequestMeta().At(c.column.setup.Revision) {
		return nil
	}
	return Object{
		protocol.MetaVersion:      string(c.column.setup.Revision),
		protocol.MetaClientInfo:   c.column.setup.Kit,
		protocol.MetaCapabilities: c.Capabilities(),
	}
}

// InitializeParams are the params of a good handshake at a revision.
func (c *composer) InitializeParams(r requirements.Revision) Object {
	return Object{"protocolVersion": string(r), "capabilities": c.Capabilities(), "clientInfo": c.column.setup.Kit}
}

// Capabilities are the capabilities that this client declares.
func (c *composer) Capabilities() Object {
	if c.declares != nil {
		return c.declares
	}
	return c.column.setup.Capabilities
}

// A caller asks the server, and waits for what the server makes of it.
type caller struct {
	listener
	composer
	environment
}

// Send writes one frame byte for byte. It adds, checks and repairs nothing;
// over HTTP the frame gets the headers that fit its bytes. Later frames show a
// server that takes nothing any more.
func (c *caller) Send(text string) {
	_, err := c.post(c.live(), text, sending{})
	unsent(c, err)
}

// Notify sends a well-formed notification.
func (c *caller) Notify(method string, params Object) {
	_, err := c.postWell(c.live(), NotificationText(method, params), sending{})
	unsent(c, err)
}

// unsent ends the case where the error of a frame that was to be sent says that the run was
// cut short, or that the server is a recording without such a frame. The connection's last
// frame tells any other error better.
func unsent(c *caller, err error) {
	if err == nil {
		return
	}
	c.live()
	if missing, ok := errors.AsType[*frame.Unrecorded](err); ok {
		c.Undecide(missing.Error())
	}
}

// Ask sends one frame byte for byte and waits for the reaction: the answer to
// its id, an answer without a readable id, the end of its HTTP exchange or of
// the connection.
func (c *caller) Ask(text string, options ...Option) *Reply {
	how := c.sending(c.setup.Waits.Event, options)
	how.limited = how.limited || !how.patient
	return c.start(text, how, false).Reply()
}

// Call sends a well-formed request and waits for its answer. Silence and a
// crash are answers too.
func (c *caller) Call(method string, params Object, options ...Option) *Reply {
	return c.Start(method, params, options...).Reply()
}

// First sends the request that begins a conversation of the era, and adopts the
// agreement of the answer. Under an id that the case chooses, the id 1 stays
// unused: a server may take it for "1".
func (c *opener) First(options ...Option) *Reply {
	options = append([]Option{WithID(c.nextID())}, options...)
	method := protocol.Opening().At(c.setup.Revision)
	if method != "initialize" {
		return c.Call(method, nil, options...)
	}
	reply := c.Call(method, c.InitializeParams(c.setup.Revision), options...)
	c.Adopt(reply)
	return reply
}

// Barrier sends a request that every server answers: its answer proves that the
// server dealt with the frames sent before.
func (c *caller) Barrier() *Reply {
	began := time.Now()
	reply := c.Call(c.barrier(), nil)
	passed(c, reply, time.Since(began)-away(reply))
	return reply
}

// Barriers are three barriers, for what a server may say behind the answers to later requests. They
// are sent at once to a server that lets its clients come back for answers, and wants them to stay
// away for long: each would take that long, and the time passes all the same.
func Barriers(c *Client) (answers [3]*Reply) {
	const long = 200 * time.Millisecond
	if s := c.setup.Survey; s == nil || s.Away < long {
		for i := range answers {
			answers[i] = c.Barrier()
		}
		return answers
	}
	began, sent := time.Now(), [len(answers)]*Pending{}
	for i := range sent {
		sent[i] = c.Start(c.barrier(), nil)
	}
	for i, each := range sent {
		answers[i] = each.Reply()
		passed(c.caller, answers[i], time.Since(began)-away(answers[i]))
	}
	return answers
}

// passed learns from the answer to a barrier.
func passed(c *caller, reply *Reply, took time.Duration) {
	c.mute.Store(!reply.Answered())
	slow := took > time.Second && !c.setup.Patience.slow()
	if (reply.Silent() || slow) && reply.Method == protocol.Harmless().At(c.setup.Revision) {
		c.harmful.Store(true)
	}
}

// barrier is the method of a request that the server answers: the harmless one, or another
// where that one has got no answer.
func (c *caller) barrier() string {
	harmless := protocol.Harmless().At(c.setup.Revision)
	if c.harmful.Load() || c.setup.Patience.leaves(harmless) {
		return c.PlainMethod()
	}
	return harmless
}
