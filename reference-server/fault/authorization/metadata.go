package authorization

import (
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func metadata() []fault.Fault {
	resource := func(change func(o map[string]any)) *fault.Auth { return document(resourceDocument, change) }
	const readable, types, endpointNamed = "authorization/metadata-readable", "authorization/metadata-types",
		"authorization/metadata-names-endpoint"
	return []fault.Fault{
		{
			Name: "authorization-metadata-nowhere", Title: "the metadata is neither named nor published",
			Breaks: "authorization-metadata-discovery", In: newest(),
			Auth: both(missing(resourceDocument), challenge(http.StatusUnauthorized, without("resource_metadata"))),
		}, {
			Name: "authorization-metadata-relative", Title: "the challenge names the metadata by a path, and a well-known URL has it",
			Breaks: "authorization-metadata-discovery", In: append(handshake(), newest()...),
			Auth: challenge(http.StatusUnauthorized, with("resource_metadata", resourceDocument+endpoint)),
		}, {
			Name: "authorization-query-method", Title: "the metadata says that a token may stand in the query string",
			Breaks: "authorization-query-token-refused", Kills: []string{"authorization/no-query-method"}, In: newest(),
			Auth: resource(func(o map[string]any) { o["bearer_methods_supported"] = []string{"header", "query"} }),
		},
		{Breaks: "authorization-resource-metadata", Each: []fault.Fault{{
			Name: "authorization-metadata-named-in-vain", Title: "the challenge names metadata that is not there",
			Kills: []string{readable}, In: newest(), Auth: missing(resourceDocument),
		}, {
			Name: "authorization-metadata-page", Title: "the metadata is a page of HTML", Kills: []string{readable},
			In: middle(),
			Auth: &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
				if r.URL.Path == resourceDocument+endpoint {
					h.Set("Content-Type", "text/html")
					body = []byte("<html>welcome</html>")
				}
				return status, body
			}},
		}, {
			Name: "authorization-metadata-media-type", Title: "the metadata is JSON, and its content type that of HTML", Kills: []string{readable},
			In: append(handshake(), newest()...),
			Auth: &fault.Auth{Answer: func(r *http.Request, status int, h http.Header, body []byte) (int, []byte) {
				if strings.HasPrefix(r.URL.Path, resourceDocument) {
					h.Set("Content-Type", "text/html; charset=utf-8")
				}
				return status, body
			}},
		}, {
			Name: "authorization-scopes-text", Title: "scopes_supported is a string with blanks", Kills: []string{types}, In: newest(),
			Auth: resource(func(o map[string]any) { o["scopes_supported"] = "read:berths write:berths" }),
		}, {
			Name: "authorization-methods-text", Title: "bearer_methods_supported is a string", Kills: []string{types}, In: handshake(),
			Auth: resource(func(o map[string]any) { o["bearer_methods_supported"] = "header" }),
		}, {
			Name: "authorization-scopes-objects", Title: "scopes_supported is an array of objects", Kills: []string{types}, In: middle(),
			Auth: resource(func(o map[string]any) { o["scopes_supported"] = []any{map[string]any{"name": "read:berths"}} }),
		}, {
			Name: "authorization-scopes-null", Title: "scopes_supported is null", Kills: []string{types}, In: newest(),
			Auth: resource(func(o map[string]any) { o["scopes_supported"] = nil }),
		}, {
			Name: "authorization-metadata-without-resource", Title: "the metadata does not say of what it is",
			Kills: []string{readable}, In: handshake(), Auth: resource(func(o map[string]any) { delete(o, "resource") }),
		}, {
			Name: "authorization-resource-with-fragment", Title: "the resource identifier has a fragment",
			Kills: []string{readable}, In: newest(),
			Auth: resource(func(o map[string]any) { o["resource"] = text(o["resource"]) + "#top" }),
		}, {
			Name: "authorization-resource-of-another", Title: "the metadata is that of another endpoint of the host",
			Kills: []string{endpointNamed}, In: handshake(),
			Auth: resource(func(o map[string]any) { o["resource"] = text(o["resource"]) + "/other" }),
		}}},
		{
			Name: "authorization-no-servers", Title: "authorization_servers is empty",
			Breaks: "authorization-resource-metadata-servers", In: newest(),
			Auth: resource(func(o map[string]any) { o["authorization_servers"] = []string{} }),
		}, {
			Name: "authorization-servers-by-name", Title: "authorization_servers has names in it, and no URLs",
			Breaks: "authorization-resource-metadata-servers", In: middle(),
			Auth: resource(func(o map[string]any) { o["authorization_servers"] = []string{"harbour"} }),
		}, {
			Name: "authorization-servers-plain", Title: "authorization_servers names an issuer without TLS",
			Breaks: "authorization-resource-metadata-servers", In: newest(),
			Auth: resource(func(o map[string]any) { o["authorization_servers"] = []string{"http://login.harbour.example"} }),
		}, {
			Name: "authorization-servers-by-document", Title: "authorization_servers names the documents of the issuers, and not the issuers",
			Breaks: "authorization-resource-metadata-servers", In: newest(),
			Auth: resource(func(o map[string]any) {
				o["authorization_servers"] = []string{"https://login.harbour.example/.well-known/oauth-authorization-server"}
			}),
		}, {
			Name: "authorization-resource-with-slash", Title: "the resource identifier ends in a slash",
			Breaks: "authorization-uri-no-trailing-slash", In: newest(),
			Auth: resource(func(o map[string]any) { o["resource"] = text(o["resource"]) + "/" }),
		},
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
