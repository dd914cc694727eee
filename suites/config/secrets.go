package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-conform/mcp-conform/suites/config/redact"
	"github.com/mcp-conform/mcp-conform/suites/roles"
)

// Only secrets of at least this length are checked in the server's messages: a
// server may send shorter values by chance.
const shortestChecked = 8

// Principal is one identity's credentials.
type Principal struct {
	Headers map[string]string
	Env     map[string]string
	Token   string
}

// Principals are the identities of a target; an identity that is not given is nil.
type Principals struct {
	First, Second, Limited, Foreign, Expired *Principal
	TokenCommand                             []string // before expansion by roles.ExpandTexts
}

func (p Principals) all() []*Principal {
	return slices.DeleteFunc([]*Principal{p.First, p.Second, p.Limited, p.Foreign, p.Expired}, func(one *Principal) bool { return one == nil })
}

func readPrincipals(r *reader, n *node, path string, c *Config) error {
	for _, spec := range r.known.Roles {
		if spec.Name != roles.Principals {
			continue
		}
		if err := readRole(r, n, path, spec, c); err != nil {
			return err
		}
		given, _ := c.Roles.Role(roles.Principals)
		c.given = map[string]int{}
		for _, principal := range n.members {
			c.given[principal.key] = principal.line
			for _, m := range principal.value.members {
				if m.key != "token" {
					continue
				}
				where, token := join(join(path, principal.key), m.key), given.At(principal.key).Text("token")
				if err := hidable(r, m.value, where, token); err != nil {
					return err
				}
				mistake := ""
				switch scheme, _, spaced := strings.Cut(token, " "); {
				case spaced && strings.EqualFold(scheme, "Bearer"):
					mistake = "want the token alone, without the word Bearer before it"
				case principal.key != "first" && token != "" && token == given.At("first").Text("token"):
					mistake = "this is the token of principals.first, want another one"
				}
				if mistake != "" { // the line is not shown, since it may hold a secret
					return &Error{File: r.file, Line: m.value.line, Column: m.value.column, Message: where + ": " + mistake}
				}
			}
		}
		return nil
	}
	return r.failNode(n, "%s: no role of that name is declared", path)
}

// Settled derives further settings: the first principal, where the target's own
// headers and environment hold its credentials, and the secrets. Call it again
// after flags have changed the target.
func (c Config) Settled() Config {
	c.Roles = c.withFirst()
	given, _ := c.Roles.Role(roles.Principals)
	c.Principals = Principals{
		First: principal(given.At("first")), Second: principal(given.At("second")),
		Limited: principal(given.At("limited")), Foreign: principal(given.At("foreign")),
		Expired:      principal(given.At("expired")),
		TokenCommand: given.Texts("token-command"),
	}
	credentials := c.credentials()
	c.Checked = distinct(slices.Concat(c.declared, longer(credentials, shortestChecked)))
	c.Secrets = distinct(slices.Concat(c.Checked, credentials, c.expanded, c.merelyHidden()))
	return c
}

// withFirst takes the first principal from the target, unless the file names
// one. It replaces the result of an earlier call.
func (c Config) withFirst() roles.Set {
	given, _ := c.Roles.Role(roles.Principals)
	own := c.ownCredentials()
	if len(own) == 0 || given.At("first") != nil && given.From("first") == roles.Config {
		return c.Roles
	}
	first := roles.Filled{Name: roles.Principals, Source: roles.Discovered, Fields: roles.Fields{"first": own}}
	return roles.NewSet(c.Roles.Specs(), first).Over(c.Roles)
}

// With replaces roles of the configuration.
func (c Config) With(filled ...roles.Filled) Config {
	all := slices.DeleteFunc(c.Roles.All(), func(f roles.Filled) bool {
		return slices.ContainsFunc(filled, func(other roles.Filled) bool { return other.Name == f.Name })
	})
	c.Roles = roles.NewSet(c.Roles.Specs(), append(all, filled...)...)
	return c.Settled()
}

// Hide adds values that no report may show, such as values of flags from the
// environment.
func (c Config) Hide(values ...string) Config {
	c.expanded = slices.Concat(c.expanded, values)
	return c.Settled()
}

// Redactor returns a function that hides every secret in a text, in any form
// that a server may send, and the rest of a secret that a cut left. It is safe
// for concurrent use. The configuration need not be settled.
func (c Config) Redactor() func(string) string {
	return redact.New(slices.Concat(c.Secrets, c.Settled().Secrets)).Hide
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

// credentials lists the credentials in the target's headers and of the
// principals.
func (c Config) credentials() []string {
	found := headerSecrets(c.Target.Headers)
	for _, p := range c.Principals.all() {
		found = append(append(found, p.Token), headerSecrets(p.Headers)...)
	}
	return found
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

// readSecrets reads the values of the file's key secrets.
func readSecrets(r *reader, n *node, path string) ([]string, error) {
	values, err := readTexts(r, n, path)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		if err := hidable(r, n.items[i], fmt.Sprintf("%s[%d]", path, i), value); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// hidable refuses a secret so short that it would be hidden in any text. The
// error does not show its line.
func hidable(r *reader, n *node, path, value string) error {
	length := utf8.RuneCountInString(value)
	if length == 0 || length >= redact.Shortest {
		return nil
	}
	return &Error{File: r.file, Line: n.line, Column: n.column,
		Message: fmt.Sprintf("%s: a secret of %d characters cannot be hidden, want at least %d", path, length, redact.Shortest)}
}

// distinct returns the values sorted, without duplicates and empty values.
func distinct(values []string) []string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	slices.Sort(values)
	return slices.Compact(values)
}
