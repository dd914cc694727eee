package front

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strings"

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
		HTTP:      &core.HTTP{Method: r.Method, Header: r.Header, Caller: r.RemoteAddr, Host: r.Host},
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
		in.HTTP.Refuse = modernHeaders{r.Header, h.core, h.fault}.problem(in)
	}
	if h.fault != nil && h.fault.HTTP.EchoSession {
		w.Header().Set(headerSession, "harbour")
	}
	ctx := r.Context()
	// A subscription that nobody ends would be served for ever.
	goesOn := h.fault.Skips(fault.CheckDisconnect) && in.Method != "subscriptions/listen"
	if goesOn || h.habits().MovesLost && in.Method == "tools/call" {
		ctx = context.WithoutCancel(ctx)
	}
	serving := h.core.Begin(ctx, &core.Conversation{Alone: true}, in)
	a := &answering{front: h, serving: serving, stream: newStream("")}
	defer h.confuse(a, r)()
	a.answer(w, r, func() {})
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
	a := &answering{front: h, serving: serving, stream: s.stream(), session: s, begins: opens}
	a.answer(w, r, done)
}

func (h *HTTP) begin(w http.ResponseWriter, s *session) {
	if oldest := h.sessions.keep(s); oldest != nil {
		h.core.Leave(oldest.conv)
		oldest.end()
	}
	w.Header().Set(headerSession, s.id)
}

// accepts says whether the client takes an answer of the type. A client without an
// Accept header takes any type.
func accepts(r *http.Request, kind string) bool {
	values := r.Header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	group, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
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
