package icons_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	with := func(icons ...any) *fakeserver.Server {
		all := fakeserver.Reading()
		all[0]["icons"] = append([]any{}, icons...)
		return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: all}
	}
	lawful.Servers(t, "icons", []lawful.Row{
		{Name: "icons in a data URI, without padding", Server: with(map[string]any{
			"src": "DATA:image/png;charset=utf-8;base64,iVBORw0KGgo", "sizes": []any{"any", "48x48"}, "theme": "dark", "vendor": 1,
		})},
		{Name: "icons from this machine", Server: with(map[string]any{
			"src": "http://localhost:8080/icon.svg", "mimeType": "image/svg+xml",
		})},
		{Name: "no icons after all", Server: with()},
	})
}
