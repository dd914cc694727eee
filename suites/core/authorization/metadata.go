package authorization

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func metadataCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "authorization/metadata-found",
			Title:  "clients find the protected resource metadata by the challenge or at a well-known URL",
			Checks: []requirements.ID{"authorization-metadata-discovery"},
			Fix:    "serve /.well-known/oauth-protected-resource, with the path of the endpoint behind it, or name it in the challenge",
			Run:    shown(metadataFound),
		},
		{
			ID:     "authorization/metadata-readable",
			Title:  "the protected resource metadata is a JSON object with resource in it, an absolute URI without a fragment",
			Checks: []requirements.ID{"authorization-resource-metadata"},
			Fix:    "answer the URL of the metadata with status 200 and the JSON object of RFC 9728, as application/json, for whoever asks",
			Run:    shown(metadataReadable),
		},
		{
			ID:     "authorization/metadata-types",
			Title:  "the properties of the protected resource metadata have the types of RFC 9728",
			Checks: []requirements.ID{"authorization-resource-metadata"},
			Fix:    "write lists as arrays of strings, also those with one value, and leave out what the server has no value for",
			Run:    shown(metadataTypes),
		},
		{
			ID:     "authorization/no-query-method",
			Title:  "the metadata does not say that a token may stand in the query string",
			Checks: []requirements.ID{"authorization-query-token-refused"},
			Fix:    "remove query from bearer_methods_supported: clients send the token in the Authorization header",
			Run:    shown(noQueryMethod),
		},
		{
			ID:     "authorization/metadata-names-endpoint",
			Title:  "resource in the metadata is the URL of this server",
			Checks: []requirements.ID{"authorization-resource-metadata"},
			Fix:    "set resource to the public URL of the endpoint: clients refuse metadata of another resource",
			Run:    shown(metadataNamesEndpoint),
		},
		{
			ID:     "authorization/authorization-servers-named",
			Title:  "the metadata names at least one authorization server",
			Checks: []requirements.ID{"authorization-resource-metadata-servers"},
			Fix:    "put the issuer URL of the authorization server, which begins with https, into authorization_servers",
			Run:    shown(authorizationServersNamed),
		},
		{
			ID:     "authorization/resource-without-slash",
			Title:  "resource in the metadata has no trailing slash",
			Checks: []requirements.ID{"authorization-uri-no-trailing-slash"},
			Fix:    "remove the trailing slash from resource, unless the URL of the endpoint has one",
			Run:    shown(resourceWithoutSlash),
		},
	}
}

// metadataFound only warns of a relative reference where a well-known URL has the metadata,
// because clients may look there.
func metadataFound(c *probe.Client, a *probe.Access) error {
	_, found := described(c, a)
	ch, _ := challenge(a.Asked)
	switch named, there := ch.Params["resource_metadata"]; {
	case absolute(named):
		return nil
	case found && there:
		const relative = "resource_metadata in the challenge is %s, want an absolute URL; the metadata is at a well-known URL alone"
		return spelt(a.Asked, a.Asked.Violation(relative, probe.Show(named)).AtMostWarn())
	case found:
		return nil
	}
	return documents(a.Asked, a.Resource).Violation("WWW-Authenticate is %s, and no well-known URL has the metadata; want one of both",
		header(a.Asked))
}

// documents shows a refusal and the answers at the addresses of metadata.
func documents(refusal *probe.Reply, at []probe.Metadata) probe.Evidence {
	shown := probe.Shown(refusal)
	for _, m := range at {
		shown = shown.And(m.Document)
	}
	return shown
}

// metadataReadable judges only the documents that the server names itself: some websites
// serve a page at every address, which shows nothing about this server.
func metadataReadable(c *probe.Client, a *probe.Access) error {
	for _, m := range a.Resource {
		const what = "the document that the challenge names "
		if m.Named && m.Late { // a busy machine gets a second chance
			m = probe.ReadMetadata(m.At, true, c.Visit(probe.Visit{At: m.At}))
		}
		switch {
		case !m.Named || m.Object != nil:
		case m.Late:
			return probe.Shown(a.Asked, m.Document).Violation(what + "does not end, neither time that it was asked for; want a JSON object")
		case m.Status != 0:
			const unread = what + "is answered with HTTP status %d and %s, want 200 and a JSON object"
			return probe.Shown(a.Asked, m.Document).Violation(unread, m.Status, content(m.Document))
		}
	}
	m := read(c, a)
	id, ok := m.Object["resource"].(string)
	if u, err := url.Parse(id); !ok || err != nil || u.Scheme == "" || strings.Contains(id, "#") {
		return probe.Shown(m.Document).Violation("$.resource is %s, want an absolute URI without a fragment",
			probe.Show(probe.Member(m.Object, "resource")))
	}
	return ofJSON(m)
}

// ofJSON only warns of a media type that is another one of JSON.
func ofJSON(m probe.Metadata) error {
	media, _, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err == nil && media == "application/json" {
		return nil
	}
	wrong := probe.Shown(m.Document).Violation("the Content-Type of the metadata is %s, want application/json", kind(m.Document))
	if strings.HasSuffix(media, "+json") {
		return wrong.AtMostWarn()
	}
	return wrong
}

// metadataTypes leaves resource and authorization_servers to the cases of their own, and only
// warns of null: it says that there is no value, but RFC 9728 leaves such members out.
func metadataTypes(c *probe.Client, a *probe.Access) error {
	m := read(c, a)
	var nulls []string
	for _, member := range members() {
		switch value, there := m.Object[member.name]; {
		case !there:
		case value == nil:
			nulls = append(nulls, member.name)
		case !member.fits(value):
			return probe.Shown(m.Document).Violation("$.%s is %s, want %s", member.name, probe.Show(value), member.want)
		}
	}
	if len(nulls) > 0 {
		return probe.Shown(m.Document).Violation("$.%s is null, want it left out", nulls[0]).AtMostWarn()
	}
	return nil
}

// A member is one of the metadata whose type RFC 9728 fixes.
type member struct {
	name, want string
	fits       func(any) bool
}

func members() []member {
	text := func(v any) bool { _, ok := v.(string); return ok }
	truth := func(v any) bool { _, ok := v.(bool); return ok }
	texts := func(v any) bool {
		all, ok := v.([]any)
		return ok && !slices.ContainsFunc(all, func(one any) bool { return !text(one) })
	}
	var all []member
	for _, name := range []string{
		"scopes_supported", "bearer_methods_supported", "resource_signing_alg_values_supported",
		"authorization_details_types_supported", "dpop_signing_alg_values_supported",
	} {
		all = append(all, member{name, "an array of strings", texts})
	}
	for _, name := range []string{"jwks_uri", "resource_name", "resource_documentation", "resource_policy_uri", "resource_tos_uri"} {
		all = append(all, member{name, "a string", text})
	}
	for _, name := range []string{"tls_client_certificate_bound_access_tokens", "dpop_bound_access_tokens_required"} {
		all = append(all, member{name, "true or false", truth})
	}
	return all
}

// noQueryMethod judges what the server says; authorization/query-token tries it.
func noQueryMethod(c *probe.Client, a *probe.Access) error {
	m := read(c, a)
	methods, ok := m.Object["bearer_methods_supported"].([]any)
	c.NotSeenIf(!ok, "the metadata does not say how clients may send a token")
	if slices.Contains(methods, any("query")) {
		return probe.Shown(m.Document).Violation("$.bearer_methods_supported contains query, want the Authorization header alone")
	}
	return nil
}

// content tells what a document is where it may be JSON, but no object.
func content(d probe.Document) string {
	if value := frame.Read(d.Body).Value; value != nil && d.Status == http.StatusOK {
		if list, ok := value.([]any); ok {
			return "an array of " + strconv.Itoa(len(list))
		}
		return probe.Show(value)
	}
	if media, _, _ := mime.ParseMediaType(d.Header.Get("Content-Type")); media == "application/json" && d.Status == http.StatusOK {
		return "a body that is not JSON"
	}
	return kind(d)
}

func kind(d probe.Document) string {
	if kind := d.Header.Get("Content-Type"); kind != "" {
		return probe.Show(kind)
	}
	return "no content type"
}

// described is the document that clients read.
func described(c *probe.Client, a *probe.Access) (probe.Metadata, bool) {
	return a.Described(c.Endpoint())
}

// read is described, but ends the case where the kit has read no document.
func read(c *probe.Client, a *probe.Access) probe.Metadata {
	m, ok := described(c, a)
	c.NotSeenIf(!ok, "the kit can read no protected resource metadata")
	return m
}

// metadataNamesEndpoint only warns, because proxies rename hosts. The URL of the origin,
// or of a path above the endpoint, names this server too. A server on this machine may be
// public behind a proxy, where its metadata is right for every client but the kit.
func metadataNamesEndpoint(c *probe.Client, a *probe.Access) error {
	endpoint, err := url.Parse(c.Endpoint())
	c.UndecideIf(err != nil, "the URL of the endpoint cannot be read")
	m := read(c, a)
	id, _ := m.Object["resource"].(string)
	u, err := url.Parse(id)
	switch {
	case id == "" || err != nil || u.Scheme == "":
		c.NotSeen("the metadata names no URL as its resource, which authorization/metadata-readable judges")
	case strings.EqualFold(u.Scheme, endpoint.Scheme) && probe.SameAuthority(u, endpoint) && probe.Above(u.Path, endpoint.Path):
		return nil
	case c.Survey().Local() && u.Host != "" && !probe.Loopback(u.Hostname()) && !probe.SameAuthority(u, endpoint):
		c.Note("$.resource is " + probe.Show(id) + "; the kit speaks to " + probe.Show(c.Endpoint()) +
			", and takes the other for the public URL of the same endpoint")
		return nil
	}
	return probe.Shown(m.Document).Violation("$.resource is %s, want %s", probe.Show(id), probe.Show(c.Endpoint())).AtMostWarn()
}

func authorizationServersNamed(c *probe.Client, a *probe.Access) error {
	m := read(c, a)
	named, _ := m.Object["authorization_servers"].([]any)
	if len(named) == 0 {
		const none = "$.authorization_servers is %s, want an array with an issuer URL in it"
		missing := probe.Shown(m.Document).Violation(none, probe.Show(probe.Member(m.Object, "authorization_servers")))
		if _, there := m.Object["resource"]; !there {
			return missing.Unless(probe.Elsewhere{Case: "authorization/metadata-readable", Why: "the document describes something else"})
		}
		return missing
	}
	for _, issuer := range named {
		if text, ok := issuer.(string); !ok || !absolute(text) {
			return probe.Shown(m.Document).Violation("$.authorization_servers contains %s, want issuer URLs", probe.Show(issuer))
		}
	}
	for _, issuer := range probe.Strings(named) {
		if problem := noIssuer(issuer); problem != "" {
			return probe.Shown(m.Document).Violation("$.authorization_servers contains %s, want an issuer URL %s", probe.Show(issuer), problem).
				AtMostWarn()
		}
		if plain(issuer) {
			return probe.Shown(m.Document).Violation("$.authorization_servers contains %s, want an HTTPS URL", probe.Show(issuer)).AtMostWarn()
		}
	}
	return nil
}

// noIssuer says what an issuer URL has too much. Clients insert well-known paths into it, and
// RFC 8414 gives it neither a query nor a fragment.
func noIssuer(issuer string) string {
	u, err := url.Parse(issuer)
	switch {
	case err != nil:
		return ""
	case u.RawQuery != "" || u.Fragment != "":
		return "without a query and a fragment"
	case strings.Contains(u.Path, "/.well-known/"):
		return "without the well-known path, which clients add"
	}
	return ""
}

// plain reports whether an issuer is reached over the internet without TLS. RFC 8414 has
// issuers with https alone, but a network of one's own often has none of it.
func plain(issuer string) bool {
	u, err := url.Parse(issuer)
	return err == nil && strings.EqualFold(u.Scheme, "http") && probe.Public(u.Hostname())
}

func resourceWithoutSlash(c *probe.Client, a *probe.Access) error {
	endpoint, err := url.Parse(c.Endpoint())
	c.NotSeenIf(err != nil || strings.HasSuffix(endpoint.Path, "/") || endpoint.Path == "",
		"the URL of the endpoint has no path, or ends in a slash")
	m := read(c, a)
	if id, _ := m.Object["resource"].(string); strings.HasSuffix(id, "/") {
		return probe.Shown(m.Document).Violation("$.resource is %s, want it without the trailing slash", probe.Show(id))
	}
	return nil
}
