package schema_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "schema", []lawful.Row{
		{Name: "extra properties everywhere", Server: &fakeserver.Server{Extra: true, Capabilities: map[string]any{
			"tools": map[string]any{"listChanged": false, "vendor": 1}, "acme.example/x": map[string]any{}, "completions": map[string]any{},
		}, Tools: fakeserver.Tools(2)}},
		{Name: "prompts without descriptions", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("prompts"), Prompts: []map[string]any{{"name": "greet"}},
		}},
		{Name: "a type of content of 2025-03-26, where nothing names the revision", Server: &fakeserver.Server{
			Revisions: []string{"2024-11-05"}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: sounds,
		}, Over: requirements.HTTP},
		{Name: "data that begins like nothing, and media types in other spellings", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(), Edit: pictures,
		}},
	})
}

// pictures replaces a text block by images and recordings.
func pictures(text string) string {
	var blocks []string
	for _, one := range []struct{ kind, media, data string }{
		{"image", "image/jpg", "\xff\xd8\xff\xe0"}, {"image", "image/PNG; v=1", "\x89PNG\r\n\x1a\n"}, {"image", "image/apng", "\x89PNG\r\n\x1a\n"},
		{"image", "image/png", "\x00\x00"}, {"image", "image/svg+xml", "<svg/>"}, {"image", "image/gif", ""},
		{"audio", "audio/wave", "RIFF\x00\x00\x00\x00WAVE"}, {"audio", "audio/mpeg", "ID3\x04"}, {"audio", "audio/opus", "OggS"},
	} {
		data := base64.StdEncoding.EncodeToString([]byte(one.data))
		blocks = append(blocks, fmt.Sprintf(`{"type":%q,"data":%q,"mimeType":%q}`, one.kind, data, one.media))
	}
	return strings.ReplaceAll(text, `{"text":"done","type":"text"}`, strings.Join(blocks, ","))
}

// sounds replaces a text block by an audio block.
func sounds(text string) string {
	return strings.ReplaceAll(text, `{"text":"done","type":"text"}`, `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`)
}
