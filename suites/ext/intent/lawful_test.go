package intent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

const asking = `
roles:
  read-only-tool: {tool: list, arguments: {text: open}}
  intent:
    tool: close
    arguments: {text: "kit-${nonce}"}
    intent: see what is open
    observe: {tool: count, arguments: {text: "kit-${nonce}"}, mode: count}
  gated:
    tool: erase
    arguments: {text: "kit-${nonce}"}
    observe: {tool: count, arguments: {text: "kit-${nonce}"}, mode: count}
`

func TestLawful(t *testing.T) {
	over := func(name string, d *desk, warned ...string) lawful.Row {
		return lawful.Row{Name: name, Server: d.server(), Config: asking, Over: requirements.Stdio, Warned: warned}
	}
	lawful.Servers(t, "ext-intent", []lawful.Row{
		{Name: "claims intent, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:intent_hints"), Tools: fakeserver.Tools(2),
		}},
		over("reads the intent and says nothing", &desk{}),
		over("suggests beside the result", &desk{suggests: "meta"}),
		over("suggests beside the name of the call, as in the text", &desk{suggests: "meta", beside: true}),
		over("suggests in place of the result, as the example servers do", &desk{suggests: "null"}),
		over("suggests in words in place of the result", &desk{suggests: "words"}),
		over("suggests within the tool's answer", &desk{suggests: "answer"}),
		over("gives no reason", &desk{suggests: "meta", unreasoned: true}, "ext-intent/suggestion-shape"),
		over("rejects what is no string", &desk{strict: true}),
		over("a list that grows with each look", &desk{grows: true}),
		over("two servers in turns, each of which says so", &desk{more: func(look int) []string {
			return []string{fmt.Sprint("Served by ", look/2%2)}
		}}),
		over("a time in a further block", &desk{more: func(look int) []string {
			return []string{fmt.Sprintf(`{"timestamp": %d, "unit": "item"}`, look)}
		}}),
		over("further blocks in any order, and one that grows", &desk{more: func(look int) []string {
			blocks := []string{"all of them", "none is late", fmt.Sprint(look, " looks")}
			if look%4 > 1 {
				slices.Reverse(blocks)
			}
			return blocks
		}}),
	})
}

// A desk has items that are listed and closed.
type desk struct {
	suggests   string // where: meta, null, words, answer; empty: nowhere
	beside     bool   // the intent is read from params.intent
	unreasoned bool
	strict     bool                    // an intent that is no string is rejected
	grows      bool                    // a list has one item more each time
	more       func(look int) []string // further blocks of a list

	mu     sync.Mutex
	closed map[string]int
	looks  int
}

func (d *desk) server() *fakeserver.Server {
	d.closed = map[string]int{}
	s := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "ext:intent_hints"),
		Tools: []map[string]any{
			fakeserver.Tool("list", true), fakeserver.Tool("close", false), fakeserver.Tool("erase", false), fakeserver.Tool("count", true),
		},
	}
	s.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		usual := s.Call(r)
		result, ok := usual.(map[string]any)
		if !ok || result["isError"] == true {
			return usual
		}
		arguments, _ := r.Params["arguments"].(map[string]any)
		text, _ := arguments["text"].(string)
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.call(r, text)
	}}
	return s
}

func (d *desk) call(r fakeserver.Request, text string) any {
	meta, _ := r.Params["_meta"].(map[string]any)
	said := meta["intent"]
	if d.beside {
		said = r.Params["intent"]
	}
	intent, isText := said.(string)
	if d.strict && said != nil && !isText {
		return &fakeserver.Error{Code: -32602, Message: "intent is no string"}
	}
	switch r.Params["name"] {
	case "count":
		return fakeserver.Text(fmt.Sprint(d.closed[text]))
	case "list":
		d.looks++
		open := 2
		if d.grows {
			open = d.looks
		}
		texts := []string{fmt.Sprint(open, " items are open")}
		if d.more != nil {
			texts = append(texts, d.more(d.looks)...)
		}
		content := make([]any, len(texts))
		for i, text := range texts {
			content[i] = map[string]any{"type": "text", "text": text}
		}
		return map[string]any{"content": content}
	case "erase":
		return fakeserver.Text("Ask the user first.")
	}
	suggestion := map[string]any{"recommended_tool": "list", "reason": "Lists what is open."}
	if d.unreasoned {
		delete(suggestion, "reason")
	}
	if intent != "" {
		switch d.suggests {
		case "null":
			return map[string]any{"content": []any{}, "_meta": map[string]any{"suggestion": suggestion}}
		case "words":
			result := fakeserver.Text("Nothing was closed; call list instead.")
			result["_meta"] = map[string]any{"suggestion": suggestion}
			return result
		case "answer":
			d.closed[text]++
			written, _ := json.Marshal(map[string]any{"closed": text, "suggestion": suggestion})
			return fakeserver.Text(string(written))
		case "meta":
			d.closed[text]++
			result := fakeserver.Text("closed")
			result["_meta"] = map[string]any{"suggestion": suggestion}
			return result
		}
	}
	d.closed[text]++
	return fakeserver.Text("closed")
}
