package headers

import (
	"encoding/base64"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

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
			Needs:  needs(anyName()),
			Fix:    row.fix,
			Run: judged(func(c *probe.Client) trial {
				n := firstFitting(c, func(name string) bool { return row.slug != "padding" || strings.HasSuffix(plain(name), "=") })
				return n.naming(c, row.value)
			}, rejected),
		})
	}
	return cases
}
