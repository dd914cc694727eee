package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The command notes a consent as unused only while no case asks for it.
func TestConsentsAreUsedOrIgnored(t *testing.T) {
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
		cfg, err := config.Parse("a.yaml", []byte(string(consent)+": true"), nil, config.Known{})
		if err != nil {
			t.Fatal(err)
		}
		if noted := len(cfg.Ignored) > 0; noted == used {
			t.Errorf("%s is noted as not used: %t, a case asks for it: %t", consent, noted, used)
		}
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("limits:\n  pages: 3\n  rounds: 4\nroles:\n"+
		"  upstream: {listen: a}\n  read-only-tool: {tool: a}\n"), nil, known())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.yaml:3: limits.rounds is not used yet", "a.yaml: no case uses these roles yet: upstream"}
	if diff := cmp.Diff(want, ignored(cfg)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
