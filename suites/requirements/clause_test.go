package requirements_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLink(t *testing.T) {
	t.Parallel()
	const site = "https://modelcontextprotocol.io/"
	rows := []struct {
		name, page string
		at         requirements.Revision
		want       string
	}{
		{"page and anchor", "server/utilities/pagination#error-handling", requirements.R20241105,
			site + "specification/2024-11-05/server/utilities/pagination#error-handling"},
		{"page alone", "server/discover", requirements.R20260728, site + "specification/2026-07-28/server/discover"},
		{"schema type", "schema.ts#ListToolsResult", requirements.R20251125, site + "specification/2025-11-25/schema#listtoolsresult"},
		{"schema constant", "schema.ts#INTERNAL_ERROR", requirements.R20250618, site + "specification/2025-06-18/schema#internal_error"},
		{"schema that is not on the site", "schema.ts#Tool", requirements.R20250326,
			"https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts"},
		{"whole schema", "schema.ts", requirements.R20250618, site + "specification/2025-06-18/schema"},
		{"changelog", "changelog#major-changes", requirements.R20260728, site + "specification/2026-07-28/changelog#major-changes"},
		{"proposal", "seps/2663-tasks-extension#protocol-errors", requirements.R20260728, site + "seps/2663-tasks-extension#protocol-errors"},
		{"somebody else's page", "https://berths.example/rules#Count", requirements.R20260728, "https://berths.example/rules#Count"},
		{"extension", "", requirements.R20260728, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := (requirements.Clause{Page: row.page}).Link(row.at); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	const none = requirements.Level("")
	rows := []struct {
		id   requirements.ID
		at   requirements.Revision
		want requirements.Level
	}{
		{"lifecycle-respect-negotiated-version", requirements.R20241105, requirements.Should},
		{"lifecycle-respect-negotiated-version", requirements.R20250326, requirements.Should},
		{"lifecycle-respect-negotiated-version", requirements.R20250618, requirements.Must},
		{"lifecycle-respect-negotiated-version", requirements.R20251125, requirements.Must},
		{"lifecycle-respect-negotiated-version", requirements.R20260728, none},
		{"jsonrpc-batch-never-sent", requirements.R20241105, requirements.Must},
		{"jsonrpc-batch-never-sent", requirements.R20250326, none}, // the gap in which arrays were allowed
		{"jsonrpc-batch-never-sent", requirements.R20250618, requirements.Must},
		{"jsonrpc-batch-never-sent", requirements.R20260728, requirements.Must},
		{"cancellation-no-response", requirements.R20251125, requirements.Should},
		{"cancellation-no-response", requirements.R20260728, requirements.Must},
		{"discover-implemented", requirements.R20251125, none},
		{"discover-implemented", requirements.R20260728, requirements.Must},
		{"ext-idempotency-first-runs", requirements.R20241105, requirements.Must},
		{"ext-idempotency-first-runs", requirements.R20260728, requirements.Must},
		{"discover-implemented", "2099-01-01", none},
		{"discover-implemented", "", none},
	}
	c := load(t)
	for _, row := range rows {
		t.Run(string(row.id)+" at "+string(row.at), func(t *testing.T) {
			t.Parallel()
			r, ok := c.Find(row.id)
			if !ok {
				t.Fatal("no such requirement")
			}
			clause, holds := r.At(row.at)
			if clause.Level != row.want || holds != (row.want != none) {
				t.Errorf("got level %q, %t, want %q", clause.Level, holds, row.want)
			}
		})
	}
}

func TestRevisionsOfARequirement(t *testing.T) {
	t.Parallel()
	r, _ := load(t).Find("jsonrpc-batch-never-sent")
	want := []requirements.Revision{requirements.R20241105, requirements.R20250618, requirements.R20251125, requirements.R20260728}
	if diff := cmp.Diff(want, r.Revisions()); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

func TestBackedOnlyWhereItSaysSo(t *testing.T) {
	t.Parallel()
	rows := []struct {
		id   requirements.ID
		at   requirements.Revision
		want bool
	}{
		{"tools-list-answered-legacy", requirements.R20241105, true},
		{"stdio-newline-framing", requirements.R20250326, true},
		{"jsonrpc-method-not-found", requirements.R20251125, false},
		{"jsonrpc-batch-never-sent", requirements.R20241105, true},
		{"jsonrpc-parse-error", requirements.R20260728, false},
		{"errors-removed-methods", requirements.R20260728, false}, // no sentence forbids to go on serving them
	}
	c := load(t)
	for _, row := range rows {
		r, _ := c.Find(row.id)
		if clause, _ := r.At(row.at); clause.Backed != row.want {
			t.Errorf("%s at %s: got backed %t, want %t", row.id, row.at, clause.Backed, row.want)
		}
	}
}

// The basis of a level decides between a failure and a warning; these were once
// wrong.
func TestWhatLevelsRestOn(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, row := range []struct {
		id    requirements.ID
		at    requirements.Revision
		level requirements.Level
		basis requirements.Basis
	}{
		{"jsonrpc-single-response", requirements.R20241105, requirements.Must, requirements.JSONRPCMust},
		{"jsonrpc-notification-no-response-2024", requirements.R20241105, requirements.Must, requirements.JSONRPCMust},
		{"jsonrpc-unknown-notification-silent-2024", requirements.R20241105, requirements.Must, requirements.JSONRPCMust},
		{"jsonrpc-batch-notification-silent", requirements.R20250326, requirements.Must, requirements.JSONRPCMust},
		{"jsonrpc-batch-response-coverage", requirements.R20250326, requirements.Should, requirements.JSONRPCTable},
		{"jsonrpc-parse-error", requirements.R20250618, requirements.Must, requirements.JSONRPCTable},
		{"jsonrpc-invalid-params", requirements.R20251125, requirements.Must, requirements.JSONRPCTable},
		{"jsonrpc-method-not-found", requirements.R20260728, requirements.Must, requirements.JSONRPCTable},
		{"jsonrpc-method-not-found-over-http", requirements.R20260728, requirements.Must, requirements.Keyword},
		{"jsonrpc-ids-scoped-to-sender", requirements.R20250618, requirements.Must, requirements.Keyword},
		{"lifecycle-dual-era-modern-stateless", requirements.R20260728, requirements.Must, requirements.Keyword},
		{"discover-capabilities-accurate", requirements.R20260728, requirements.Must, requirements.Keyword},
		{"cancellation-server-ends-listen", requirements.R20260728, requirements.Must, requirements.Keyword},
		{"tools-structured-nonobject-text-copy", requirements.R20260728, requirements.Should, requirements.Keyword},
		{"authorization-401-challenge-without-token", requirements.R20250326, requirements.Should, requirements.Prose},
		{"authorization-401-challenge-without-token", requirements.R20250618, requirements.Must, requirements.Keyword},
		{"http-sse-endpoint-origin", requirements.R20241105, requirements.Should, requirements.Prose},
		{"security-session-not-authentication", requirements.R20250618, requirements.Should, requirements.Keyword},
		{"tools-call-arguments-optional", requirements.R20241105, requirements.Should, requirements.Prose},
		{"ext-degrade-unknown-meta", requirements.R20250326, requirements.Should, requirements.Core},
		{"ext-degrade-unknown-meta", requirements.R20250618, requirements.Must, requirements.Core},
	} {
		r, _ := c.Find(row.id)
		if clause, ok := r.At(row.at); !ok || clause.Level != row.level || clause.Basis != row.basis {
			t.Errorf("%s at %s: %s by %s, want %s by %s", row.id, row.at, clause.Level, clause.Basis, row.level, row.basis)
		}
	}
}

func TestOn(t *testing.T) {
	t.Parallel()
	r, _ := load(t).Find("cancellation-no-response")
	legacy, _ := r.At(requirements.R20251125)
	modern, _ := r.At(requirements.R20260728)
	if !legacy.On(requirements.Stdio) || !legacy.On(requirements.HTTP) {
		t.Error("a clause without transports does not hold over all of them")
	}
	if !modern.On(requirements.Stdio) || modern.On(requirements.HTTP) {
		t.Error("a clause for stdio does not hold over stdio alone")
	}
}

// The page on the base protocol has headings since 2025-03-26, and is long: a link leads to
// the section.
func TestLinksOfTheBaseProtocolHaveAnchors(t *testing.T) {
	t.Parallel()
	for _, r := range load(t).All() {
		for _, at := range r.Revisions() {
			clause, _ := r.At(at)
			if clause.Page == "basic/index" && at != requirements.R20241105 {
				t.Errorf("%s at %s leads to the whole page", r.ID, at)
			}
		}
	}
}

// A rule for all transports may stand on a page of each.
func TestPageOfTheTransport(t *testing.T) {
	t.Parallel()
	const site = "https://modelcontextprotocol.io/specification/"
	c := load(t)
	for _, row := range []struct {
		id   requirements.ID
		at   requirements.Revision
		over requirements.Transport
		want string
	}{
		{"jsonrpc-batch-rejected", requirements.R20260728, requirements.Stdio, "2026-07-28/basic/transports/stdio"},
		{"jsonrpc-batch-rejected", requirements.R20260728, requirements.HTTP, "2026-07-28/basic/transports/streamable-http#sending-messages"},
		{"jsonrpc-batch-rejected", requirements.R20251125, requirements.Stdio, "2025-11-25/basic/transports#stdio"},
		{"jsonrpc-batch-rejected", requirements.R20251125, requirements.HTTP, "2025-11-25/basic/transports#sending-messages-to-the-server"},
		{"jsonrpc-batch-never-sent", requirements.R20260728, requirements.Stdio, "2026-07-28/basic/transports/stdio"},
		{"jsonrpc-batch-never-sent", requirements.R20260728, requirements.HTTP, "2026-07-28/basic/transports/streamable-http#sending-messages"},
		{"jsonrpc-batch-never-sent", requirements.R20241105, requirements.SSE, "2024-11-05/basic/transports#stdio"},
		{"ping-empty-result", requirements.R20251125, requirements.HTTP, "2025-11-25/basic/utilities/ping#behavior-requirements"},
	} {
		r, _ := c.Find(row.id)
		clause, _ := r.At(row.at)
		if got := clause.LinkOver(row.at, row.over); got != site+row.want {
			t.Errorf("%s at %s over %s: %s, want %s", row.id, row.at, row.over, got, row.want)
		}
	}
}
