package manifest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/ext/manifest"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/front"
	"github.com/mcp-conform/mcp-conform/schemas"
)

const opening = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// asked returns the answers to requests for the manifest. The server has the
// extensions and one tool.
func asked(t *testing.T, times int, offered ...core.Extension) []map[string]any {
	t.Helper()
	registry := mcpserver.NewMCPServer("quay", "1.2.3", mcpserver.WithToolCapabilities(true), mcpserver.WithHooks(core.Hooks()))
	registry.AddTool(mcp.NewTool("moor", mcp.WithDescription("Moors."), mcp.WithReadOnlyHintAnnotation(false), mcp.WithIdempotentHintAnnotation(true)), nil)
	c := core.New(core.Config{
		MCP: func() *mcpserver.MCPServer { return registry }, Identity: mcp.Implementation{Name: "quay", Version: "1.2.3", WebsiteURL: "https://quay.example"},
		Extensions: offered, PageSize: 5,
	})
	in := opening
	for i := range times {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"get_manifest","params":{}}`+"\n", i+1)
	}
	var out bytes.Buffer
	front.Stdio{Core: c, Grace: time.Minute}.Serve(t.Context(), nil, strings.NewReader(in), &out, io.Discard)
	answers := make([]map[string]any, times)
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID     int            `json:"id"`
			Result map[string]any `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID > 0 {
			answers[answer.ID-1] = answer.Result
		}
	}
	return answers
}

func noon() time.Time { return time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC) }

func TestDocument(t *testing.T) {
	t.Parallel()
	other := core.Extension{
		Key: manifest.Prefix + "provenance",
		Describe: func(_ *core.Turn, document fault.Message) {
			document["recommendations"] = []any{}
		},
	}
	unlisted := core.Extension{Key: manifest.Prefix + "permissions"}
	got := asked(t, 1, manifest.New(manifest.Options{Now: noon, Daily: 10}), other, unlisted)[0]
	want := map[string]any{
		"manifest_version": "0.1.0",
		"server":           map[string]any{"name": "quay", "version": "1.2.3", "mcp_spec_version": "2025-11-25", "homepage": "https://quay.example"},
		"auth": map[string]any{
			"methods": []any{"none", "bearer_token"}, "session_ttl_seconds": 900.0,
			"scopes": []any{
				map[string]any{"name": "read:harbour", "description": "See berths, bookings and tides.", "grants": []any{}},
				map[string]any{"name": "write:harbour", "description": "Book berths, and change what the office keeps.", "grants": []any{"moor"}},
			},
		},
		"tools": []any{map[string]any{
			"name": "moor", "description": "Moors.", "input_schema": map[string]any{"type": "object", "properties": map[string]any{}, "required": []any{}},
			"idempotent": true, "requires_confirmation": false, "supports_streaming": false, "supports_pagination": false,
			"required_scopes": []any{"write:harbour"},
		}},
		"supported_extensions": []any{"provenance"},
		"rate_limits":          map[string]any{"requests_per_day": 10.0, "remaining": 8.0, "resets_at": "2026-08-21T00:00:00Z"},
		"recommendations":      []any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	set, err := schemas.Load().Extension("manifest")
	if err != nil {
		t.Fatal(err)
	}
	if faults := set.Validate("StrictManifest", got); len(faults) > 0 {
		t.Errorf("the document is not canonical: %+v", faults)
	}
}

// The allowance of a day holds, and the next day has a new one.
func TestAllowance(t *testing.T) {
	t.Parallel()
	served := func(now func() time.Time) (n int) {
		for _, answer := range asked(t, 4, manifest.New(manifest.Options{Now: now, Daily: 3})) {
			if answer != nil {
				n++
			}
		}
		return n
	}
	if got := served(noon); got != 2 {
		t.Errorf("%d of 4 requests were served after the opening, want 2", got)
	}
	days := 0
	if got := served(func() time.Time { days++; return noon().AddDate(0, 0, days) }); got != 4 {
		t.Errorf("%d of 4 requests were served on days of their own, want 4", got)
	}
}
