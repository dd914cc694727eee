package probe

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Access is how a server over HTTP meets whoever shows no credentials, as
// discovery saw it.
type Access struct {
	// Asked is the answer to a good request without credentials: the first one that
	// was refused, or the last one where all were served.
	Asked *Reply
	// Locked: nobody has credentials for this server, so that it serves nothing.
	Locked bool
	// Resource are the documents of protected resource metadata that were looked for,
	// in the order in which clients look for them.
	Resource []Metadata
	// Server are those of authorization server metadata at the host of the endpoint:
	// first the one at its root.
	Server []Metadata
}

// Metadata is a document that describes an access, or what came instead of it.
type Metadata struct {
	At     string // its address
	Named  bool   // by the server itself, in a challenge
	Object Object // nil where there is none
	Document
}

// Refused reports whether whoever shows no credentials is turned away.
func (a *Access) Refused() bool { return a != nil && a.Asked.Refused() }

// Found gives the documents that are there.
func Found(of []Metadata) []Metadata {
	return slices.DeleteFunc(slices.Clone(of), func(m Metadata) bool { return m.Object == nil })
}

// ReadMetadata makes out whether a document is a JSON object.
func ReadMetadata(at string, named bool, d Document) Metadata {
	m := Metadata{At: at, Named: named, Document: d}
	if d.Status == http.StatusOK && d.Whole {
		object, _ := frame.Read(d.Body).Value.(map[string]any)
		m.Object = object
	}
	return m
}

// Anonymous sends one request without the credentials of any principal.
func Anonymous() Option {
	return func(s *sending) { s.anonymous = true }
}

// ShowingToken is Anonymous with a bearer token of the case's own.
func ShowingToken(token string) Option {
	return func(s *sending) {
		s.anonymous = true
		WithHeader(http.Header{"Authorization": {strings.TrimRight("Bearer "+token, " ")}})(s)
	}
}

// WithQuery puts a query behind the URL of the endpoint for one request.
func WithQuery(query string) Option { return To("?" + query) }

// nobody is the headers that take away whatever the first principal shows of itself.
func (c *conversation) nobody() http.Header {
	h := http.Header{"Authorization": nil}
	for name := range c.credentials("first") {
		h[http.CanonicalHeaderKey(name)] = nil
	}
	return h
}

// Token is the bearer token of a principal: its token, or what stands behind the
// scheme in its Authorization header.
func (c *conversation) Token(principal string) (string, bool) {
	scheme, token, _ := strings.Cut(c.credentials(principal).Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// Mint gets a token for a scope and a resource from principals.token-command.
func (c *Client) Mint(scope, resource string) string {
	if c.setup.Mint == nil {
		c.Undecide("principals.token-command is not set")
	}
	token, err := c.setup.Mint(c.live(), scope, resource)
	if err != nil {
		c.live()
		c.Undecide("principals.token-command: " + err.Error())
	}
	return token
}

// Hide keeps a text out of all reports, such as a token that was made from another.
func (c *conversation) Hide(text string) {
	if c.setup.Hide != nil && text != "" {
		c.setup.Hide(text)
	}
}

// Endpoint is the URL of the server over HTTP.
func (c *conversation) Endpoint() string { return c.setup.Documents.Endpoint }

// Near reports whether the kit may ask an address: it is at the host of the target,
// or both are on loopback, or the operator allows other hosts.
func (c *conversation) Near(at string) bool {
	near := c.setup.Documents.Near
	return near != nil && near(at)
}

// Visit makes a plain HTTP request that shows no credentials, to an address that is
// Near; it asks for no other. Redirects are not followed.
func (c *Client) Visit(v Visit) Document {
	if v.Within == 0 {
		v.Within = c.setup.Waits.Answer
	}
	if !c.Near(v.At) {
		c.Undecide("the kit does not contact " + v.At + ", which is at another host; set external: true to allow it")
	}
	d, err := c.setup.Documents.Visit(c.live(), v)
	c.must(err)
	return d
}

// A Visit is a request beside the protocol.
type Visit struct {
	Method string // empty: GET
	At     string
	Header http.Header
	Body   string
	Within time.Duration // how long the answer is awaited; 0: as long as any answer
}

// Knock says the opening of a conversation without any credentials, and where that is
// served to everybody a list request. The client must be a new one. The answer is to
// the first request that was refused, or to the last one.
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
	if c.setup.Survey.Access.opened() {
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
		c.awaited(mark, how.patience, ends(exchange))
	}
	return c.Ask(c.Compose(listing, nil), options...)
}

// listing is what is asked for where the opening is served to everybody.
const listing = "tools/list"

// opened reports whether it is known that the opening itself is refused.
func (a *Access) opened() bool { return a != nil && a.Asked.Refused() && a.Asked.Method != listing }

// Greet knocks once more on another connection, with a token of the case's own or with
// none, up to the request that is not served to everybody.
func (c *Client) Greet(options ...Option) *Reply { return c.Another().Knock(options...) }

// merged lays one header over another.
func merged(below, above http.Header) http.Header {
	h := below.Clone()
	maps.Copy(h, above)
	return h
}
