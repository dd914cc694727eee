package front

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// post takes one message or a batch.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request, x fault.Exchange) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case (err != nil || kind != "application/json") && !h.fault.Skips(fault.CheckContentType):
		h.refuse(w, x, http.StatusUnsupportedMediaType, "the body has to be application/json")
		return
	case !(accepts(r, "application/json") && accepts(r, "text/event-stream")) && !h.fault.Skips(fault.CheckAccept):
		h.refuse(w, x, http.StatusNotAcceptable, "the answer is JSON or an event stream, and both have to be acceptable")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		h.refuse(w, x, http.StatusRequestEntityTooLarge, "the body is too long")
		return
	}
	in := core.Inbound{
		Message:   envelope.Read(body, h.fault),
		Transport: requirements.HTTP,
		HTTP:      &core.HTTP{Method: r.Method, Header: r.Header, Caller: r.RemoteAddr},
		Principal: principal(r),
	}
	_, named := core.MetaVersion(in.Message)
	if in.HTTP.Modern = modernHeader(r); in.HTTP.Modern || named {
		h.postModern(w, r, in)
		return
	}
	h.postLegacy(w, r, x, in)
}

// postModern serves a message of the modern era.
func (h *HTTP) postModern(w http.ResponseWriter, r *http.Request, in core.Inbound) {
	in.HTTP.Modern = true
	if in.Kind == envelope.Request && in.Problem == nil {
		in.HTTP.Refuse = h.headerProblem(r, in)
	}
	if h.fault != nil && h.fault.HTTP.EchoSession {
		w.Header().Set(headerSession, "harbour")
	}
	ctx := r.Context()
	if h.fault.Skips(fault.CheckDisconnect) {
		ctx = context.WithoutCancel(ctx)
	}
	serving := h.core.Begin(ctx, &core.Conversation{Alone: true}, in)
	h.answer(w, r, &answering{serving: serving, stream: newStream("")}, func() {})
}

// postLegacy serves a message of a session, or the message that opens a session.
func (h *HTTP) postLegacy(w http.ResponseWriter, r *http.Request, x fault.Exchange, in core.Inbound) {
	x.Method, x.ID, x.Params = in.Method, in.ID, in.Params
	var s *session
	opens := in.Kind == envelope.Request && in.Method == "initialize" && r.Header.Get(headerSession) == ""
	switch named := requirements.Revision(r.Header.Get(headerVersion)); {
	case opens && named != "" && !named.Known() && !h.fault.Skips(fault.CheckVersionHeader):
		h.refuse(w, x, http.StatusBadRequest, "the version header names no revision that is served")
		return
	case h.habits().Sessionless:
		h.postAlone(w, r, x, in)
		return
	case opens:
		s = h.newSession()
		s.owner = in.Principal
	case in.Kind == envelope.Unreadable && r.Header.Get(headerSession) == "":
		// A text that is not a message is refused as such, whoever sends it.
		s = h.newSession()
	default:
		found, ok := h.session(w, r, x)
		if !ok {
			return
		}
		s = found
	}
	// A lost connection does not cancel a request of a session, so the work ends with
	// the session and not with the HTTP request.
	ctx, done := s.run(h.workContext(r.Context()))
	serving := h.core.Begin(ctx, s.conv, in)
	h.answer(w, r, &answering{serving: serving, stream: s.stream(), session: s, begins: opens}, done)
}

// answer serves a message and sends what comes of it: as an event stream when a message
// goes out before the answer, else as JSON. The work continues when the client leaves,
// unless its context says otherwise.
func (h *HTTP) answer(w http.ResponseWriter, r *http.Request, a *answering, done func()) {
	a.opened = make(chan struct{})
	if h.alwaysStreams(a) && a.session != nil {
		a.Open()
	}
	a.front = h
	finished := make(chan core.Outcome, 1)
	x := a.serving.Exchange()
	run := func() {
		defer done()
		outcome := a.serving.Run(a)
		if a.isOpen() {
			a.sendAnswer(outcome)
		}
		finished <- outcome
	}
	if a.serving.InOrder() {
		run() // it is short
	} else {
		go run()
	}
	select {
	case <-a.opened:
		h.follow(w, r, x, a.stream, a.stream.take(), 0)
	case outcome := <-finished:
		h.answerUnstreamed(w, r, a, outcome)
	}
}

// answerUnstreamed sends an answer for which no stream was opened.
func (h *HTTP) answerUnstreamed(w http.ResponseWriter, r *http.Request, a *answering, outcome core.Outcome) {
	x := a.serving.Exchange()
	switch {
	case a.isOpen(): // the work ended after it had opened a stream
		h.follow(w, r, x, a.stream, a.stream.take(), 0)
	case outcome.Hang:
		<-r.Context().Done()
	case outcome.Exits:
		panic(http.ErrAbortHandler) // net/http cuts the connection on this panic
	case outcome.Stopped, len(outcome.Messages) > 1 && !outcome.List, h.alwaysStreams(a) && outcome.Status == http.StatusOK:
		// No message is left, or, for a fault, more messages than a body can hold. At
		// revisions that give errors a status of their own, only outcomes with status
		// 200 are streams.
		a.Open()
		a.sendAnswer(outcome)
		h.follow(w, r, x, a.stream, a.stream.take(), 0)
	default:
		for _, message := range outcome.Messages {
			a.sendOnOtherStreams(message)
		}
		if a.begins && a.session.conv.Revision() != "" {
			h.begin(w, a.session)
		}
		h.json(w, x, outcome.Status, outcome.Messages, outcome.List)
	}
}

func (h *HTTP) alwaysStreams(a *answering) bool {
	return h.fault != nil && h.fault.HTTP.AlwaysStream && a.serving.IsRequest() && !a.begins
}

func (h *HTTP) begin(w http.ResponseWriter, s *session) {
	if oldest := h.sessions.keep(s); oldest != nil {
		h.core.Leave(oldest.conv)
		oldest.end()
	}
	w.Header().Set(headerSession, s.id)
}

// answering is the sink of a message served over HTTP.
type answering struct {
	serving *core.Serving
	stream  *stream
	session *session // nil for modern requests
	begins  bool     // the message begins the session
	front   *HTTP
	held    bool // a fault: a notification of the message waits for another stream

	once   sync.Once
	opened chan struct{}
}

func (a *answering) Open() {
	a.once.Do(func() {
		if a.session != nil {
			a.session.register(a.stream)
			if a.serving.Exchange().Revision == requirements.R20251125 {
				a.stream.prime()
			}
		}
		close(a.opened)
	})
}

func (a *answering) isOpen() bool {
	select {
	case <-a.opened:
		return true
	default:
		return false
	}
}

func (a *answering) Notify(_ fault.Exchange, m fault.Message) {
	if !a.sendOnOtherStreams(m) {
		return
	}
	a.Open()
	a.stream.add(string(core.Encode(m)))
}

// Leave closes the connection of the stream if the client can come back for the rest.
func (a *answering) Leave() {
	a.Open()
	if a.session != nil && a.serving.Exchange().Revision == requirements.R20251125 {
		a.stream.leave()
	}
}

// sendAnswer adds the answer itself and ends the stream.
func (a *answering) sendAnswer(outcome core.Outcome) {
	for _, message := range outcome.Messages {
		a.sendOnOtherStreams(message)
	}
	switch {
	case outcome.Hang:
		return
	case outcome.List:
		a.stream.add(string(core.EncodeList(outcome.Messages)))
	default:
		for _, message := range outcome.Messages {
			a.stream.add(string(core.Encode(message)))
		}
	}
	a.stream.finish()
}

// accepts says whether the client takes an answer of the type. A client without an
// Accept header takes any type.
func accepts(r *http.Request, kind string) bool {
	values := r.Header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	group, _, _ := strings.Cut(kind, "/")
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		offered, params, err := mime.ParseMediaType(part)
		if err == nil && params["q"] != "0" && (offered == kind || offered == group+"/*" || offered == "*/*") {
			return true
		}
	}
	return false
}

// principal is the bearer token of the request. The server is open to all and tells
// clients with a token apart by it.
func principal(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
