package discover

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The paths of metadata on a host; the path of the endpoint may follow.
const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
)

// Access learns how the server answers a request without credentials. If the server
// serves such requests, Access asks nothing more.
func (l Look) Access(ctx context.Context, r requirements.Revision, s *probe.Survey) error {
	asked, err := l.knock(ctx, r, "")
	if err != nil {
		return err
	}
	s.Access = &probe.Access{Asked: asked}
	if asked.Status()/100 == 3 && asked.Header("Location") != "" {
		s.Traits[probe.Guarded] = true // clients with credentials are served, and others are led to a login page
		return nil
	}
	if !asked.Refused() || busy(asked.Status()) {
		return nil
	}
	s.Traits[probe.Guarded] = true
	if err := visit(ctx, l.Setup.Documents, l.Visited, s.Access); err != nil {
		return err
	}
	if l.framework(s.Access) {
		s.Traits[probe.AuthorizationFramework] = true
	}
	return nil
}

// busy reports whether a status does not depend on credentials.
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// Closed is the survey of a server that refuses every request without credentials.
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

// Behind guesses the revision of a server that refuses every request without credentials:
// the newest revision with a handshake, or, if the server is its own authorization server,
// 2025-03-26.
func (l Look) Behind(ctx context.Context) (requirements.Revision, error) {
	s, err := l.Closed(ctx, newest())
	if err != nil {
		return "", err
	}
	if a := s.Access; s.Traits[probe.AuthorizationFramework] && !l.resource(a) {
		return requirements.R20250326, nil
	}
	return newest(), nil
}

// framework reports whether the server refuses clients as the authorization pages
// describe: the server points to metadata, or publishes metadata. A challenge alone does
// not show that: a server with a fixed secret sends one, too.
func (l Look) framework(a *probe.Access) bool {
	_, bearer := probe.Bearer(a.Asked.Challenges())
	return l.resource(a) || bearer && len(probe.Found(a.Server)) > 0
}

// resource reports whether the server has protected resource metadata.
func (l Look) resource(a *probe.Access) bool {
	challenge, _ := probe.Naming(a.Asked.Challenges())
	_, described := a.Described(l.Setup.Documents.Endpoint)
	return challenge.Params["resource_metadata"] != "" || described
}

// visit looks for metadata at the places where clients look.
func visit(ctx context.Context, documents probe.Documents, visited *Visited, a *probe.Access) error {
	at, err := url.Parse(documents.Endpoint)
	if err != nil {
		return err
	}
	if challenge, _ := probe.Naming(a.Asked.Challenges()); challenge.Params["resource_metadata"] != "" {
		plan(documents, &a.Resource, challenge.Params["resource_metadata"], true)
	}
	for _, place := range places(at, wellKnownResource) {
		plan(documents, &a.Resource, place, false)
	}
	for _, place := range []string{origin(at) + wellKnownServer, origin(at) + wellKnownServer + tail(at)} {
		plan(documents, &a.Server, place, false)
	}
	return visited.read(ctx, documents, a.Resource, a.Server)
}

// plan adds an address to visit, unless it is there already, or may not be visited.
func plan(documents probe.Documents, into *[]probe.Metadata, at string, named bool) {
	known := slices.ContainsFunc(*into, func(m probe.Metadata) bool { return m.At == at })
	if !known && (named || documents.Near(at)) {
		*into = append(*into, probe.Metadata{At: at, Named: named})
	}
}

// moves gives the target of a redirect.
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

// places lists the addresses of a document: followed by the path of the endpoint, and
// without that path.
func places(at *url.URL, document string) []string {
	return []string{origin(at) + document + tail(at), origin(at) + document}
}

func origin(at *url.URL) string { return at.Scheme + "://" + at.Host }

func tail(at *url.URL) string { return strings.TrimSuffix(at.EscapedPath(), "/") }
