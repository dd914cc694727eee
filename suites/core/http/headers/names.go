package headers

import (
	"encoding/base64"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// A naming is a method whose params name a thing: a tool, a resource or a prompt.
type naming struct {
	slug, method, member string
	need                 suite.Need
	params               func(*probe.Client) probe.Object
}

func toolNaming() naming {
	return naming{"call", "tools/call", "name", suite.Role(roles.ReadOnlyTool), calling}
}

func namings() []naming {
	return []naming{
		toolNaming(),
		{"read", "resources/read", "uri", suite.Capability("resources"), reading},
		{"get", "prompts/get", "name", suite.Capability("prompts"), getting},
	}
}

func calling(c *probe.Client) probe.Object {
	return c.Role(roles.ReadOnlyTool).Call().Params(nil)
}

// reading makes params for the first resource by its URI. Reading changes nothing.
func reading(c *probe.Client) probe.Object {
	for _, item := range probe.Surveyed(c, protocol.Resources()) {
		if item.Key != "" {
			return probe.Object{"uri": item.Key}
		}
	}
	c.NotSeen("resources/list lists no resource")
	return nil
}

// getting makes params for the prompt with the fewest required arguments; each of them is
// a made-up text. Getting a prompt changes nothing. The case ends where the server does
// not take such a text.
func getting(c *probe.Client) probe.Object {
	params, fewest := probe.Object(nil), 0
	for _, item := range probe.Surveyed(c, protocol.Prompts()) {
		if made := madeUp(item.Get("arguments")); item.Key != "" && (params == nil || len(made) < fewest) {
			params, fewest = probe.Object{"name": item.Key}, len(made)
			if len(made) > 0 {
				params["arguments"] = made
			}
		}
	}
	switch {
	case params == nil:
		c.NotSeen("prompts/list lists no prompt")
	case fewest > 0:
		why := c.Learn("prompts/get with made-up arguments", func() string {
			reply := c.Call("prompts/get", params)
			if reply.Served() && !reply.Refused() {
				return ""
			}
			return reply.Outcome()
		})
		c.NotSeenIf(why != "", "a prompt with made-up strings for its required arguments is not served: "+why)
	}
	return params
}

// madeUp gives a text for each required argument of a prompt.
func madeUp(arguments any) probe.Object {
	made := probe.Object{}
	for _, item := range probe.ArrayOf(arguments) {
		argument := probe.ObjectOf(item)
		if name, ok := argument["name"].(string); ok && argument["required"] == true {
			made[name] = "example"
		}
	}
	return made
}

// request composes the request and returns the name in it.
func (n naming) request(c *probe.Client) (text, name string) {
	params := n.params(c)
	name, _ = params[n.member].(string)
	return c.Compose(n.method, params), name
}

// usual sends the request as a correct client does.
func (n naming) usual(c *probe.Client) func() *probe.Reply {
	return func() *probe.Reply { return c.Call(n.method, n.params(c)) }
}

// without leaves out the header Mcp-Name.
func (n naming) without(c *probe.Client) trial {
	text, _ := n.request(c)
	return trial{"no header Mcp-Name", text, with(protocol.HeaderName)}
}

// naming sets the header Mcp-Name to a value derived from the name in the body.
func (n naming) naming(c *probe.Client, value func(name string) string) trial {
	text, name := n.request(c)
	given := value(name)
	return trial{"the header Mcp-Name: " + given + " and the " + n.member + " " + name, text, with(protocol.HeaderName, given)}
}

// other sets the header Mcp-Name to a name that does not exist.
func (n naming) other(c *probe.Client) trial {
	return n.naming(c, func(name string) string { return name + "-" + c.Nonce() })
}

// refuses expects that a value of the header Mcp-Name is rejected. It passes over a server
// that compares the header with nothing.
func (n naming) refuses(c *probe.Client, value func(name string) string) error {
	broken := rejected(c, n.naming(c, value))
	if broken == nil {
		return nil
	}
	reply := n.other(c).ask(c)
	c.NotSeenIf(reply.Served() && !reply.Refused(), "any name is served in the header, which http/name-header-mismatch-"+n.slug+" judges")
	return broken
}

// otherCase writes a text in upper case, or in lower case where it has no small letters.
func otherCase(text string) string {
	if upper := strings.ToUpper(text); upper != text {
		return upper
	}
	return strings.ToLower(text)
}

// foldable reports whether a text can stand in a header as it is, and has letters.
func foldable(text string) bool {
	return otherCase(text) != text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func nameCases() []suite.Case {
	var cases []suite.Case
	for _, n := range namings() {
		cases = append(cases,
			suite.Case{
				ID:     "http/name-header-required-" + n.slug,
				Title:  n.method + " without the header Mcp-Name is rejected",
				Checks: []requirements.ID{"http-mcp-name-required"},
				Needs:  []suite.Need{n.need},
				Fix:    "reject " + n.method + " without the header Mcp-Name with HTTP status 400 and error -32020",
				Run:    judged(n.without, rejected),
			},
			suite.Case{
				ID:     "http/name-header-mismatch-" + n.slug,
				Title:  n.method + " is rejected when the header Mcp-Name differs from the " + n.member + " in its body",
				Checks: []requirements.ID{"http-mcp-name-mismatch"},
				Needs:  []suite.Need{n.need},
				Fix:    "compare the header Mcp-Name with the " + n.member + " in the body, and reject the request if they differ",
				// The other name must not exist: a server that follows the header must
				// not run another tool.
				Run: judged(n.other, rejected),
			})
	}
	return append(cases, suite.Case{
		ID:     "http/name-header-case",
		Title:  "a header Mcp-Name that has other letter case than the name in the body is rejected",
		Checks: []requirements.ID{"http-header-values-case-sensitive"},
		Needs:  []suite.Need{anyName()},
		Fix:    "compare the header Mcp-Name with the body exactly, also its letter case",
		Run:    func(c *probe.Client) error { return firstFitting(c, foldable).refuses(c, otherCase) },
	}, suite.Case{
		ID:     "http/name-header-base64",
		Title:  "a header Mcp-Name in base64 form is decoded before it is compared with the body",
		Checks: []requirements.ID{"http-name-base64-decoded"},
		Needs:  []suite.Need{anyName()},
		Fix:    "decode a header Mcp-Name in the form =?base64?...?= before it is compared",
		Run: func(c *probe.Client) error {
			n := firstNaming(c)
			return accepted(c, n.naming(c, probe.HeaderBase64), n.usual(c))
		},
	})
}

// anyName needs a tool, a resource or a prompt.
func anyName() suite.Need {
	var all []suite.Need
	for _, n := range namings() {
		all = append(all, n.need)
	}
	return suite.Either(all...)
}

// firstNaming is the first naming for which the server lists a thing.
func firstNaming(c *probe.Client) naming {
	return firstFitting(c, func(string) bool { return true })
}

func firstFitting(c *probe.Client, fits func(name string) bool) naming {
	for _, n := range namings() {
		if n.method == "tools/call" && c.Role(roles.ReadOnlyTool).From("tool") == "" {
			continue
		}
		var params probe.Object
		if c.Try(func() { params = n.params(c) }) != nil {
			continue
		}
		if name, _ := params[n.member].(string); fits(name) {
			return n
		}
	}
	c.NotSeen("the server lists nothing with a name that this can be tried with")
	return naming{}
}

// encodingCases send Mcp-Name values that a careless decoder takes for the name in the
// body although they differ from it. Superfluous padding is not tried: RFC 4648 lets a
// decoder ignore it.
func encodingCases() []suite.Case {
	const (
		exact = "decode a value only if it begins with =?base64? and ends with ?=, in lower case, and compare any other as it stands"
		valid = "decode base64 strictly, with its padding and without foreign characters, and reject what cannot be decoded"
	)
	plain := func(name string) string { return base64.StdEncoding.EncodeToString([]byte(name)) }
	var cases []suite.Case
	for _, row := range []struct {
		slug, title string
		rule        requirements.ID
		fix         string
		value       func(name string) string
	}{
		{
			"other", "a header Mcp-Name in base64 form that stands for another name is rejected", "http-name-base64-decoded",
			"decode a header Mcp-Name in the form =?base64?...?=, and reject the request if what comes out differs from the body",
			func(name string) string { return probe.HeaderBase64(name + "-other") },
		},
		{
			"upper-case", "a header Mcp-Name that begins with =?BASE64? is not decoded", "http-base64-marker-exact", exact,
			func(name string) string {
				return strings.ToUpper(protocol.Base64Prefix) + plain(name) + protocol.Base64Suffix
			},
		},
		{
			"no-prefix", "a header Mcp-Name in base64 without =?base64? in front is not decoded", "http-base64-marker-exact", exact,
			func(name string) string { return plain(name) + protocol.Base64Suffix },
		},
		{
			"no-suffix", "a header Mcp-Name in base64 without ?= behind it is not decoded", "http-base64-marker-exact", exact,
			func(name string) string { return protocol.Base64Prefix + plain(name) },
		},
		{
			"alphabet", "a header Mcp-Name with characters that are not base64 is rejected", "http-base64-invalid-rejected", valid,
			func(name string) string {
				text := plain(name)
				return protocol.Base64Prefix + text[:len(text)/2] + "!!!" + text[len(text)/2:] + protocol.Base64Suffix
			},
		},
		{
			"padding", "a header Mcp-Name in base64 without its padding is rejected", "http-base64-invalid-rejected", valid,
			func(name string) string {
				return protocol.Base64Prefix + strings.TrimRight(plain(name), "=") + protocol.Base64Suffix
			},
		},
	} {
		cases = append(cases, suite.Case{
			ID:     "http/base64-" + row.slug,
			Title:  row.title,
			Checks: []requirements.ID{row.rule},
			Needs:  []suite.Need{anyName()},
			Fix:    row.fix,
			Run: func(c *probe.Client) error {
				n := firstFitting(c, func(name string) bool { return row.slug != "padding" || strings.HasSuffix(plain(name), "=") })
				return n.refuses(c, row.value)
			},
		})
	}
	return cases
}
