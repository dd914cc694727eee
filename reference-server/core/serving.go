package core

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
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

// A Serving serves one message, for the transport that took the message in.
type Serving struct {
	Turn
	verdict fault.Verdict
	refused *Error
	ended   func(*Turn)
	members []*Serving // the messages of a batch
}

// Begin takes a message in: from here on the message can be cancelled and its id is in
// use. Begin is called in the order in which a conversation's messages came; each Serving
// is run once.
func (c *Core) Begin(ctx context.Context, conv *Conversation, in Inbound) *Serving {
	s := &Serving{Turn: Turn{received: received{core: c, conv: conv, in: in}}}
	s.outlet.turn, s.parting.of = &s.Turn, &s.Turn
	s.ctx, s.stop = context.WithCancel(ctx)
	if in.Kind == envelope.Request && in.Problem == nil {
		s.meta, s.refused = readMeta(conv, in, c.Fault)
	}
	s.x = s.exchange()
	if c.Fault != nil && c.Fault.Inbound != nil && in.Kind != envelope.Batch {
		s.verdict = c.Fault.Inbound(s.x)
	}
	switch in.Kind {
	case envelope.Request:
		s.claim()
	case envelope.Batch:
		s.beginMembers()
	default: // no other message claims an id
	}
	s.inOrder = s.comesInOrder()
	return s
}

func (s *Serving) claim() {
	switch {
	case s.in.HTTP != nil && s.in.HTTP.Refuse != nil:
		s.refused = s.in.HTTP.Refuse
	case s.in.Problem != nil:
		s.refused = refuse(s.in.Problem.Code, s.in.Problem.Text)
	}
	if s.conv.claim(&s.Turn) {
		s.ended = s.conv.release
		return
	}
	if !s.core.Fault.Skips(fault.CheckDuplicateID) {
		s.refused = refuse(envelope.InvalidRequest, "the id is that of a request still being served")
	}
}

func (s *Serving) comesInOrder() bool {
	switch {
	case s.core.Fault != nil && s.core.Fault.Serial:
		return true
	case s.verdict.Delay > 0:
		return false
	case s.in.Kind == envelope.Batch:
		return !slices.ContainsFunc(s.members, func(m *Serving) bool { return !m.inOrder })
	case s.in.Kind != envelope.Request || s.refused != nil:
		return true
	}
	return !s.core.methods[s.in.Method].slow
}

// InOrder says whether the message is served before the next message is started: because
// it changes what the next message may do, or because serving it is short.
func (s *Serving) InOrder() bool { return s.inOrder }

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
func (s *Serving) Run(sink Sink) Outcome {
	growStack()
	s.sink = sink
	defer s.end()
	if s.verdict.Delay > 0 {
		wait(s.ctx, s.verdict.Delay)
	}
	switch {
	case s.verdict.Hang:
		return Outcome{Hang: true}
	case s.verdict.Exits:
		return Outcome{Exits: true, Exit: s.verdict.Exit}
	case s.verdict.Instead:
		return Outcome{Messages: s.verdict.Answer, Status: http.StatusOK}
	}
	switch s.in.Kind {
	case envelope.Request:
		return s.answer()
	case envelope.Notification:
		out := s.serveNotification()
		if len(s.verdict.Answer) > 0 {
			out.Messages, out.Status = s.verdict.Answer, http.StatusOK
		}
		return out
	case envelope.Response:
		if !s.taken() && s.core.Fault.Skips(fault.CheckLateResponse) {
			late := s.errorWithoutID(refuse(envelope.InvalidRequest, "no request is open for this response"))
			return Outcome{Messages: []fault.Message{late.With("id", s.in.ID)}, Status: http.StatusOK}
		}
		return s.unanswerable(s.in.Problem)
	case envelope.Batch:
		return s.runMembers()
	default:
		return s.unreadable()
	}
}

// taken hands a response to the question that it answers.
func (s *Serving) taken() bool {
	conversations := []*Conversation{s.conv}
	if s.core.Fault.Skips(fault.CheckAnswererSession) {
		others, _ := s.core.hub.audience()
		conversations = append(conversations, others...)
	}
	return slices.ContainsFunc(conversations, func(one *Conversation) bool { return one.questions.take(s.in, s.core.Fault) })
}

func (s *Serving) end() {
	s.shut()
	if s.ended != nil {
		s.ended(&s.Turn)
	}
	s.stop()
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
func (s *Serving) answer() Outcome {
	result, failure := s.serve()
	if s.stopped.Load() {
		return Outcome{Stopped: true, Status: http.StatusOK}
	}
	message := fault.Message{"jsonrpc": "2.0", "id": s.in.ID}
	status := http.StatusOK
	if failure != nil {
		message["error"] = failure.object()
		status = httpStatus(failure, s.meta.modern)
	} else {
		message["result"] = map[string]any(s.finish(result))
	}
	out := Outcome{Messages: s.core.Fault.Outgoing(s.x, message), Status: status}
	out.Hang = len(out.Messages) == 0 && s.core.Fault.Hangs
	return out
}

// serve answers a request through the extensions.
func (s *Serving) serve() (fault.Message, *Error) {
	next := s.serveCore
	for _, extension := range s.core.Extensions {
		if around, inner := extension.Serve, next; around != nil {
			next = func() (fault.Message, *Error) { return around(&s.Turn, inner) }
		}
	}
	return next()
}

// serveCore answers a request or refuses it.
func (s *Serving) serveCore() (fault.Message, *Error) {
	if s.refused != nil {
		return nil, s.refused
	}
	f := s.core.Fault
	m, known := s.core.methods[s.in.Method]
	if known && s.meta.modern && !m.modern && !f.Skips(fault.CheckRemoved) {
		known = false
	}
	if known && !s.meta.modern && !m.legacy {
		known = false
	}
	switch {
	case !s.meta.modern && s.unopened() && !f.Skips(fault.CheckOpening):
		return nil, refuse(envelope.InvalidRequest, "the conversation begins with initialize")
	case !known && f.Skips(fault.CheckMethod):
		return fault.Message{}, nil
	case !known:
		return nil, refuse(MethodNotFound, "unknown method")
	}
	if failure := m.params(s.in.Param); failure != nil && !s.paramsPass() {
		return nil, failure
	}
	return m.serve(&s.Turn)
}

func (s *Serving) paramsPass() bool {
	if s.in.Method == "initialize" {
		return s.core.Fault.Skips(fault.CheckOpeningParams)
	}
	return s.core.Fault.Skips(fault.CheckParams)
}

func (s *Serving) unopened() bool {
	return s.conv.Revision() == "" && s.in.Method != "initialize" && s.in.Method != "ping"
}

func (e *Error) object() map[string]any {
	object := map[string]any{"code": e.Code, "message": e.Message}
	if e.Data != nil {
		object["data"] = e.Data
	}
	return object
}

// httpStatus maps an error to the HTTP status that the revision demands. Without a demand,
// a request that was understood is answered with 200.
func httpStatus(e *Error, modern bool) int {
	switch {
	case e.Code == envelope.InvalidRequest || e.Code == envelope.ParseError:
		return http.StatusBadRequest
	case !modern || e.Code == InternalError:
		return http.StatusOK
	case e.Code == MethodNotFound:
		return http.StatusNotFound
	default:
		return http.StatusBadRequest
	}
}
