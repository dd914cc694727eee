package meta_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	all := fakeserver.Reading()
	all[0]["_meta"] = map[string]any{
		"com.example/a.b_c-d": map[string]any{}, "vendor/outputTemplate": "ui://x", "ui": nil, "x": 1, "com.example/": "", "a-b.c1/d/e": true,
		"com.example.mcp/x": 1, "io.modelcontextprotocol/serverInfo": map[string]any{"name": "later", "version": "1"},
	}
	lawful.Servers(t, "meta", []lawful.Row{
		{Name: "metadata of vendors, long and short", Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: all}},
	})
}

func TestLawfulWithoutHandshake(t *testing.T) {
	t.Parallel()
	lawful.Stateless(t, "more metadata", lawful.Prompt, &fault.Fault{Reply: func(_ fault.Exchange, m fault.Message) {
		if result, ok := m.Result(); ok {
			meta := result.Object("_meta")
			meta["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
			meta["tracestate"], meta["baggage"] = "rojo=1,", "k=v;p=1"
			meta["com.example/x"] = []any{}
		}
	}})
}
