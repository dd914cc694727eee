package authorization

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// ownCases bind servers that authorize their clients themselves, as at 2025-03-26.
func ownCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "authorization/own-metadata",
			Title:  "the server publishes authorization server metadata itself",
			Checks: []requirements.ID{"authorization-legacy-metadata"},
			Fix:    "serve /.well-known/oauth-authorization-server (RFC 8414) at the root of the host",
			Run:    shown(ownMetadata),
		},
		{
			ID:     "authorization/own-metadata-at-root",
			Title:  "authorization server metadata is at the root of the host, whatever the path of the endpoint",
			Checks: []requirements.ID{"authorization-legacy-metadata-location"},
			Fix:    "serve the document at /.well-known/oauth-authorization-server without the path of the endpoint, too",
			Run:    shown(ownMetadataAtRoot),
		},
		{
			ID:     "authorization/own-default-endpoints",
			Title:  "a server without metadata has /authorize and /token at the root of its host",
			Checks: []requirements.ID{"authorization-legacy-default-endpoints"},
			Fix:    "publish metadata, or serve the default paths /authorize and /token",
			Run:    ownDefaultEndpoints,
		},
		{
			ID:     "authorization/own-endpoints-https",
			Title:  "the authorization endpoints in the metadata are HTTPS URLs",
			Checks: []requirements.ID{"authorization-as-https"},
			Fix:    "serve the authorization endpoints over HTTPS, and name them so",
			Run:    shown(ownEndpointsHTTPS),
		},
		{
			ID:     "authorization/own-registration",
			Title:  "clients can register",
			Checks: []requirements.ID{"authorization-legacy-dynamic-registration"},
			Fix:    "offer dynamic client registration (RFC 7591), and name it as registration_endpoint",
			Run:    shown(ownRegistration),
		},
		{
			ID:     "authorization/token-expires",
			Title:  "access tokens expire",
			Checks: []requirements.ID{"authorization-legacy-token-lifetime"},
			Needs:  []suite.Need{principal("first")},
			Fix:    "put exp into the tokens, an hour ahead or less, and let clients refresh them",
			Run:    tokenExpires,
		},
	}
}

// separate ends the case where the server leaves authorization to another server, as
// later revisions do: then the rules for a server's own authorization do not apply. An
// issuer behind a path of the same host is another server, too: a proxy often has both
// behind it.
func separate(c *probe.Client, a *probe.Access) {
	endpoint, err := url.Parse(c.Endpoint())
	c.UndecideIf(err != nil, "the URL of the endpoint cannot be read")
	for _, m := range probe.Found(a.Resource) {
		named, _ := m.Object["authorization_servers"].([]any)
		elsewhere := func(issuer any) bool {
			u, err := url.Parse(probe.TextOf(issuer))
			return err == nil && u.Host != "" && (!probe.SameAuthority(u, endpoint) || strings.Trim(u.Path, "/") != "")
		}
		c.NotSeenIf(slices.ContainsFunc(named, elsewhere),
			"the metadata names another server for authorization")
	}
}

// own is the metadata of a server that authorizes its clients itself; nil if it publishes
// none.
func own(c *probe.Client, a *probe.Access) *probe.Metadata {
	separate(c, a)
	for _, m := range probe.Found(a.Server) {
		return &m
	}
	return nil
}

// published is own, but ends the case where there is no metadata.
func published(c *probe.Client, a *probe.Access) *probe.Metadata {
	found := own(c, a)
	c.NotSeenIf(found == nil, "the host has no authorization server metadata")
	return found
}

func ownMetadata(c *probe.Client, a *probe.Access) error {
	found := own(c, a)
	if found == nil {
		return documents(a.Asked, a.Server).Violation(
			"there is no authorization server metadata at the host, want /.well-known/oauth-authorization-server")
	}
	return nil
}

func ownMetadataAtRoot(c *probe.Client, a *probe.Access) error {
	found := published(c, a)
	if a.Server[0].Object == nil {
		return probe.Shown(a.Server[0].Document, found.Document).Violation("the metadata is at %s only, want it at %s", found.At, a.Server[0].At)
	}
	return nil
}

// atRoot is the URL of a path at the root of the host.
func atRoot(c *probe.Client, path string) string {
	u, err := url.Parse(c.Endpoint())
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + path
}

// ownDefaultEndpoints sends empty requests, so that nothing can be granted.
func ownDefaultEndpoints(c *probe.Client) error {
	found := own(c, access(c))
	c.NotSeenIf(found != nil, "the server has metadata, which names its endpoints")
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for _, v := range []probe.Visit{
		{At: atRoot(c, "/authorize")},
		{Method: http.MethodPost, At: atRoot(c, "/token"), Header: form},
	} {
		d := c.Visit(v)
		switch d.Status {
		case 0:
			c.Undecide(v.At + " was not answered")
		case http.StatusNotFound:
			return probe.Shown(d).Violation("%s is answered with HTTP status 404, and there is no metadata that names another URL", v.At)
		}
	}
	return nil
}

// ownEndpointsHTTPS allows plain HTTP on loopback.
func ownEndpointsHTTPS(c *probe.Client, a *probe.Access) error {
	found := published(c, a)
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"} {
		text, _ := found.Object[name].(string)
		u, err := url.Parse(text)
		if err == nil && strings.EqualFold(u.Scheme, "http") && !probe.Loopback(u.Hostname()) {
			return probe.Shown(found.Document).Violation("$.%s is %s, want an HTTPS URL", name, probe.Show(text))
		}
	}
	return nil
}

func ownRegistration(c *probe.Client, a *probe.Access) error {
	found := published(c, a)
	if text, ok := found.Object["registration_endpoint"].(string); !ok || !absolute(text) {
		return probe.Shown(found.Document).Violation("$.registration_endpoint is %s, want a URL",
			probe.Show(probe.Member(found.Object, "registration_endpoint")))
	}
	return nil
}

func tokenExpires(c *probe.Client) error {
	separate(c, access(c))
	token := shownBy(c, "first")
	_, claims := parts(c, token)
	if _, ok := claims["exp"].(float64); !ok {
		return probe.Shown(access(c).Asked).Violation("the access token of principals.first has no exp, want one")
	}
	return nil
}
