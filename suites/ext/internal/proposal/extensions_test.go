package proposal_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for extension, want := range map[string]string{
		"idempotency": "idempotency", "intent": "intent_hints", "confirmation": "human_in_the_loop",
		"progress": "progress_notifications", "data-references": "data_references", "structured-errors": "structured_errors",
		"multimodal": "multimodal_signatures", "server-discovery": "server_recommendations", "session-state": "session_state",
		"push": "subscribe_notify", "manifest": "manifest", "cost-latency": "cost_latency", "permissions": "permissions",
		"transactions": "transactions", "provenance": "provenance", "streaming": "streaming",
	} {
		const prefix = "io.github.mcp-extension-proposals/"
		if got := proposal.Extension(extension).Key(); got != prefix+want {
			t.Errorf("%s: got %s, want %s", extension, got, want)
		}
	}
}

// Every extension of the catalogue that a server can declare is known here.
func TestExtensions(t *testing.T) {
	t.Parallel()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	// Their rules hold for every server that has such content at all.
	without := []string{"content", "degradation"}
	for _, r := range catalogue.All() {
		if r.Extension != "" && !slices.Contains(without, r.Extension) && proposal.Extension(r.Extension).Name != r.Extension {
			t.Errorf("%s belongs to %s, which has no token", r.ID, r.Extension)
		}
	}
	for _, part := range []string{"dashdash-init", "dashdash-tools", "dashdash-ai-help", "dashdash-resources"} {
		if got := proposal.Extension(part).Key(); got != "io.github.visionik/dashdash" {
			t.Errorf("%s is declared as %s", part, got)
		}
	}
	by := func(e suite.Extension) bool { return e.Name == "transactions" }
	if !slices.ContainsFunc(proposal.Extension("idempotency").ImpliedBy, by) {
		t.Error("who claims transactions claims idempotency too, whether or not there is a suite for the former")
	}
	if e := proposal.Extension("idempotence"); e.Name != "" {
		t.Errorf("an unknown name gives %+v", e)
	}
}

// The table of names in the documentation is that of the code.
func TestTableOfNames(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/extensions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"manifest", "intent", "cost-latency", "permissions", "idempotency", "transactions", "confirmation", "progress", "streaming", "server-discovery", "push", "structured-errors",
		"session-state", "provenance", "multimodal", "data-references"} {
		key := proposal.Extension(name).Key()
		row := fmt.Sprintf("| `%s` | `%s` | `%s` | `ext-%s` | [%s](ext-%s.md) |", key, strings.TrimPrefix(key, proposal.Prefix), name, name,
			strings.ReplaceAll(name, "-", " "), name)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/extensions.md lacks the row %s", row)
		}
	}
	for _, part := range []string{"init", "tools", "ai-help", "resources"} {
		row := fmt.Sprintf("| `%s` | none | `dashdash-%s` | `ext-dashdash-%s` | [dashdash](ext-dashdash.md) |",
			proposal.Extension("dashdash-"+part).Key(), part, part)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/extensions.md lacks the row %s", row)
		}
	}
}
