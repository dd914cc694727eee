package prompts

import (
	"fmt"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

const get = "prompts/get"

// of selects requests for a prompt.
func of(name string) fault.When {
	return fault.On(get).And(func(x fault.Exchange) bool { return x.Param("name") == name })
}

// with selects requests for prompts with an argument that fulfils a condition.
func with(condition func(value any) bool) fault.When {
	return fault.On(get).And(func(x fault.Exchange) bool {
		arguments, _ := x.Param("arguments").(map[string]any)
		for _, value := range arguments {
			if condition(value) {
				return true
			}
		}
		return false
	})
}

// arguments are malformed arguments in the list.
func arguments() []fault.Fault {
	const first = "/result/prompts/0/arguments"
	return []fault.Fault{{Breaks: "prompts-argument-schema", Each: []fault.Fault{
		{Name: "prompts-arguments-null", Title: "a prompt has null as arguments", Reply: fault.Set("prompts/list", first, nil)},
		{Name: "prompts-argument-nameless", Title: "an argument has no name", Reply: fault.Drop("prompts/list", first+"/0/name")},
		{
			Name: "prompts-argument-required-text", Title: "required is a string",
			May:   []string{"prompts/optional-arguments"}, // the argument is not known as a required one
			Reply: fault.Set("prompts/list", first+"/0/required", "true"),
		},
	}}}
}

// got are malformed prompts.
func got() []fault.Fault {
	const simple, first = "test_simple_prompt", "/result/messages/0"
	return []fault.Fault{
		{Breaks: "prompts-get-schema", Each: []fault.Fault{
			{Name: "prompts-messages-missing", Title: "a prompt has no messages", Reply: of(simple).Drop("/result/messages")},
			{
				Name: "prompts-messages-object", Title: "messages are an object instead of an array",
				Reply: of(simple).Set("/result/messages", map[string]any{}),
			},
			{Name: "prompts-message-text", Title: "a message is a string", Reply: of(simple).Set(first, "Say hello.")},
			{Name: "prompts-message-without-role", Title: "a message has no role", Reply: of(simple).Drop(first + "/role")},
			{Name: "prompts-message-empty", Title: "a message has no content", Reply: of(simple).Drop(first + "/content")},
		}},
		{
			Name: "prompts-role-system", Title: "a message has the role system", Breaks: "prompts-message-role",
			Reply: of(simple).Set(first+"/role", "system"),
		},
		{Breaks: "prompts-content-types", Each: []fault.Fault{
			{Name: "prompts-content-list", Title: "the content of a message is an array of blocks", Reply: of(simple).Result(listed)},
			{Name: "prompts-content-string", Title: "the content of a message is a string", Reply: of(simple).Set(first+"/content", "Say hello.")},
			{
				Name: "prompts-content-audio-too-early", Title: "a message holds audio, which 2024-11-05 does not have",
				In:    fault.OverStdio("2024-11-05"),
				Reply: of(simple).Set(first+"/content", map[string]any{"type": "audio", "data": "AAEC", "mimeType": "audio/wav"}),
			},
			{Name: "prompts-content-video", Title: "a message holds a video", Reply: of(simple).Set(first+"/content/type", "video")},
		}},
	}
}

// content is what the first message holds.
func content(result fault.Message) map[string]any {
	messages, _ := result["messages"].([]any)
	if len(messages) == 0 {
		return map[string]any{}
	}
	message, _ := messages[0].(map[string]any)
	content, _ := message["content"].(map[string]any)
	return content
}

func listed(result fault.Message) {
	messages, _ := result["messages"].([]any)
	for _, one := range messages {
		if message, ok := one.(map[string]any); ok {
			message["content"] = []any{message["content"]}
		}
	}
}

// media are malformed images and recordings.
func media() []fault.Fault {
	const block = "/result/messages/0/content"
	lines := func(result fault.Message) {
		if data, ok := content(result)["data"].(string); ok {
			content(result)["data"] = data[:20] + "\n" + data[20:]
		}
	}
	encoded := func(kind string, prompt fault.When) []fault.Fault {
		return []fault.Fault{
			{
				Name: "prompts-" + kind + "-data-url", Title: "the data of " + kind + " begin with data:",
				Reply: prompt.Result(func(result fault.Message) {
					content(result)["data"] = fmt.Sprint("data:;base64,", content(result)["data"])
				}),
			},
			{Name: "prompts-" + kind + "-lines", Title: "the data of " + kind + " have line breaks", Reply: prompt.Result(lines)},
			{Name: "prompts-" + kind + "-untyped", Title: kind + " has no media type", Reply: prompt.Drop(block + "/mimeType")},
			{
				Name: "prompts-" + kind + "-extension", Title: kind + " has a file extension as media type",
				Reply: prompt.Set(block+"/mimeType", "bin"),
			},
		}
	}
	var embedded []fault.Fault
	embedding := of("test_prompt_with_embedded_resource")
	for _, row := range []struct {
		slug, title string
		reply       fault.Change
	}{
		{"nowhere", "an embedded resource has no URI", embedding.Drop(block + "/resource/uri")},
		{"relative", "an embedded resource has a path as URI", embedding.Set(block+"/resource/uri", "notes/today.txt")},
		{"untyped", "an embedded resource has no media type", embedding.Drop(block + "/resource/mimeType")},
		{"empty", "an embedded resource has neither text nor a blob", embedding.Drop(block + "/resource/text")},
		{"number", "the text of an embedded resource is a number", embedding.Set(block+"/resource/text", 7)},
	} {
		embedded = append(embedded, fault.Fault{Name: "prompts-embedded-" + row.slug, Title: row.title, Reply: row.reply})
	}
	return []fault.Fault{
		{Breaks: "prompts-image-encoded", Each: encoded("image", of("test_prompt_with_image"))},
		{Breaks: "prompts-audio-encoded", Each: encoded("audio", of("test_prompt_with_audio"))},
		{Breaks: "prompts-embedded-resource-fields", Each: embedded},
	}
}

// asked are prompts that are refused where they should not be, or with another error.
func asked() []fault.Fault {
	bare := func(x fault.Exchange) bool { _, given := x.Param("arguments").(map[string]any); return !given }
	coded := func(from, to int) fault.Change {
		return fault.OnError(get, func(failure fault.Message) {
			if failure["code"] == from {
				failure["code"] = to
			}
		})
	}
	return []fault.Fault{
		{Breaks: "prompts-optional-arguments", Each: []fault.Fault{
			{
				Name: "prompts-arguments-demanded", Title: "a prompt is refused without params.arguments",
				Inbound: of("lamp_check").And(bare).Refuse(-32602, "arguments is missing"),
			},
			{
				Name: "prompts-optional-demanded", Title: "a prompt is refused without an argument that is not required",
				Inbound: of("fee_letter").And(func(x fault.Exchange) bool {
					given, _ := x.Param("arguments").(map[string]any)
					return given["tone"] == nil
				}).Refuse(-32602, "tone is missing"),
			},
		}},
		{
			Name: "prompts-listed-unanswered", Title: "a listed prompt is never answered", Breaks: "jsonrpc-single-response",
			Kills: []string{"prompts/optional-arguments"}, Hangs: true, Inbound: of("lamp_check").Hang(),
		},
		{
			Name: "prompts-unknown-empty", Title: "an unknown prompt has no messages", Breaks: "prompts-unknown-name",
			Skip: []fault.Check{fault.CheckPrompt},
		},
		{
			Name: "prompts-missing-arguments-rendered", Title: "a prompt is rendered without its required arguments",
			Breaks: "prompts-missing-arguments", Skip: []fault.Check{fault.CheckPromptArguments},
		},
		{
			Name: "prompts-failure-own-code", Title: "a failure inside a prompt has a code of the server's own",
			Breaks: "prompts-internal-error", Reply: coded(-32603, 1),
		},
	}
}

// validated are arguments on which the server gives up.
func validated() []fault.Fault {
	row := func(slug, title string, breaks func(value any) bool) fault.Fault {
		return fault.Fault{
			Name: "prompts-argument-" + slug + "-exits", Title: "the server ends on " + title, Breaks: "prompts-arguments-validated",
			Kills: []string{"prompts/arguments-validated-" + slug}, In: fault.OverStdio("2025-11-25", "2026-07-28"), Inbound: with(breaks).Exit(1),
		}
	}
	return []fault.Fault{
		row("number", "a number as an argument", func(value any) bool { _, number := value.(float64); return number }),
		row("object", "an object as an argument", func(value any) bool { _, object := value.(map[string]any); return object }),
		row("long", "a long argument", func(value any) bool { text, _ := value.(string); return len(text) > 64<<10 }),
		{
			Name: "prompts-argument-unknown-unanswered", Title: "a prompt with an argument that it does not have is never answered",
			Breaks: "prompts-arguments-validated", Kills: []string{"prompts/arguments-validated-unknown"}, Hangs: true,
			Inbound: fault.On(get).And(func(x fault.Exchange) bool {
				given, _ := x.Param("arguments").(map[string]any)
				return given["mcp_conform"] != nil
			}).Hang(),
		},
	}
}

// guarded are prompts that do what an argument says.
func guarded() []fault.Fault {
	rendered := func(from, to string) fault.Change {
		return of("arrival_notice").Result(func(result fault.Message) {
			if text, ok := content(result)["text"].(string); ok {
				content(result)["text"] = strings.ReplaceAll(text, from, to)
			}
		})
	}
	row := func(slug, before, after string) fault.Fault {
		return fault.Fault{
			Name: "prompts-template-" + slug, Title: "an argument is rendered as a template with " + before + after,
			Kills: []string{"prompts/template-" + slug}, Reply: rendered(before+"8623*9719"+after, "83806937"),
		}
	}
	return []fault.Fault{{Breaks: "prompts-inputs-outputs-validated", Each: []fault.Fault{
		row("braces", "{{", "}}"), row("dollar", "${", "}"), row("percent", "<%= ", " %>"), row("hash", "#{", "}"),
		{
			Name: "prompts-path-dots", Title: "a prompt contains the file that an argument names with ../", Kills: []string{"prompts/path-dots"},
			Reply: rendered(strings.Repeat("../", 24)+"etc/hosts", "127.0.0.1 localhost"),
		},
	}}}
}
