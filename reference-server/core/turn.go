package core

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Sink takes the messages that a request sends before its answer.
type Sink interface {
	// Notify sends one message: a notification, or a request of the server.
	Notify(x fault.Exchange, m fault.Message)
	// Open commits to answering by a stream where the transport has the choice.
	Open()
}

// An Outcome is the result of serving a message.
type Outcome struct {
	Messages []fault.Message // to be sent in this order; often one, sometimes none
	List     bool            // Messages are sent as one JSON list
	Status   int             // the HTTP status
	Stopped  bool            // the client has cancelled; nothing may follow
	Hang     bool            // a fault: the message is never answered
	Exits    bool            // a fault: the process ends with Exit
	Exit     int
}

// A Turn is one message being served.
type Turn struct {
	core    *Core
	conv    *Conversation
	in      Inbound
	x       fault.Exchange
	meta    meta
	verdict fault.Verdict
	refused *Error
	refusal *Refusal // why the request fails, for clients with structured errors
	members []*Turn  // the messages of a batch

	ctx     context.Context
	stop    context.CancelFunc
	stopped atomic.Bool
	sink    Sink
	sending sync.Mutex // held while something is sent before the answer
	over    bool       // the answer is next; nothing may precede it any more
	ended   func(*Turn)
	keeping sync.Mutex
	kept    map[any]any // by extensions
	rounds  *rounds     // of the running tool; nil before its first question
}

// Begin takes a message in: from here on the message can be cancelled and its id is in
// use. Begin is called in the order in which a conversation's messages came; each Turn
// is run once.
func (c *Core) Begin(ctx context.Context, conv *Conversation, in Inbound) *Turn {
	t := &Turn{core: c, conv: conv, in: in}
	t.ctx, t.stop = context.WithCancel(ctx)
	if in.Kind == envelope.Request && in.Problem == nil {
		t.meta, t.refused = readMeta(conv, in, c.Fault)
	}
	t.x = t.exchange()
	if c.Fault != nil && c.Fault.Inbound != nil && in.Kind != envelope.Batch {
		t.verdict = c.Fault.Inbound(t.x)
	}
	switch in.Kind {
	case envelope.Request:
		t.claim()
	case envelope.Batch:
		t.beginMembers()
	default: // no other message claims an id
	}
	return t
}

func (t *Turn) claim() {
	switch {
	case t.in.HTTP != nil && t.in.HTTP.Refuse != nil:
		t.refused = t.in.HTTP.Refuse
	case t.in.Problem != nil:
		t.refused = refuse(t.in.Problem.Code, t.in.Problem.Text)
	}
	if t.conv.claim(t) {
		t.ended = t.conv.release
		return
	}
	if !t.core.Fault.Skips(fault.CheckDuplicateID) {
		t.refused = refuse(envelope.InvalidRequest, "the id is that of a request still being served")
	}
}

func (t *Turn) exchange() fault.Exchange {
	x := fault.Exchange{
		Revision:  t.conv.Revision(),
		Ready:     t.conv.isReady(),
		Transport: t.in.Transport,
		Method:    t.in.Method,
		ID:        t.in.ID,
		Params:    t.in.Params,
	}
	if t.meta.modern {
		x.Revision = requirements.R20260728
	}
	if t.in.HTTP != nil {
		x.HTTP, x.Header = t.in.HTTP.Method, http.Header(t.in.HTTP.Header)
	}
	if t.core.Fault != nil && t.in.HTTP != nil {
		if t.in.Method == "initialize" {
			t.core.greeted.Store(t.in.HTTP.Caller, true)
		}
		_, x.Greeted = t.core.greeted.Load(t.in.HTTP.Caller)
	}
	if t.core.Fault != nil && t.in.Method != "" {
		if t.conv.Alone {
			x.Nth = t.core.counts.next(t.in.Method)
		} else {
			x.Nth = t.conv.counts.next(t.in.Method)
		}
		x.Past = t.conv.remember(fault.Asked{Method: t.in.Method, ID: t.in.ID, Params: t.in.Params})
	}
	return x
}

// InOrder says whether the turn is run before the next message is started: because it
// changes what the next message may do, or because it is short.
func (t *Turn) InOrder() bool {
	switch {
	case t.core.Fault != nil && t.core.Fault.Serial:
		return true
	case t.verdict.Delay > 0:
		return false
	case t.in.Kind == envelope.Batch:
		return !slices.ContainsFunc(t.members, func(m *Turn) bool { return !m.InOrder() })
	case t.in.Kind != envelope.Request || t.refused != nil:
		return true
	}
	return !t.core.methods[t.in.Method].slow
}

// Exchange describes the message to hooks.
func (t *Turn) Exchange() fault.Exchange { return t.x }

// Modern says whether the message belongs to the era without a handshake.
func (t *Turn) Modern() bool { return t.meta.modern }

// Revision is the revision that binds this request.
func (t *Turn) Revision() requirements.Revision {
	if t.meta.modern {
		return requirements.R20260728
	}
	if r := t.conv.Revision(); r != "" {
		return r
	}
	return requirements.R20241105
}

// IsRequest says whether the message wants an answer.
func (t *Turn) IsRequest() bool { return t.in.Kind == envelope.Request }

// Cancel stops the work on the message. Nothing is sent for the message any more.
func (t *Turn) Cancel() {
	f := t.core.Fault
	if f.Skips(fault.CheckCancelled) {
		return
	}
	if !f.Skips(fault.CheckCancelSilent) {
		t.stopped.Store(true)
	}
	t.stop()
}

// growStack lets the stack of a goroutine grow at once to the size that most requests need.
// Otherwise the stack would double three times and be copied each time, which is a fifth
// of the cost of a short call.
//
//go:noinline
func growStack() {
	var room [12 << 10]byte
	runtime.KeepAlive(&room)
}

// Run serves the message.
func (t *Turn) Run(sink Sink) Outcome {
	growStack()
	t.sink = sink
	defer t.end()
	if t.verdict.Delay > 0 {
		wait(t.ctx, t.verdict.Delay)
	}
	switch {
	case t.verdict.Hang:
		return Outcome{Hang: true}
	case t.verdict.Exits:
		return Outcome{Exits: true, Exit: t.verdict.Exit}
	case t.verdict.Instead:
		return Outcome{Messages: t.verdict.Answer, Status: http.StatusOK}
	}
	switch t.in.Kind {
	case envelope.Request:
		return t.answer()
	case envelope.Notification:
		return t.serveNotification()
	case envelope.Response:
		t.conv.questions.take(t.in)
		return t.unanswerable(t.in.Problem)
	case envelope.Batch:
		return t.runMembers()
	default:
		return t.unreadable()
	}
}

func (t *Turn) end() {
	t.sending.Lock()
	t.over = true
	t.sending.Unlock()
	if t.ended != nil {
		t.ended(t)
	}
	t.stop()
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answer serves a request and hands its answer to the fault.
func (t *Turn) answer() Outcome {
	result, failure := t.serve()
	if t.stopped.Load() {
		return Outcome{Stopped: true, Status: http.StatusOK}
	}
	message := fault.Message{"jsonrpc": "2.0", "id": t.in.ID}
	status := http.StatusOK
	if failure != nil {
		message["error"] = failure.object()
		status = t.status(failure)
	} else {
		message["result"] = map[string]any(t.finish(result))
	}
	return Outcome{Messages: t.core.Fault.Outgoing(t.x, message), Status: status}
}

// serve answers a request through the extensions.
func (t *Turn) serve() (fault.Message, *Error) {
	next := t.serveCore
	for _, extension := range t.core.Extensions {
		if around, inner := extension.Serve, next; around != nil {
			next = func() (fault.Message, *Error) { return around(t, inner) }
		}
	}
	return next()
}

// serveCore answers a request or refuses it.
func (t *Turn) serveCore() (fault.Message, *Error) {
	if t.refused != nil {
		return nil, t.refused
	}
	f := t.core.Fault
	m, known := t.core.methods[t.in.Method]
	if known && t.meta.modern && !m.modern && !f.Skips(fault.CheckRemoved) {
		known = false
	}
	if known && !t.meta.modern && !m.legacy {
		known = false
	}
	switch {
	case !t.meta.modern && t.unopened() && !f.Skips(fault.CheckOpening):
		return nil, refuse(envelope.InvalidRequest, "the conversation begins with initialize")
	case !known && f.Skips(fault.CheckMethod):
		return fault.Message{}, nil
	case !known:
		return nil, refuse(MethodNotFound, "unknown method")
	}
	if failure := m.params(t.in.Param); failure != nil && !t.paramsPass() {
		return nil, failure
	}
	return m.serve(t)
}

func (t *Turn) paramsPass() bool {
	if t.in.Method == "initialize" {
		return t.core.Fault.Skips(fault.CheckOpeningParams)
	}
	return t.core.Fault.Skips(fault.CheckParams)
}

func (t *Turn) unopened() bool {
	return t.conv.Revision() == "" && t.in.Method != "initialize" && t.in.Method != "ping"
}

func (e *Error) object() map[string]any {
	object := map[string]any{"code": e.Code, "message": e.Message}
	if e.Data != nil {
		object["data"] = e.Data
	}
	return object
}

// status maps an error to the HTTP status that the revision demands. Without a demand,
// a request that was understood is answered with 200.
func (t *Turn) status(e *Error) int {
	switch {
	case e.Code == envelope.InvalidRequest || e.Code == envelope.ParseError:
		return http.StatusBadRequest
	case !t.meta.modern || e.Code == InternalError:
		return http.StatusOK
	case e.Code == MethodNotFound:
		return http.StatusNotFound
	default:
		return http.StatusBadRequest
	}
}
