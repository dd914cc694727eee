package confirmation_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/ext/confirmation"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

const melting = `
wait: {max: 5s}
roles:
  gated:
    tool: melt
    arguments: {text: "kit-${nonce}"}
    other-arguments: {text: "kit-${nonce}", hot: true}
    observe: {tool: count, arguments: {text: "kit-${nonce}"}, mode: count}
    second: {tool: crush, arguments: {text: "kit-${nonce}"}}
    window: 1s
`

func TestLawful(t *testing.T) {
	const page = "ext-confirmation/"
	over := func(name string, f *foundry, warned ...string) lawful.Row {
		return lawful.Row{Name: name, Server: f.server(), Config: melting, Over: requirements.Stdio, Warned: warned}
	}
	tokenless, unaware := page+"token-issued", page+"unaware-client"
	lawful.Servers(t, "ext-confirmation", []lawful.Row{
		{Name: "claims confirmation, with no tool to show it", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:human_in_the_loop"), Tools: fakeserver.Tools(2),
		}},
		{Name: "marks a tool and does not claim the extension", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools"), Tools: append(fakeserver.Tools(2), marked("melt")),
		}},
		over("in the words of the draft", &foundry{}, unaware),
		over("in the words of the draft, with isError", &foundry{flags: true}),
		over("tokens of digits alone", &foundry{digits: true}, unaware),
		over("a used token is answered from a store", &foundry{replays: true}, unaware),
		over("in the words of the text, among the content", &foundry{texts: true, place: "text"}, tokenless),
		over("in the words of the text, beside the content", &foundry{texts: true, place: "result"}, tokenless),
		over("in the words of the diagram", &foundry{diagram: true, texts: true, place: "text"}, tokenless),
		over("refuses what nobody can confirm", &foundry{place: "refusal"}),
		over("marks a tool, does not claim the extension, and runs it", &foundry{place: "runs", unclaimed: true}, page+"gate-blocks"),
	})
	asking := &fault.Fault{Ext: confirmation.Switches{AsksUser: true}}
	onPage := func(s suite.Suite, c suite.Case) bool { return s.Name == "ext-confirmation" || c.Watch != nil }
	lawful.Stateless(t, "asks by elicitation", onPage, asking)
	lawful.Stateless(t, "refuses clients without the extension and suggests nothing", onPage,
		&fault.Fault{Reply: fault.Drop("tools/call", "/error/data/suggestion")})
	lawful.Handshake(t, "asks by elicitation, at 2025-11-25", onPage, asking)
}

func marked(name string) map[string]any {
	tool := fakeserver.Tool(name, false)
	schema, _ := tool["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	properties["hot"], properties["user_confirmed"] = map[string]any{"type": "boolean"}, map[string]any{"type": "boolean"}
	tool["requires_confirmation"], tool["confirmation_message"], tool["risk_level"] = true, "{text} is gone then. Go ahead?", "destructive"
	return tool
}

// A foundry melts things down.
type foundry struct {
	unclaimed bool
	texts     bool   // the words of the text, which have no token
	diagram   bool   // those of its diagram
	place     string // of the question; empty: _meta
	flags     bool   // a question has isError
	digits    bool   // tokens are numbers
	replays   bool   // the answer to a used token is repeated

	mu     sync.Mutex
	gone   map[string]int
	tokens map[string]token
}

type token struct {
	call  string
	until time.Time
	spent bool
}

func (f *foundry) server() *fakeserver.Server {
	f.gone, f.tokens = map[string]int{}, map[string]token{}
	s := &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools", "ext:human_in_the_loop"),
		Tools:        []map[string]any{marked("melt"), marked("crush"), fakeserver.Tool("count", true)},
	}
	if f.unclaimed {
		s.Capabilities = fakeserver.Offers("tools")
	}
	s.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		usual := s.Call(r)
		result, ok := usual.(map[string]any)
		if !ok || result["isError"] == true {
			return usual
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		arguments, _ := r.Params["arguments"].(map[string]any)
		text, _ := arguments["text"].(string)
		if r.Params["name"] == "count" {
			return fakeserver.Text(fmt.Sprint(f.gone[text]))
		}
		return f.call(r, arguments, text)
	}}
	return s
}

func (f *foundry) call(r fakeserver.Request, arguments map[string]any, text string) any {
	meta, _ := r.Params["_meta"].(map[string]any)
	agreed := meta["user_confirmed"] == true
	if f.texts {
		agreed = r.Params["user_confirmed"] == true
	}
	if f.diagram {
		agreed = arguments["user_confirmed"] == true
	}
	given, _ := meta["confirmation_token"].(string)
	written, _ := json.Marshal([]any{r.Params["name"], arguments})
	known := f.tokens[given]
	switch {
	case f.place == "runs", f.texts && agreed:
	case f.replays && agreed && known.spent && known.call == string(written):
		return fakeserver.Text("gone")
	case !agreed, known.call != string(written), known.spent, time.Now().After(known.until):
		return f.ask(string(written), text)
	}
	known.spent = true
	f.tokens[given] = known
	f.gone[text]++
	return fakeserver.Text("gone")
}

func (f *foundry) ask(call, text string) any {
	made := fmt.Sprintf("%016x%016x", uint64(len(f.tokens)+1)*0x9e3779b97f4a7c15, uint64(len(f.tokens)+3)*0xc2b2ae3d27d4eb4f)
	if f.digits {
		made = fmt.Sprintf("%020d", uint64(len(f.tokens)+1)*0x9e3779b97f4a7c15)
	}
	f.tokens[made] = token{call: call, until: time.Now().Add(time.Second)}
	record := map[string]any{
		"status": "confirmation_required", "confirmation_message": text + " is gone then. Go ahead?", "risk_level": "destructive", "confirmation_token": made,
	}
	if f.texts {
		record = map[string]any{
			"requires_confirmation": true, "confirmation_message": text + " is gone then.", "risk_level": "destructive",
			"tool": "melt", "parameters": map[string]any{"text": text},
		}
	}
	if f.diagram {
		record = map[string]any{"requires_confirmation": true, "message": text + " is gone then.", "risk_level": "destructive"}
	}
	result := fakeserver.Text("Not done yet.")
	switch f.place {
	case "refusal":
		return map[string]any{"content": fakeserver.Text("The user has to agree.")["content"], "isError": true, "_meta": map[string]any{"error": map[string]any{
			"code": "CONFIRMATION_REQUIRED", "category": "permanent", "message": "The user has to agree.", "suggestion": "Use a client that asks.",
		}}}
	case "text":
		written, _ := json.Marshal(record)
		result = fakeserver.Text(string(written))
	case "result":
		result = record
		result["content"] = []any{}
	default:
		result["_meta"] = map[string]any{"confirmation": record}
	}
	if f.flags {
		result["isError"] = true
	}
	return result
}
