package multimodal_test

import (
	"encoding/base64"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

type object = map[string]any

const onePicture = `
roles:
  binary-tool:
    tool: tool_1
    argument: text
    arguments: {text: "R0lGODlhAQABAA=="}
    mime: image/gif
    unlisted: {mime: image/webp}
`

// signed are two tools, of which the second has a signature.
func signed(signature object) []map[string]any {
	tools := fakeserver.Tools(2)
	for name, value := range signature {
		tools[1][name] = value
	}
	return tools
}

// keeper takes whatever base64 comes up to a size, and refuses the rest in plain form.
func keeper(most int, answer object) fakeserver.Answers {
	return fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		failed := func(text string) any { return object{"isError": true, "content": fakeserver.Text(text)["content"]} }
		arguments, _ := r.Params["arguments"].(object)
		text, _ := arguments["text"].(string)
		name, _ := r.Params["name"].(string)
		data, err := base64.StdEncoding.DecodeString(text)
		switch {
		case name != "tool_0" && name != "tool_1":
			return &fakeserver.Error{Code: -32602, Message: "unknown tool"}
		case !fakeserver.HasText(r):
			return failed("text is missing")
		case name == "tool_0":
			return fakeserver.Text("fine")
		case err != nil:
			return failed("That is no base64.")
		case len(data) > most || len(text) > most:
			return failed("That is too large.")
		}
		return answer
	}}
}

func TestLawful(t *testing.T) {
	offers := fakeserver.Offers("tools", "ext:multimodal_signatures")
	thumbnail := object{"content": []any{
		object{"type": "text", "text": "A small picture of it."}, object{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
	}}
	lawful.Servers(t, "ext-multimodal", []lawful.Row{
		{Name: "counts the base64 and keeps what it gets", Config: onePicture, Server: &fakeserver.Server{
			Capabilities: offers, Answer: keeper(4096, fakeserver.Text("kept")), Tools: signed(object{
				"input_types": []any{"image/*", "application/vnd.ms-excel"}, "output_types": []any{"text/plain; charset=utf-8"}, "max_input_size_bytes": 4096,
			}),
		}},
		{Name: "a signature under _meta, and an answer of several types", Config: onePicture, Server: &fakeserver.Server{
			Capabilities: offers, Answer: keeper(4096, thumbnail), Tools: signed(object{"_meta": object{
				"input_types": []any{"image/gif"}, "output_types": []any{"image/png"},
			}}),
		}},
		{Name: "words of its own in tools/list, and no claim", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Tools(2),
		}},
		{Name: "claims signatures, and has none", Server: &fakeserver.Server{Capabilities: offers, Tools: fakeserver.Tools(2)}},
	})
}
