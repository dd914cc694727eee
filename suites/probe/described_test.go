package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Clients read the document that the challenge names, and no other one then.
func TestDescribed(t *testing.T) {
	t.Parallel()
	const host = "https://harbour.example"
	const root, byPath = host + "/.well-known/oauth-protected-resource", host + "/.well-known/oauth-protected-resource/mcp"
	found := func(at, resource string, named bool) probe.Metadata {
		return probe.Metadata{At: at, Named: named, Object: probe.Object{"resource": resource}, Document: probe.Document{Status: 200}}
	}
	lost := func(at string, status int) probe.Metadata {
		return probe.Metadata{At: at, Named: true, Document: probe.Document{Status: status}}
	}
	for name, row := range map[string]struct {
		documents []probe.Metadata
		want      string // the address; empty for none
	}{
		"none":                     {},
		"the named one":            {[]probe.Metadata{found(host+"/me", host+"/mcp", true), found(root, host+"/mcp", false)}, host + "/me"},
		"a named one of another":   {[]probe.Metadata{found(root, host+"/api", true)}, root},
		"the named one is abroad":  {[]probe.Metadata{lost("https://login.example/x", 0), found(root, host+"/mcp", false)}, ""},
		"the named one is missing": {[]probe.Metadata{lost(host+"/me", 404), found(root, host+"/mcp", false)}, root},
		"a path is no address":     {[]probe.Metadata{lost("/me", 0), found(byPath, host+"/mcp", false)}, byPath},
		"the first by path":        {[]probe.Metadata{found(byPath, host+"/mcp", false), found(root, host+"/", false)}, byPath},
		"another API at the root":  {[]probe.Metadata{found(root, host+"/api", false)}, ""},
		"a slip behind the path":   {[]probe.Metadata{found(byPath, host+"/api", false)}, byPath},
		"a public name at root":    {[]probe.Metadata{found(root, "https://public.example/mcp", false)}, root},
		"the origin at the root":   {[]probe.Metadata{found(root, host, false)}, root},
	} {
		got, ok := (&probe.Access{Resource: row.documents}).Described(host + "/mcp")
		if got.At != row.want || ok != (row.want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got.At, ok, row.want)
		}
	}
}
