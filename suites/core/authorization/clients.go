package authorization

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// These ask the authorization endpoint as a client does, up to where a person has to
// say yes: nothing is granted by it.
func clientCases() []suite.Case {
	needs := framework(principal("client"))
	return []suite.Case{
		{
			ID:     "authorization/own-response-type",
			Title:  "an authorization request with an unknown response type is refused",
			Checks: []requirements.ID{"authorization-legacy-oauth21"},
			Needs:  needs,
			Fix:    "answer error unsupported_response_type for everything but code",
			Run:    refusedRequest("an unknown response_type", func(q url.Values) { q.Set("response_type", "mcp-conform") }),
		},
		{
			ID:     "authorization/own-redirect-checked",
			Title:  "an authorization request with another redirect URI than the registered one leads nowhere",
			Checks: []requirements.ID{"authorization-legacy-redirect-checked"},
			Needs:  needs,
			Fix:    "compare redirect_uri with those that the client registered, letter by letter, before anything else",
			Run:    redirectChecked,
		},
		{
			ID:     "authorization/own-pkce",
			Title:  "an authorization request without a code challenge is refused",
			Checks: []requirements.ID{"authorization-legacy-pkce"},
			Needs:  needs,
			Fix:    "answer error invalid_request when code_challenge is missing",
			Run: refusedRequest("no code_challenge", func(q url.Values) {
				q.Del("code_challenge")
				q.Del("code_challenge_method")
			}),
		},
		{
			ID:     "authorization/own-registration-works",
			Title:  "a minimal registration gives a client id",
			Checks: []requirements.ID{"authorization-legacy-dynamic-registration"},
			Needs:  framework(principal("client.register")),
			Fix:    "accept a registration with redirect_uris alone, and answer 201 with the client_id",
			Run:    registrationWorks,
		},
		{
			ID:     "authorization/own-redirect-https",
			Title:  "a plain HTTP redirect URI at another host cannot be registered",
			Checks: []requirements.ID{"authorization-as-https"},
			Needs:  framework(principal("client.register")),
			Fix:    "register redirect URIs only if they are HTTPS or lead to localhost",
			Run:    redirectHTTPS,
		},
	}
}

// back is where the kit says that a client listens, which it does not.
const back = "http://127.0.0.1:33418/callback"

// elsewhere is where no client of the kit is.
const elsewhere = "elsewhere.example"

// endpointOf is an endpoint of the server's own authorization side.
func endpointOf(c *probe.Client, name, path string) (string, error) {
	found, err := own(c, access(c))
	if err != nil || found == nil {
		return atRoot(c, path), err
	}
	if text, ok := found.Object[name].(string); ok && absolute(text) {
		return text, nil
	}
	return "", probe.NotSeen("the metadata has no " + name)
}

// register registers a client that may be sent back to an address.
func register(ctx context.Context, c *probe.Client, redirect string) (id string, d probe.Document, err error) {
	at, err := endpointOf(c, "registration_endpoint", "/register")
	if err != nil {
		return "", d, err
	}
	body, err := json.Marshal(map[string]any{
		"client_name": "mcp-conform", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code"}, "response_types": []string{"code"},
	})
	if err != nil {
		return "", d, err
	}
	json := http.Header{"Content-Type": {"application/json"}}
	d, err = c.Visit(ctx, probe.Visit{Method: http.MethodPost, At: at, Header: json, Body: string(body)})
	if o, ok := frame.Read(d.Body).Value.(map[string]any); ok && d.Status/100 == 2 {
		id, _ = o["client_id"].(string)
	}
	return id, d, err
}

// A registered is a client of the server's authorization endpoint.
type registered struct{ id, redirect string }

func client(ctx context.Context, c *probe.Client) (registered, error) {
	given := c.Role(roles.Principals).Fields().At("client")
	if known := (registered{given.Text("id"), given.Text("redirect")}); known.id != "" && known.redirect != "" {
		return known, nil
	}
	if !given.Flag("register") {
		return registered{}, probe.Undecide("principals.client has neither id and redirect nor register: true")
	}
	return probe.Once(c, "authorization/client", func() (registered, bool, error) {
		id, _, err := register(ctx, c, back)
		if err == nil && id == "" {
			err = probe.Undecide("no client could be registered")
		}
		return registered{id, back}, err == nil, err
	})
}

// request asks for authorization as a good client does, but for what bend changes.
func request(ctx context.Context, c *probe.Client, bend func(url.Values)) (probe.Document, registered, error) {
	who, err := client(ctx, c)
	if err != nil {
		return probe.Document{}, who, err
	}
	at, err := endpointOf(c, "authorization_endpoint", "/authorize")
	if err != nil {
		return probe.Document{}, who, err
	}
	q := url.Values{
		"response_type": {"code"}, "client_id": {who.id}, "redirect_uri": {who.redirect}, "state": {c.Nonce()},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	bend(q)
	separator := "?"
	if strings.Contains(at, "?") {
		separator = "&"
	}
	d, err := c.Visit(ctx, probe.Visit{At: at + separator + q.Encode()})
	if err == nil && d.Status == 0 {
		err = probe.Undecide("the authorization endpoint did not answer")
	}
	return d, who, err
}

// answered reads what a redirect back to the client says.
func answered(d probe.Document, who registered) (url.Values, bool) {
	location := d.Header.Get("Location")
	u, err := url.Parse(location)
	if err != nil || d.Status/100 != 3 || !strings.HasPrefix(location, who.redirect) {
		return nil, false
	}
	return u.Query(), true
}

// usual makes sure that a good request is not refused: else it is not what was bent
// that a refusal is about.
func usual(ctx context.Context, c *probe.Client) error {
	_, err := probe.Once(c, "authorization/usual", func() (bool, bool, error) {
		d, who, err := request(ctx, c, func(url.Values) {})
		if err != nil {
			return false, false, err
		}
		said, _ := answered(d, who)
		if d.Status >= http.StatusBadRequest || said.Get("error") != "" {
			return false, false, probe.Undecide("a good authorization request is refused as well")
		}
		return true, true, nil
	})
	return err
}

// A page that a person has to look at may say no later.
func refusedRequest(what string, bend func(url.Values)) func(context.Context, *probe.Client) error {
	return func(ctx context.Context, c *probe.Client) error {
		if err := usual(ctx, c); err != nil {
			return err
		}
		d, who, err := request(ctx, c, bend)
		if err != nil {
			return err
		}
		said, back := answered(d, who)
		switch {
		case d.Status >= http.StatusBadRequest, said.Get("error") != "":
			return nil
		case back && said.Get("code") != "":
			return probe.Shown(d).Violation("an authorization request with %s gets a code, want an error", what)
		}
		return probe.Undecide("an authorization request with " + what + " is answered with a page for a person, which may still refuse it")
	}
}

func redirectChecked(ctx context.Context, c *probe.Client) error {
	if err := usual(ctx, c); err != nil {
		return err
	}
	d, _, err := request(ctx, c, func(q url.Values) { q.Set("redirect_uri", "https://"+elsewhere+"/callback") })
	if err != nil {
		return err
	}
	to, failed := url.Parse(d.Header.Get("Location"))
	switch {
	case d.Status >= http.StatusBadRequest:
		return nil
	case failed == nil && d.Status/100 == 3 && to.Hostname() == elsewhere:
		return probe.Shown(d).Violation("the redirect goes to %s, which is not registered, want HTTP status 400", probe.Show(to.Host))
	}
	return probe.Undecide("another redirect URI is answered with a page for a person, which may still refuse it")
}

func registrationWorks(ctx context.Context, c *probe.Client) error {
	id, d, err := register(ctx, c, back)
	switch {
	case err != nil:
		return err
	case d.Status == 0:
		return probe.Undecide("the registration endpoint did not answer")
	case id == "":
		return probe.Shown(d).Violation("a minimal registration is answered with HTTP status %d and no client_id, want 201 and one", d.Status)
	}
	return nil
}

func redirectHTTPS(ctx context.Context, c *probe.Client) error {
	if id, _, err := register(ctx, c, back); err != nil || id == "" {
		return probe.Otherwise(err, probe.Undecide("no client could be registered"))
	}
	id, d, err := register(ctx, c, "http://"+elsewhere+"/callback")
	if err == nil && id != "" && strings.Contains(string(d.Body), "http://"+elsewhere) {
		err = probe.Shown(d).Violation("a client whose redirect URI is %s is registered, want it refused", probe.Show("http://"+elsewhere))
	}
	return err
}
