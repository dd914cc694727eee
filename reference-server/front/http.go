package front

import (
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The headers of the transport.
const (
	headerVersion   = "Mcp-Protocol-Version"
	headerSession   = "Mcp-Session-Id"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerParam     = "Mcp-Param-"
	headerLastEvent = "Last-Event-Id"
)

// HTTP serves any number of clients over Streamable HTTP at one path.
type HTTP struct {
	endpoint
	sessions      sessions
	sessionsBegun atomic.Int64 // sessions, for faults that count them
	beside        besides
}

// NewHTTP returns the handler for path. The hosts are the names of the server besides
// the names of the loopback interface.
func NewHTTP(c *core.Core, f *fault.Fault, path string, hosts []string) *HTTP {
	return &HTTP{endpoint: endpoint{core: c, fault: f, path: path, hosts: hosts}}
}

func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.fault != nil && h.fault.HTTP.Serve != nil && h.fault.HTTP.Serve(w, r) {
		return
	}
	x := exchange(r)
	switch {
	case r.URL.Path != h.path:
		h.head(w, x, http.StatusNotFound)
	case !h.admits(w, r, x): // refused
	case r.Method == http.MethodPost:
		h.post(w, r, x)
	case r.Method == http.MethodGet && !modernHeader(r) && !h.habits().Sessionless:
		h.get(w, r, x)
	case r.Method == http.MethodDelete && !modernHeader(r) && !h.habits().Sessionless:
		h.delete(w, r, x)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE")
		if modernHeader(r) {
			w.Header().Set("Allow", "POST")
		}
		h.head(w, x, http.StatusMethodNotAllowed)
	}
}

func exchange(r *http.Request) fault.Exchange {
	x := fault.Exchange{Transport: requirements.HTTP, HTTP: r.Method, Header: r.Header}
	if revision := requirements.Revision(r.Header.Get(headerVersion)); revision.Known() {
		x.Revision = revision
	}
	return x
}

func modernHeader(r *http.Request) bool {
	return requirements.Revision(strings.TrimSpace(r.Header.Get(headerVersion))).Modern()
}

// get opens or resumes the stream for messages that belong to no request.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request, x fault.Exchange) {
	s, ok := h.session(w, r, x)
	if !ok {
		return
	}
	x.Revision = s.conv.Revision()
	if !accepts(r, "text/event-stream") && !h.fault.Skips(fault.CheckAccept) {
		h.refuse(w, x, http.StatusNotAcceptable, "the answer would be an event stream")
		return
	}
	last := r.Header.Get(headerLastEvent)
	if last == "" {
		reader, after := h.standingReader(s, x)
		h.follow(w, r, x, s.standing, reader, after)
		return
	}
	stream, after, ok := h.resumed(s, x, last)
	if !ok {
		h.refuse(w, x, http.StatusBadRequest, "the event is not known here")
		return
	}
	h.follow(w, r, x, stream, stream.take(), after)
}

func (h *HTTP) delete(w http.ResponseWriter, r *http.Request, x fault.Exchange) {
	s, ok := h.session(w, r, x)
	if !ok {
		return
	}
	h.sessions.end(s)
	h.core.Leave(s.conv)
	for h.habits().EndsAll {
		other := h.sessions.any()
		if other == nil {
			break
		}
		h.sessions.end(other)
		h.core.Leave(other.conv)
	}
	h.head(w, x, http.StatusNoContent)
}

// session finds the session of a request of the handshake era. Without one, session
// answers the request itself.
func (h *HTTP) session(w http.ResponseWriter, r *http.Request, x fault.Exchange) (*session, bool) {
	id := r.Header.Get(headerSession)
	s, known := h.sessions.find(id)
	switch {
	case id == "" && h.fault.Skips(fault.CheckSessionPresent), !known && h.fault.Skips(fault.CheckSessionKnown),
		strings.Contains(id, "-") && h.fault.Skips(fault.CheckSessionIssued): // no id of this server has a hyphen
		s = h.newSession()
		s.conv.Assume(requirements.R20250326)
	case id == "":
		h.refuse(w, x, http.StatusBadRequest, "the session id is missing")
		return nil, false
	case !known:
		h.refuse(w, x, http.StatusNotFound, "there is no such session")
		return nil, false
	}
	if s.owner != principal(r) && !h.fault.Skips(fault.CheckSessionOwner) && !h.skipsOwner(r.Method) {
		h.refuse(w, x, http.StatusForbidden, "the session is somebody else's")
		return nil, false
	}
	if problem := h.versionProblem(r, s.conv.Revision()); problem != "" {
		h.refuse(w, x, http.StatusBadRequest, problem)
		return nil, false
	}
	return s, true
}

// skipsOwner reports whether a fault lets everybody use the method of HTTP with a session.
func (h *HTTP) skipsOwner(method string) bool {
	return method == http.MethodGet && h.fault.Skips(fault.CheckStreamOwner) ||
		method == http.MethodDelete && h.fault.Skips(fault.CheckEndOwner)
}

// versionProblem judges the version header of a request in a session. Up to
// 2025-03-26 there is no such header.
func (h *HTTP) versionProblem(r *http.Request, agreed requirements.Revision) string {
	values := r.Header.Values(headerVersion)
	if len(values) == 0 || agreed.Before(requirements.R20250618) || h.fault.Skips(fault.CheckVersionHeader) {
		return ""
	}
	if len(values) > 1 || values[0] != string(agreed) {
		return "the version header does not name the revision of the session"
	}
	return ""
}
