package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Some case asks for each consent.
func TestConsentsAreUsed(t *testing.T) {
	t.Parallel()
	for _, consent := range suite.Consents() {
		used := consent == suite.External // the kit itself asks before it visits another host
		for _, s := range suites.All() {
			for _, c := range s.Cases {
				used = used || slices.ContainsFunc(c.Needs, func(n suite.Need) bool {
					return slices.Contains(n.Any, suite.Word{Kind: suite.OptInKind, Value: string(consent)})
				})
			}
		}
		if !used {
			t.Errorf("no case asks for %s", consent)
		}
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("limits:\n  pages: 3\nroles:\n"+
		"  upstream: {listen: a}\n  read-only-tool: {tool: a}\n"), nil, known())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.yaml: no case uses these roles yet: upstream"}
	if diff := cmp.Diff(want, ignored(cfg)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
