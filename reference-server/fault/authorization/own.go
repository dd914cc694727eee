package authorization

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

func own() []fault.Fault {
	server := func(change func(o map[string]any)) *fault.Auth { return document(serverDocument, change) }
	return []fault.Fault{
		{In: oldest(), Each: []fault.Fault{
			{
				Name: "authorization-no-own-metadata", Title: "authorization server metadata is not published",
				Breaks: "authorization-legacy-metadata", Auth: missing(serverDocument),
			}, {
				Name:   "authorization-own-metadata-by-path",
				Title:  "the authorization server metadata stands behind the path of the endpoint alone",
				Breaks: "authorization-legacy-metadata-location", Auth: missing(serverDocument),
				HTTP: fault.HTTP{Serve: metadataByPath},
			}, {
				Name:   "authorization-no-default-endpoints",
				Title:  "there is neither metadata nor an endpoint at a default path",
				Breaks: "authorization-legacy-default-endpoints", Auth: missing(serverDocument, "/authorize", "/token"),
				May: []string{"authorization/own-metadata"},
			},
			{Breaks: "authorization-as-https", Each: []fault.Fault{{
				Name: "authorization-plain-endpoint", Title: "the token endpoint is a plain HTTP URL at another host",
				Kills: []string{"authorization/own-endpoints-https"},
				Auth:  server(func(o map[string]any) { o["token_endpoint"] = "http://login.example/token" }),
			}, {
				Name: "authorization-plain-redirect", Title: "a plain HTTP redirect URI at another host is registered",
				Kills: []string{"authorization/own-redirect-https"}, Auth: authMode(),
				Skip: []fault.Check{fault.CheckRedirectHTTPS},
			}}},
			{Breaks: "authorization-legacy-dynamic-registration", Each: []fault.Fault{{
				Name: "authorization-no-registration", Title: "the metadata names no registration endpoint",
				Kills: []string{"authorization/own-registration"},
				Auth:  server(func(o map[string]any) { delete(o, "registration_endpoint") }),
			}, {
				Name: "authorization-registration-refused", Title: "a minimal registration is refused",
				Kills: []string{"authorization/own-registration-works"},
				Auth: &fault.Auth{Answer: func(r *http.Request, status int, _ http.Header, body []byte) (int, []byte) {
					if r.URL.Path == "/register" {
						return http.StatusForbidden, []byte(`{"error":"access_denied"}`)
					}
					return status, body
				}},
			}}},
			{
				Name: "authorization-any-response-type", Title: "any response type is taken for code",
				Breaks: "authorization-legacy-oauth21", Auth: authMode(), Skip: []fault.Check{fault.CheckResponseType},
			}, {
				Name: "authorization-open-redirect", Title: "any redirect URI is taken",
				Breaks: "authorization-legacy-redirect-checked", Auth: authMode(), Skip: []fault.Check{fault.CheckRedirectURI},
			}, {
				Name: "authorization-no-pkce", Title: "no code challenge is asked for", Breaks: "authorization-legacy-pkce",
				Auth: authMode(), Skip: []fault.Check{fault.CheckPKCE},
			}, {
				Name: "authorization-token-for-ever", Title: "access tokens do not expire",
				Breaks: "authorization-legacy-token-lifetime", May: []string{"authorization/expired-token"}, Auth: authMode(),
				Skip: []fault.Check{fault.CheckTokenLife},
			},
		}},
	}
}

// metadataByPath also serves the metadata at the paths of later revisions.
func metadataByPath(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != serverDocument+endpoint {
		return false
	}
	at := "http://" + r.Host
	text, err := json.Marshal(map[string]any{
		"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "registration_endpoint": at + "/register",
		"response_types_supported": []string{"code"},
	})
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(strings.TrimSpace(string(text)))) // the client may be gone
	return true
}
