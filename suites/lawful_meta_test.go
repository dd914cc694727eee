package suites_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/inprocess"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/suites"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/internal/proof"
	"github.com/mcp-conform/mcp-conform/suites/internal/rigged"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// described are servers that say more of themselves than most.
func described() []lawful {
	with := func(properties map[string]any) []map[string]any {
		all := reading()
		maps.Copy(all[0], properties)
		return all
	}
	icon := func(properties map[string]any) map[string]any {
		return map[string]any{"icons": []any{properties}}
	}
	return []lawful{
		{name: "metadata of vendors, long and short", server: &rigged.Server{Capabilities: offersTools, Tools: with(map[string]any{
			"_meta": map[string]any{
				"com.example/a.b_c-d": map[string]any{}, "vendor/outputTemplate": "ui://x", "ui": nil, "x": 1, "com.example/": "", "a-b.c1/d/e": true,
				"com.example.mcp/x": 1, "io.modelcontextprotocol/serverInfo": map[string]any{"name": "later", "version": "1"},
			},
		})}},
		{name: "icons in a data URI, without padding", server: &rigged.Server{Capabilities: offersTools, Tools: with(icon(map[string]any{
			"src": "DATA:image/png;charset=utf-8;base64,iVBORw0KGgo", "sizes": []any{"any", "48x48"}, "theme": "dark", "vendor": 1,
		}))}},
		{name: "icons from this machine", server: &rigged.Server{Capabilities: offersTools, Tools: with(icon(map[string]any{
			"src": "http://localhost:8080/icon.svg", "mimeType": "image/svg+xml",
		}))}},
		{name: "no icons after all", server: &rigged.Server{Capabilities: offersTools, Tools: with(map[string]any{"icons": []any{}})}},
		{name: "empty lists of what is not declared", server: &rigged.Server{Capabilities: offersTools, Tools: reading(), Answer: map[string]func(rigged.Request) any{
			"resources/list": func(rigged.Request) any { return map[string]any{"resources": []any{}} },
			"prompts/list":   func(rigged.Request) any { return map[string]any{"prompts": []any{}} },
		}}},
	}
}

// What a server without a handshake may do as well as the reference server does it.
func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	lists := map[string]bool{"tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true}
	plain := server.Extensions()
	for name, habit := range map[string]fault.Fault{
		"another lifetime on each page": {Without: plain, Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && lists[x.Method] {
				result["ttlMs"] = 1000 * x.Nth
			}
		}},
		"a lifetime written with an exponent": {Without: plain, Reply: fault.OnResult("tools/list", func(result fault.Message) { result["ttlMs"] = json.Number("6e4") })},
		"everything is private": {Without: plain, Reply: func(_ fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && result["cacheScope"] != nil {
				result["cacheScope"] = "private"
			}
		}},
		"caching hints where none are asked for": {Without: plain, Reply: fault.OnResult("prompts/get", func(result fault.Message) {
			result["ttlMs"], result["cacheScope"] = 5, "private"
		})},
		"an old code for unknown tools": {Without: plain, Reply: func(x fault.Exchange, m fault.Message) {
			if _, failed := m["error"]; failed && x.Tool() != "" && m.Object("error")["message"] == "there is no such tool" {
				m.Object("error")["code"] = -32000
			}
		}},
		"more metadata": {Reply: func(_ fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok {
				meta := result.Object("_meta")
				meta["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
				meta["tracestate"], meta["baggage"] = "rojo=1,", "k=v;p=1"
				meta["com.example/x"] = []any{}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, local := reference(t), inprocess.Server(&habit)
			local.Handler = nil
			cfg.Revisions = config.Revisions{Dates: []string{string(requirements.R20260728)}}
			cfg.Wait.Event = 300 * time.Millisecond
			selected := prompt
			if strings.Contains(name, "life") || strings.Contains(name, "cach") || strings.Contains(name, "private") {
				selected = contents // nothing that carries messages looks at how long they may be kept
			}
			report := proof.Judge(t, suites.Plan{
				Config: cfg, Local: local, Seed: 1, Timeout: 20 * time.Second,
				Selected: selected,
			})
			wantNothingSaid(t, report)
		})
	}
}
