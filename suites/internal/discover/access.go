package discover

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// Where metadata is found at a host; the path of the endpoint may follow.
const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
)

// Access learns how the server meets whoever shows no credentials. A server that
// serves everybody is asked for nothing more.
func (l Look) Access(ctx context.Context, r requirements.Revision, s *probe.Survey) error {
	k, err := l.begin(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close(context.WithoutCancel(ctx)) }()
	return k.Run(ctx, func(c *probe.Client) error {
		asked := c.Knock()
		s.Access = &probe.Access{Asked: asked}
		if !s.Access.Refused() || busy(asked.Status()) {
			return nil
		}
		s.Traits[probe.Guarded] = true
		if err := visit(c, s.Access); err != nil {
			return err
		}
		if framework(s.Access) {
			s.Traits[probe.AuthorizationFramework] = true
		}
		return nil
	})
}

// busy reports whether a status says nothing of who asked.
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// Closed is the survey of a server that lets nobody in.
func (l Look) Closed(ctx context.Context, r requirements.Revision) (*probe.Survey, error) {
	s := &probe.Survey{
		Lists: map[string][]any{}, Whole: map[string]bool{}, Traits: map[probe.Trait]bool{}, Claims: map[string]probe.Claim{},
	}
	err := l.Access(ctx, r, s)
	if s.Access != nil {
		s.Access.Locked = true
	}
	return s, err
}

// Behind guesses at which revision a server is judged that lets nobody in: the newest
// with a handshake, or the one in which servers authorize by themselves.
func (l Look) Behind(ctx context.Context) (requirements.Revision, error) {
	s, err := l.Closed(ctx, newest())
	if err != nil {
		return "", err
	}
	if a := s.Access; s.Traits[probe.AuthorizationFramework] && !resource(a) {
		return requirements.R20250326, nil
	}
	return newest(), nil
}

// framework reports whether a server turns clients away as the authorization pages
// have it: it points to metadata, or publishes some. A challenge alone is also what a
// server has that is guarded by a fixed secret.
func framework(a *probe.Access) bool {
	_, bearer := probe.Bearer(a.Asked.Challenges())
	return resource(a) || bearer && len(probe.Found(a.Server)) > 0
}

func resource(a *probe.Access) bool {
	challenge, _ := probe.Bearer(a.Asked.Challenges())
	return challenge.Params["resource_metadata"] != "" || len(probe.Found(a.Resource)) > 0
}

// visit looks for metadata where clients look for it.
func visit(c *probe.Client, a *probe.Access) error {
	at, err := url.Parse(c.Endpoint())
	if err != nil {
		return err
	}
	if challenge, _ := probe.Bearer(a.Asked.Challenges()); challenge.Params["resource_metadata"] != "" {
		take(c, &a.Resource, challenge.Params["resource_metadata"], true)
	}
	for _, place := range places(at, wellKnownResource) {
		take(c, &a.Resource, place, false)
	}
	for _, place := range []string{origin(at) + wellKnownServer, origin(at) + wellKnownServer + tail(at)} {
		take(c, &a.Server, place, false)
	}
	return nil
}

// take visits an address once.
func take(c *probe.Client, into *[]probe.Metadata, at string, named bool) {
	for i := range *into {
		if (*into)[i].At == at {
			return
		}
	}
	if !c.Near(at) {
		if named {
			*into = append(*into, probe.Metadata{At: at, Named: true})
		}
		return
	}
	d := c.Visit(probe.Visit{At: at})
	// A server may move it by a slash, or to another path.
	if to, moved := moves(at, d); moved && c.Near(to) {
		behind := c.Visit(probe.Visit{At: to})
		behind.Frames = append(d.Frames, behind.Frames...)
		d = behind
	}
	*into = append(*into, probe.ReadMetadata(at, named, d))
}

// moves is where a redirect leads.
func moves(at string, d probe.Document) (to string, moved bool) {
	if d.Status < 300 || d.Status >= 400 || d.Header.Get("Location") == "" {
		return "", false
	}
	base, err := url.Parse(at)
	if err != nil {
		return "", false
	}
	target, err := base.Parse(d.Header.Get("Location"))
	if err != nil {
		return "", false
	}
	return target.String(), true
}

// places are where a document may be: with the path of the endpoint behind it, and
// without.
func places(at *url.URL, document string) []string {
	return []string{origin(at) + document + tail(at), origin(at) + document}
}

func origin(at *url.URL) string { return at.Scheme + "://" + at.Host }

func tail(at *url.URL) string { return strings.TrimSuffix(at.EscapedPath(), "/") }
