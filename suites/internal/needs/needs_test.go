package needs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/needs"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// lacking is the text of the skip of a case with a need, at a server with some traits.
func lacking(t *testing.T, need suite.Need, traits ...probe.Trait) string {
	t.Helper()
	survey := &probe.Survey{Traits: map[probe.Trait]bool{}}
	for _, trait := range traits {
		survey.Traits[trait] = true
	}
	why, lacks := needs.Ground{Survey: survey}.Lacks(need)
	if !lacks {
		t.Fatalf("%v is not lacking", need)
	}
	return why.Text
}

// Names of traits are ours. An author of a server reads what was not there.
func TestEachTraitHasWords(t *testing.T) {
	t.Parallel()
	for _, trait := range probe.Traits() {
		text := lacking(t, suite.Trait(trait))
		bare := slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }), string(trait))
		if bare || !strings.Contains(text, " ") {
			t.Errorf("the trait %s is told as %q, want words for it", trait, text)
		}
	}
}

// A server that nobody has to log in to, and one that has its own way of it, are told
// different things about the cases of authorization.
func TestWordsOfGuards(t *testing.T) {
	t.Parallel()
	framework := suite.Trait(probe.AuthorizationFramework)
	if got, want := lacking(t, framework), "the refusal of a request without credentials"; got != want {
		t.Errorf("an open server is told %q, want %q", got, want)
	}
	if got, want := lacking(t, framework, probe.Guarded), "authorization/framework-followed"; !strings.Contains(got, want) {
		t.Errorf("a server with guards of its own is told %q, want the case %s in it", got, want)
	}
}

// The reason says what to write into the configuration, and the configuration takes it.
func TestEachConsentSaysItsKey(t *testing.T) {
	t.Parallel()
	for _, consent := range suite.Consents() {
		text, key := lacking(t, suite.OptIn(consent)), string(consent)+": true"
		if !strings.Contains(text, key) {
			t.Errorf("the reason is %q, want %q in it", text, key)
		}
		cfg, err := config.Parse("a.yaml", []byte(key), nil, config.Known{})
		if err != nil {
			t.Fatal(err)
		}
		if why, lacks := (needs.Ground{Survey: &probe.Survey{}, Given: cfg}).Lacks(suite.OptIn(consent)); lacks {
			t.Errorf("with %s the case is skipped: %s", key, why.Text)
		}
	}
}

func TestWordsOfTransports(t *testing.T) {
	t.Parallel()
	http := suite.Over(requirements.HTTP)
	if got, want := lacking(t, http), "judged over http only"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got, want := lacking(t, suite.Either(http, suite.Trait(probe.Durable))), "judged over http or with target.durable: true"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What the configuration says the server does not have is nothing to judge; a need that
// something else could meet is still open.
func TestNone(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("a.yaml", []byte("roles:\n  schema-tool: none\n  slow-tool: none\n"), nil, config.Known{})
	if err != nil {
		t.Fatal(err)
	}
	schemaTool, slow, failing := suite.Role(roles.SchemaTool), suite.Role(roles.SlowTool), suite.Role(roles.Failure, "tool")
	for name, row := range map[string]struct {
		need suite.Need
		kind reports.ReasonKind
		text string
	}{
		"none":         {schemaTool, reports.SaidNone, "a.yaml:2 says roles.schema-tool: none"},
		"both none":    {suite.Either(schemaTool, slow), reports.SaidNone, "a.yaml:2 says roles.schema-tool: none"},
		"one of two":   {suite.Either(schemaTool, failing), reports.NoRole, ""},
		"another role": {failing, reports.NoRole, ""},
	} {
		why, _ := needs.Ground{Survey: &probe.Survey{}, Given: cfg}.Lacks(row.need)
		if why.Kind != row.kind || !strings.Contains(why.Text, row.text) {
			t.Errorf("%s: got %+v", name, why)
		}
	}
}
