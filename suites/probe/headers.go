package probe

import (
	"maps"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// The headers of a client over HTTP say what a message is, to which session it
// belongs, and whose credentials the client shows.
type headers struct {
	column *column
	ledger *ledger
	kept   *cache
}

// outgoing is a request over HTTP with the headers of a good client, changed as
// the options say.
func (h *headers) outgoing(text string, how sending) Outgoing {
	out := Outgoing{Text: text, Header: h.headersFor(text), URL: how.url, Bend: how.bend}
	if how.url != "" {
		out.Header.Del(protocol.HeaderSession) // other transports have no such header
	}
	for name, values := range how.header {
		out.Header[http.CanonicalHeaderKey(name)] = values
	}
	return out
}

// headersFor are the headers of a good client for a message of this kind.
func (h *headers) headersFor(text string) http.Header {
	header := http.Header{}
	var m frame.Message
	tells := protocol.RequestHeaders().At(h.column.setup.Revision)
	if tells || strings.Contains(text, "initialize") {
		m = h.ledger.reading(text)
	}
	session, agreed := h.column.agreement()
	if m.Method == "initialize" {
		return header
	}
	if session != "" {
		header.Set(protocol.HeaderSession, session)
	}
	if !tells {
		if protocol.VersionHeader().At(agreed) {
			header.Set(protocol.HeaderVersion, string(agreed))
		}
		return header
	}
	version, _ := m.At("/params/_meta/" + frame.Escape(protocol.MetaVersion))
	v, ok := version.(string)
	if !ok {
		v = string(h.column.setup.Revision)
	}
	header.Set(protocol.HeaderVersion, v)
	if m.Method != "" {
		header.Set(protocol.HeaderMethod, headerText(m.Method))
	}
	if method, _ := protocol.MethodOf(protocol.Client, m.Method); method.Named != "" {
		if name, ok := member(m, method.Named).(string); ok {
			header.Set(protocol.HeaderName, headerText(name))
		}
	}
	if m.Method == "tools/call" {
		h.mirror(header, m)
	}
	return header
}

// Identified reports whether the configuration has credentials that a principal can
// show over HTTP; the principals are "first", "second", "limited" and "foreign".
func (h *headers) Identified(principal string) bool {
	return len(h.credentials(principal)) > 0
}

// identity returns the headers that identify a principal. They replace the
// first principal's.
func (h *headers) identity(principal string) (http.Header, bool) {
	shown := h.credentials(principal)
	header := http.Header{}
	for name := range h.credentials("first") {
		header[name] = nil
	}
	maps.Copy(header, shown)
	return header, len(shown) > 0
}

// withoutCredentials returns the headers that remove the credentials of the first principal.
func (h *headers) withoutCredentials() http.Header {
	header := http.Header{"Authorization": nil}
	for name := range h.credentials("first") {
		header[http.CanonicalHeaderKey(name)] = nil
	}
	return header
}

func (h *headers) credentials(principal string) http.Header {
	filled, _ := h.column.setup.Roles.Role(roles.Principals)
	given := filled.Fields.At(principal)
	shown := http.Header{}
	if token := given.Text("token"); token != "" {
		shown.Set("Authorization", "Bearer "+token)
	}
	for name, value := range given.Map("headers") {
		shown.Set(name, value)
	}
	return shown
}

// Token is the bearer token of a principal: its token, or the text after the
// scheme in its Authorization header.
func (h *headers) Token(principal string) (string, bool) {
	scheme, token, _ := strings.Cut(h.credentials(principal).Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}
