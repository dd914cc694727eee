package authorization

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// clientCases ask the authorization endpoint as a client does, up to the page where a
// person has to consent: the requests grant nothing.
func clientCases() []suite.Case {
	needs := []suite.Need{principal("client")}
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
			Needs:  []suite.Need{principal("client.register")},
			Fix:    "accept a registration with redirect_uris alone, and answer 201 with the client_id",
			Run:    registrationWorks,
		},
		{
			ID:     "authorization/own-redirect-https",
			Title:  "a plain HTTP redirect URI at another host cannot be registered",
			Checks: []requirements.ID{"authorization-as-https"},
			Needs:  []suite.Need{principal("client.register")},
			Fix:    "register redirect URIs only if they are HTTPS or lead to localhost",
			Run:    redirectHTTPS,
		},
	}
}

// back is the redirect URI of the kit's clients. Nothing listens there.
const back = "http://127.0.0.1:33418/callback"

// elsewhere is a host that none of the kit's clients registers.
const elsewhere = "elsewhere.example"

// endpointOf is the URL of an endpoint of a server that authorizes its clients itself.
func endpointOf(c *probe.Client, name, path string) string {
	found := own(c, access(c))
	if found == nil {
		return atRoot(c, path)
	}
	if text, ok := found.Object[name].(string); ok && absolute(text) {
		return text
	}
	c.NotSeen("the metadata has no " + name)
	return ""
}

// register registers a client with one redirect URI.
func register(c *probe.Client, redirect string) (id string, d probe.Document) {
	at := endpointOf(c, "registration_endpoint", "/register")
	body := probe.JSON(probe.Object{
		"client_name": "mcp-conform", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code"}, "response_types": []string{"code"},
	})
	json := http.Header{"Content-Type": {"application/json"}}
	d = c.Visit(probe.Visit{Method: http.MethodPost, At: at, Header: json, Body: body})
	if o, ok := frame.Read(d.Body).Value.(map[string]any); ok && d.Status/100 == 2 {
		id, _ = o["client_id"].(string)
	}
	return id, d
}

// A registered is a client that the authorization endpoint knows.
type registered struct{ id, redirect string }

func client(c *probe.Client) registered {
	given := c.Role(roles.Principals).Fields().At("client")
	if known := (registered{given.Text("id"), given.Text("redirect")}); known.id != "" && known.redirect != "" {
		return known
	}
	c.UndecideIf(!given.Flag("register"), "principals.client has neither id and redirect nor register: true")
	return probe.Once(c, "authorization/client", func() (registered, bool) {
		id, _ := register(c, back)
		c.UndecideIf(id == "", "no client could be registered")
		return registered{id, back}, true
	})
}

// request asks for authorization as a correct client does, except for the change that
// bend makes.
func request(c *probe.Client, bend func(url.Values)) (probe.Document, registered) {
	who := client(c)
	at := endpointOf(c, "authorization_endpoint", "/authorize")
	q := url.Values{
		"response_type": {"code"}, "client_id": {who.id}, "redirect_uri": {who.redirect}, "state": {c.Nonce()},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	bend(q)
	separator := "?"
	if strings.Contains(at, "?") {
		separator = "&"
	}
	d := c.Visit(probe.Visit{At: at + separator + q.Encode()})
	c.UndecideIf(d.Status == 0, "the authorization endpoint did not answer")
	return d, who
}

// answered reads the parameters of a redirect back to the client.
func answered(d probe.Document, who registered) (url.Values, bool) {
	location := d.Header.Get("Location")
	u, err := url.Parse(location)
	if err != nil || d.Status/100 != 3 || !strings.HasPrefix(location, who.redirect) {
		return nil, false
	}
	return u.Query(), true
}

// usual ends the case undecided if a valid request is refused too: then a refusal shows
// nothing about the change in a bent request.
func usual(c *probe.Client) {
	probe.Once(c, "authorization/usual", func() (bool, bool) {
		d, who := request(c, func(url.Values) {})
		said, _ := answered(d, who)
		c.UndecideIf(d.Status >= http.StatusBadRequest || said.Get("error") != "", "a good authorization request is refused as well")
		return true, true
	})
}

// refusedRequest is undecided about a page for a person, because the server may still
// refuse the request after it.
func refusedRequest(what string, bend func(url.Values)) func(*probe.Client) error {
	return func(c *probe.Client) error {
		usual(c)
		d, who := request(c, bend)
		said, back := answered(d, who)
		switch {
		case d.Status >= http.StatusBadRequest, said.Get("error") != "":
			return nil
		case back && said.Get("code") != "":
			return probe.Shown(d).Violation("an authorization request with %s gets a code, want an error", what)
		}
		c.Undecide("an authorization request with " + what + " is answered with a page for a person, which may still refuse it")
		return nil
	}
}

func redirectChecked(c *probe.Client) error {
	usual(c)
	d, _ := request(c, func(q url.Values) { q.Set("redirect_uri", "https://"+elsewhere+"/callback") })
	to, failed := url.Parse(d.Header.Get("Location"))
	switch {
	case d.Status >= http.StatusBadRequest:
		return nil
	case failed == nil && d.Status/100 == 3 && to.Hostname() == elsewhere:
		return probe.Shown(d).Violation("the redirect goes to %s, which is not registered, want HTTP status 400", probe.Show(to.Host))
	}
	c.Undecide("another redirect URI is answered with a page for a person, which may still refuse it")
	return nil
}

func registrationWorks(c *probe.Client) error {
	id, d := register(c, back)
	switch {
	case d.Status == 0:
		c.Undecide("the registration endpoint did not answer")
	case id == "":
		return probe.Shown(d).Violation("a minimal registration is answered with HTTP status %d and no client_id, want 201 and one", d.Status)
	}
	return nil
}

func redirectHTTPS(c *probe.Client) error {
	good, _ := register(c, back)
	c.UndecideIf(good == "", "no client could be registered")
	id, d := register(c, "http://"+elsewhere+"/callback")
	if id != "" && strings.Contains(string(d.Body), "http://"+elsewhere) {
		return probe.Shown(d).Violation("a client whose redirect URI is %s is registered, want it refused", probe.Show("http://"+elsewhere))
	}
	return nil
}
