package config

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/roles"
)

const (
	redacted = "[redacted]"
	// Shorter values occur everywhere by chance.
	shortestRedacted = 4
	shortestChecked  = 8
)

// Principal is one identity's credentials.
type Principal struct {
	Headers map[string]string
	Env     map[string]string
	Token   string
}

// Principals are the identities of a target; one that is not given is nil.
type Principals struct {
	First, Second, Limited, Foreign *Principal
	TokenCommand                    []string // still to be expanded, by roles.ExpandTexts
}

func (p Principals) all() []*Principal {
	return slices.DeleteFunc([]*Principal{p.First, p.Second, p.Limited, p.Foreign}, func(one *Principal) bool { return one == nil })
}

func (r *reader) principals(n *node, path string, c *Config) error {
	for _, spec := range r.known.Roles {
		if spec.Name == roles.Principals {
			return r.role(n, path, spec, c)
		}
	}
	return r.failNode(n, "%s: no role of that name is declared", path)
}

// Settled derives what follows from the rest: the first principal, where the
// target's own headers and environment hold its credentials, and the secrets.
// It is asked again after flags have changed the target.
func (c Config) Settled() Config {
	c.Roles = c.withFirst()
	given, _ := c.Roles.Role(roles.Principals)
	c.Principals = Principals{
		First: principal(given.At("first")), Second: principal(given.At("second")),
		Limited: principal(given.At("limited")), Foreign: principal(given.At("foreign")),
		TokenCommand: given.Texts("token-command"),
	}
	credentials := c.credentials()
	c.Checked = distinct(slices.Concat(c.declared, longer(credentials, shortestChecked)))
	c.Secrets = distinct(slices.Concat(c.Checked, credentials, c.expanded, c.merelyHidden()))
	return c
}

// withFirst takes the first principal from the target, unless the file names
// one. What an earlier call took is taken anew.
func (c Config) withFirst() roles.Set {
	given, _ := c.Roles.Role(roles.Principals)
	own := c.ownCredentials()
	if len(own) == 0 || given.At("first") != nil && given.From("first") == roles.Config {
		return c.Roles
	}
	first := roles.Filled{Name: roles.Principals, Source: roles.Discovered, Fields: roles.Fields{"first": own}}
	return roles.NewSet(c.Roles.Specs(), first).Over(c.Roles)
}

// Hide adds values that no report may show, such as those that flags took from
// the environment.
func (c Config) Hide(values ...string) Config {
	c.expanded = slices.Concat(c.expanded, values)
	return c.Settled()
}

// Redactor returns a function that replaces every secret of a text, the
// longest first. It is safe for concurrent use.
func (c Config) Redactor() func(string) string {
	var forms []string
	for _, secret := range c.Secrets {
		if len(secret) >= shortestRedacted {
			forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret))
			forms = append(forms, escaped(secret)...)
		}
	}
	forms = distinct(forms)
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...).Replace
}

// escaped are the forms of a secret inside a JSON string, which differ in
// whether <, > and & are escaped too.
func escaped(secret string) []string {
	quoted, err := json.Marshal(secret)
	if err != nil {
		return nil
	}
	form := string(quoted[1 : len(quoted)-1])
	return []string{form, strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(form)}
}

func principal(f roles.Fields) *Principal {
	if f == nil {
		return nil
	}
	return &Principal{Headers: f.Map("headers"), Env: f.Map("env"), Token: f.Text("token")}
}

func (c Config) ownCredentials() roles.Fields {
	own := roles.Fields{}
	if headers := chosen(c.Target.Headers, isCredentialHeader); len(headers) > 0 {
		own["headers"] = headers
	}
	if env := chosen(c.Target.Env, isCredentialVariable); len(env) > 0 {
		own["env"] = env
	}
	return own
}

// credentials lists what the target's headers and the principals authenticate
// with.
func (c Config) credentials() []string {
	found := headerSecrets(c.Target.Headers)
	for _, p := range c.Principals.all() {
		found = append(append(found, p.Token), headerSecrets(p.Headers)...)
	}
	return found
}

// merelyHidden lists what looks like a credential, but is also what a server
// may rightly show: its environment, and a password in a URL.
func (c Config) merelyHidden() []string {
	found := envSecrets(c.Target.Env)
	for _, p := range c.Principals.all() {
		found = append(found, envSecrets(p.Env)...)
	}
	for _, address := range []string{c.Target.URL, c.Target.SSEURL, c.Target.WellKnownURL, c.Target.CapabilitiesURL} {
		if parsed, err := url.Parse(address); err == nil {
			password, _ := parsed.User.Password()
			found = append(found, password)
			for name, values := range parsed.Query() {
				if isCredentialVariable(strings.ReplaceAll(name, "-", "_")) {
					found = append(found, values...)
				}
			}
		}
	}
	return found
}

// headerSecrets takes the secret part of credential headers: what follows the
// scheme of Authorization, and each value of a Cookie.
func headerSecrets(headers map[string]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value := strings.TrimSpace(headers[name])
		switch {
		case !isCredentialHeader(name) || value == "":
		case strings.EqualFold(name, "Cookie"):
			for _, pair := range strings.Split(value, ";") {
				if _, inner, ok := strings.Cut(pair, "="); ok {
					pair = inner
				}
				found = append(found, strings.Trim(strings.TrimSpace(pair), `"`))
			}
		case strings.HasSuffix(strings.ToLower(name), "authorization"):
			if _, token, ok := strings.Cut(value, " "); ok {
				value = strings.TrimSpace(token)
			}
			found = append(found, value)
		default:
			found = append(found, value)
		}
	}
	return found
}

func envSecrets(env map[string]string) []string {
	return slices.Collect(maps.Values(chosen(env, isCredentialVariable)))
}

func isCredentialHeader(name string) bool {
	switch name = strings.ToLower(name); name {
	case "authorization", "proxy-authorization", "cookie":
		return true
	default:
		return strings.HasSuffix(name, "-key") || strings.HasSuffix(name, "-token")
	}
}

func isCredentialVariable(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, func(end string) bool {
		return name == end || strings.HasSuffix(name, "_"+end)
	})
}

func chosen(all map[string]string, is func(name string) bool) map[string]string {
	some := map[string]string{}
	for name, value := range all {
		if is(name) && value != "" {
			some[name] = value
		}
	}
	return some
}

func longer(values []string, shortest int) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < shortest })
}

// distinct returns the values sorted, each once, without the empty one.
func distinct(values []string) []string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	slices.Sort(values)
	return slices.Compact(values)
}
