package permissions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/permissions"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/plan"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// The notes on an answer in the words of the text stand in one order in each run.
func TestNotesOnWordsOfTheText(t *testing.T) {
	t.Parallel()
	server := &fakeserver.Server{
		Capabilities: object{"extensions": object{prefix + "permissions": object{}}},
		Answer: map[string]func(fakeserver.Request) any{"scopes/negotiate": func(fakeserver.Request) any {
			return object{"granted": []any{}, "denied": []any{}, "session": object{}}
		}},
	}
	for range 20 {
		f := proof.Found(t, plan.Plan{
			Config: config.Default(), Local: &plan.Local{Serve: server.Serve}, Suites: []suite.Suite{permissions.Suite()}, Seed: 1,
		}, "ext-permissions/negotiate-unknown-scope")
		granted := slices.IndexFunc(f.Notes, func(note string) bool { return strings.Contains(note, "has granted, as in the text") })
		denied := slices.IndexFunc(f.Notes, func(note string) bool { return strings.Contains(note, "has denied, as in the text") })
		if granted < 0 || granted > denied {
			t.Fatalf("%s %+v: notes %q, want one on granted and then one on denied", f.Status, f.Reason, f.Notes)
		}
	}
}
