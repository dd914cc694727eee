package manifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// enumOf reads the values of a definition of the schema.
func enumOf(t *testing.T, definition string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash("../../../schemas/extensions/manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Items struct {
				Enum []string `json:"enum"`
			} `json:"items"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	names := schema.Defs[definition].Items.Enum
	if len(names) == 0 {
		t.Fatalf("the schema has no values for %s", definition)
	}
	return names
}

// The problem of a finding cuts a long list off, so that the fix is where all names
// stand.
func TestFixesNameWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for id, definition := range map[string]string{
		"ext-manifest/extensions-enum": "Extensions", "ext-manifest/auth-methods-enum": "AuthMethods",
	} {
		all := Suite().Cases
		i := slices.IndexFunc(all, func(c suite.Case) bool { return c.ID == id })
		said := strings.FieldsFunc(all[i].Fix, func(r rune) bool { return strings.ContainsRune(" ,:", r) })
		for _, name := range enumOf(t, definition) {
			if !slices.Contains(said, name) {
				t.Errorf("the fix of %s is %q, want %s in it", id, all[i].Fix, name)
			}
		}
	}
}

// Somebody who writes a server from the page alone has to find there what is judged.
func TestPageNamesWhatIsAllowed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.FromSlash("../../../docs/ext-manifest.md"))
	if err != nil {
		t.Fatal(err)
	}
	for what, names := range map[string][]string{
		"supported_extensions": enumOf(t, "Extensions"), "auth.methods": enumOf(t, "AuthMethods"),
		"the document": ownProperties(), "a tool": proposal.ToolProperties(),
	} {
		for _, name := range names {
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("the page does not name %s, which is allowed in %s", name, what)
			}
		}
	}
}

// An extension that is declared with a prefix is declared, whether or not its bare name is there
// too, and in whichever order the two are read.
func TestDeclaredBesideItsBareName(t *testing.T) {
	const token = "intent_hints"
	capabilities := map[string]any{"extensions": map[string]any{token: true, proposal.Prefix + token: true, "streaming": true}}
	for range 64 {
		if got := declaredTokens(capabilities); !got[token] || got["streaming"] {
			t.Fatalf("got %v, want %s alone", got, token)
		}
	}
}
