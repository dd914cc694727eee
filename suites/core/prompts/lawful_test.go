package prompts_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func TestLawful(t *testing.T) {
	offers, prompts := fakeserver.Offers("prompts"), []map[string]any{{"name": "greet"}, {"name": "Greet"}}
	lawful.Servers(t, "prompts", append([]lawful.Row{
		{Name: "no prompts at all", Server: &fakeserver.Server{Capabilities: offers}},
		{Name: "names that differ in letter case", Server: &fakeserver.Server{Capabilities: offers, Prompts: prompts}},
		{Name: "extra properties everywhere", Server: &fakeserver.Server{Capabilities: offers, Prompts: prompts, Extra: true}},
		{Name: "an empty list that is not declared", Server: &fakeserver.Server{Answer: fakeserver.Answers{
			"prompts/list": func(fakeserver.Request) any { return map[string]any{"prompts": []any{}} },
		}}},
		{Name: "where the prompts are cannot be reached", Server: &fakeserver.Server{Capabilities: offers, Answer: fakeserver.Answers{
			"prompts/list": func(fakeserver.Request) any { return &fakeserver.Error{Code: -32603, Message: "no such host"} },
			"prompts/get": func(r fakeserver.Request) any {
				if _, named := r.Params["name"].(string); !named {
					return &fakeserver.Error{Code: -32602, Message: "name is missing"}
				}
				return &fakeserver.Error{Code: -32603, Message: "no such host"}
			},
		}}},
	}, gotRows()...))
}

// A shelf is the prompts of a server by their names, and what each is answered with.
type shelf map[string]func(arguments map[string]any) any

func (s shelf) server(listed ...map[string]any) *fakeserver.Server {
	return &fakeserver.Server{Capabilities: fakeserver.Offers("prompts"), Prompts: listed, Answer: fakeserver.Answers{
		"prompts/get": func(r fakeserver.Request) any {
			name, _ := r.Params["name"].(string)
			render := s[name]
			if render == nil {
				return &fakeserver.Error{Code: -32602, Message: "no such prompt"}
			}
			arguments, _ := r.Params["arguments"].(map[string]any)
			return render(arguments)
		},
	}}
}

// says is a prompt of messages of a user, one for each block.
func says(blocks ...any) func(map[string]any) any {
	messages := []any{}
	for _, block := range blocks {
		messages = append(messages, map[string]any{"role": "user", "content": block})
	}
	return func(map[string]any) any { return map[string]any{"messages": messages} }
}

func text(words string) map[string]any { return map[string]any{"type": "text", "text": words} }

func fails(code int, words string) func(map[string]any) any {
	return func(map[string]any) any { return &fakeserver.Error{Code: code, Message: words} }
}

func listed(name string, arguments ...any) map[string]any {
	return map[string]any{"name": name, "arguments": append([]any{}, arguments...)}
}

func required(name string) map[string]any { return map[string]any{"name": name, "required": true} }

// gotRows are servers with unusual prompts.
func gotRows() []lawful.Row {
	bare := func(name string) map[string]any { return map[string]any{"name": name} }
	return []lawful.Row{
		{Name: "no messages, empty texts, and messages of the assistant alone", Server: shelf{
			"none": says(), "empty": says(text("")), "answers": func(map[string]any) any {
				return map[string]any{"description": "", "messages": []any{map[string]any{"role": "assistant", "content": text("Ahoy.")}}}
			},
		}.server(bare("none"), listed("empty"), bare("answers"))},
		{Name: "blocks of every type, of no bytes and of odd media types", Server: shelf{"all": says(
			map[string]any{"type": "image", "data": "", "mimeType": "image/svg+xml; charset=utf-8"},
			map[string]any{"type": "audio", "data": "AAEC/w==", "mimeType": "application/x-harbour.v1"},
			map[string]any{"type": "resource_link", "uri": "harbour://log", "name": "log"},
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "urn:isbn:9783161484100", "text": "", "mimeType": "text/plain"}},
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "HARBOUR:log", "blob": "", "mimeType": "a/b"}},
			map[string]any{"type": "text", "text": "8623*9719, localhost, {{ }}", "annotations": map[string]any{"audience": []any{}}, "vendor": 1},
		)}.server(bare("all"))},
		{Name: "a resource without media type", Warned: []string{"prompts/embedded-resource-fields"}, Server: shelf{"one": says(
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "harbour://log", "text": "calm"}},
		)}.server(bare("one"))},
		{Name: "what the client names is embedded", Server: shelf{"of": func(arguments map[string]any) any {
			uri, ok := arguments["uri"].(string)
			if !ok {
				return &fakeserver.Error{Code: -32602, Message: "uri is missing"}
			}
			return says(map[string]any{"type": "resource", "resource": map[string]any{"uri": uri, "text": "calm", "mimeType": "text/plain"}})(nil)
		}}.server(listed("of", required("uri")))},
		{Name: "what is missing is empty", Warned: []string{"prompts/missing-arguments"}, Server: shelf{"of": func(arguments map[string]any) any {
			uri, _ := arguments["uri"].(string)
			return says(map[string]any{"type": "resource", "resource": map[string]any{"uri": uri, "text": "calm", "mimeType": "text/plain"}})(nil)
		}}.server(listed("of", required("uri")))},
		{Name: "no made-up value will do, and a failure of its own", Server: shelf{
			"picky": fails(-32602, "this is no berth of the harbour"), "broken": fails(-32603, "no such host"), "odd": fails(7, "closed"),
		}.server(listed("picky", required("berth"), bare("tone")), bare("broken"), listed("odd", bare("tone")))},
		{Name: "any file and any sum, on purpose", Server: shelf{"show": func(arguments map[string]any) any {
			path, ok := arguments["path"].(string)
			switch {
			case !ok:
				return &fakeserver.Error{Code: -32602, Message: "path is missing"}
			case strings.HasSuffix(path, "/etc/hosts"):
				return says(text("127.0.0.1 localhost"))(nil)
			}
			return says(text("There is no file " + path))(nil)
		}}.server(listed("show", required("path")))},
		{Name: "the same argument twice, and titles of any kind", Server: shelf{"twice": says(text("calm"))}.server(
			listed("twice", map[string]any{"name": "", "description": ""}, map[string]any{"name": "", "required": false, "x-vendor": nil}))},
		{Name: "numbers and objects are written out", Server: shelf{"write": func(arguments map[string]any) any {
			if arguments["what"] == nil {
				return &fakeserver.Error{Code: -32602, Message: "what is missing"}
			}
			return says(text(fmt.Sprint(arguments["what"])))(nil)
		}}.server(listed("write", required("what")))},
		{
			Name: "long arguments take a while, and other requests pass them by", Server: overtaken(),
			Over: requirements.Stdio, Judged: []string{"prompts/arguments-validated-long"},
		},
	}
}

// overtaken answers a long request behind those that come after it.
func overtaken() *fakeserver.Server {
	s := shelf{"write": func(arguments map[string]any) any {
		if arguments["what"] == nil {
			return &fakeserver.Error{Code: -32602, Message: "what is missing"}
		}
		return says(text("written"))(nil)
	}}.server(listed("write", required("what")))
	s.Stdio.Line = func(line []byte, out io.Writer) bool {
		if len(line) < 100_000 {
			return false
		}
		answer := s.Reply(line)
		time.AfterFunc(500*time.Millisecond, func() { _, _ = io.WriteString(out, answer+"\n") }) // a client that is gone needs no answer
		return true
	}
	return s
}

func ofPage(s suite.Suite, _ suite.Case) bool { return s.Name == "prompts" }

// A prompt may ask the user first, also for what is missing.
func TestAskingPrompts(t *testing.T) {
	t.Parallel()
	asks := map[string]any{"resultType": "input_required", "inputRequests": map[string]any{"roots": map[string]any{"method": "roots/list"}}}
	lawful.Stateless(t, "every prompt asks", ofPage, &fault.Fault{
		Inbound: fault.On("prompts/get").And(func(x fault.Exchange) bool {
			name, _ := x.Param("name").(string)
			declared, _ := fault.Meta(x.Params, "clientCapabilities").(map[string]any)
			return !strings.HasPrefix(name, "no-such-") && declared["roots"] != nil
		}).Answer(asks),
	})
}

// A list that changes by itself shows nothing of connections, or of what was asked on them.
func TestChangingLists(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	lawful.Stateless(t, "another prompt each time", ofPage, &fault.Fault{
		List: func(x fault.Exchange, items []fault.Message) []fault.Message {
			if x.Method != "prompts/list" {
				return items
			}
			return slices.Insert(items, 0, fault.Message{"name": fmt.Sprint("a_notice_", asked.Add(1))})
		},
	})
}
