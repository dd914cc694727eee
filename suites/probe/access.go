package probe

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// Access says how a server over HTTP treats a client without credentials, as
// discovery saw it.
type Access struct {
	// Asked is the answer to a good request without credentials: the first
	// refusal, or the last answer where the server refused none.
	Asked *Reply
	// Locked: the configuration has no credentials for this server, so the server
	// serves nothing.
	Locked bool
	// Resource are the documents of protected resource metadata, in the order in
	// which clients look for them.
	Resource []Metadata
	// Server are the documents of authorization server metadata at the host of the
	// endpoint, the one at its root first.
	Server []Metadata
}

// Metadata is a document that describes an access, or the answer that came instead.
type Metadata struct {
	At     string // its address
	Named  bool   // the server named the address in a challenge
	Object Object // nil where the answer holds no object
	Document
}

// Refused reports whether the server turns away a client without credentials.
func (a *Access) Refused() bool { return a != nil && a.Asked.Refused() }

// Found returns the documents that exist.
func Found(of []Metadata) []Metadata {
	return slices.DeleteFunc(slices.Clone(of), func(m Metadata) bool { return m.Object == nil })
}

// ReadMetadata reads a document as a JSON object where it is one.
func ReadMetadata(at string, named bool, d Document) Metadata {
	m := Metadata{At: at, Named: named, Document: d}
	if d.Status == http.StatusOK && d.Whole {
		m.Object = ObjectOf(frame.Read(d.Body).Value)
	}
	return m
}

// Anonymous sends one request without the credentials of any principal.
func Anonymous() Option {
	return func(s *sending) { s.anonymous = true }
}

// ShowingToken is Anonymous with a bearer token that the case chooses.
func ShowingToken(token string) Option {
	return func(s *sending) {
		s.anonymous = true
		WithHeader(http.Header{"Authorization": {strings.TrimRight("Bearer "+token, " ")}})(s)
	}
}

// WithQuery appends a query to the URL of the endpoint for one request.
func WithQuery(query string) Option { return To("?" + query) }

// A Visit is an HTTP request outside the protocol.
type Visit struct {
	Method string // empty: GET
	At     string
	Header http.Header
	Body   string
	Within time.Duration // how long the client waits for the answer; 0: as long as for any answer
}

// Knock sends the opening of a conversation without credentials, and a list request
// where the server serves the opening to everybody and declares a list. The client must
// be a new one. Knock returns the answer to the first refused request, or the last answer.
func (c *Client) Knock(options ...Option) *Reply {
	options = append([]Option{Anonymous(), Patient()}, options...)
	text := c.Compose("server/discover", nil)
	if !c.setup.Revision.Modern() {
		text = RequestText(c.nextID(), "initialize", c.InitializeParams(c.setup.Revision))
	}
	opening := c.Ask(text, options...)
	if opening.Refused() || !opening.Answered() {
		return opening
	}
	c.Adopt(opening) // so that its session is ended
	list := listedBy(opening)
	if c.setup.Survey.Access.OpeningRefused() || list == "" {
		return opening
	}
	if !c.setup.Revision.Modern() {
		how := c.sending(c.setup.Waits.Answer, options)
		mark := c.Mark()
		exchange, err := c.post(c.live(), NotificationText("notifications/initialized", nil), how)
		if err != nil {
			c.live()
			return opening
		}
		c.awaited(mark, within(how.patience), ends(exchange))
	}
	return c.Ask(c.Compose(list, nil), options...)
}

// listedBy is the list that Knock asks for: tools, which are guarded most often, or
// another list that the answer to the opening declares.
func listedBy(opening *Reply) string {
	for _, l := range []protocol.List{protocol.Tools(), protocol.Resources(), protocol.Prompts()} {
		if declared, _ := opening.At("/result/capabilities/" + l.Capability); present(declared) {
			return l.Method
		}
	}
	return ""
}

// OpeningRefused reports whether the server refuses the opening itself, and not only
// requests after it.
func (a *Access) OpeningRefused() bool {
	return a.Refused() && (a.Asked.Method == "initialize" || a.Asked.Method == "server/discover")
}

// Greet knocks on another connection, with a token that the case chooses or with none,
// up to the first request that the server does not serve to everybody.
func (c *Client) Greet(options ...Option) *Reply { return c.Another().Knock(options...) }

// merged copies a header and replaces what another header names.
func merged(below, above http.Header) http.Header {
	h := below.Clone()
	maps.Copy(h, above)
	return h
}
