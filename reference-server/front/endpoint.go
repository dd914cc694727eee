package front

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/envelope"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// An endpoint is what both transports over HTTP have in common: which requests they
// admit, and how they send bytes as the fault wants them.
type endpoint struct {
	core  *core.Core
	fault *fault.Fault
	path  string
	hosts []string // names of the server besides the names of the loopback interface
}

// habits are the fault's changes to the transport; empty without a fault.
func (e *endpoint) habits() fault.HTTP {
	if e.fault == nil {
		return fault.HTTP{}
	}
	return e.fault.HTTP
}

// admits says whether a request comes to a name of this server and from a page of it.
// Otherwise admits refuses the request.
func (e *endpoint) admits(w http.ResponseWriter, r *http.Request, x fault.Exchange) bool {
	switch {
	case !e.knowsHost(r.Host) && !e.fault.Skips(fault.CheckHost):
		e.refuse(w, x, http.StatusForbidden, "the host is not served here")
	case !e.origins(r.Header.Values("Origin")) && !e.fault.Skips(fault.CheckOrigin):
		e.refuse(w, x, http.StatusForbidden, "the origin is not allowed")
	default:
		return true
	}
	return false
}

// knowsHost says whether the request names a host of this server. A web page would
// reach the server by a name of another site that resolves to this machine.
func (e *endpoint) knowsHost(host string) bool {
	name := host
	if split, _, err := net.SplitHostPort(host); err == nil {
		name = split
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") || slices.Contains(e.hosts, name) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

func (e *endpoint) origins(all []string) bool {
	for _, origin := range all {
		parsed, err := url.Parse(origin)
		web := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https")
		if !web || !e.knowsHost(parsed.Host) {
			return false
		}
	}
	return true
}

// head sends status and headers, as the fault wants them.
func (e *endpoint) head(w http.ResponseWriter, x fault.Exchange, status int) {
	if e.fault != nil && e.fault.HTTP.Head != nil {
		status = e.fault.HTTP.Head(x, status, w.Header())
	}
	w.WriteHeader(status)
}

// refuse refuses a request for its method, path or headers.
func (e *endpoint) refuse(w http.ResponseWriter, x fault.Exchange, status int, why string) {
	e.json(w, x, status, e.core.Refuse(x, &core.Error{Code: envelope.InvalidRequest, Message: why}), false)
}

// json answers with a JSON body: a list if list is set, else a single message. Further
// messages, which only a fault sends, do not fit into a body and are dropped.
func (e *endpoint) json(w http.ResponseWriter, x fault.Exchange, status int, messages []fault.Message, list bool) {
	var body []byte
	switch {
	case list:
		body = core.EncodeList(messages)
	case len(messages) > 0:
		body = core.Encode(messages[0])
	}
	if len(body) > 0 {
		w.Header().Set("Content-Type", "application/json")
		body = e.bytes(x, body)
	}
	e.head(w, x, status)
	_, _ = w.Write(body) // the client may be gone
}

func (e *endpoint) bytes(x fault.Exchange, text []byte) []byte {
	if e.fault != nil && e.fault.Bytes != nil {
		return e.fault.Bytes(x, text)
	}
	return text
}

// route asks the fault for the streams of a message, or, with nil, for the stream that
// a client gets.
func (e *endpoint) route(x fault.Exchange, m fault.Message, usual fault.Stream) []fault.Stream {
	if own := e.habits().Route; own != nil {
		if chosen := own(x, m); chosen != nil {
			return chosen
		}
	}
	return []fault.Stream{usual}
}
