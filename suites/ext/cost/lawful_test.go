package cost_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

type object = map[string]any

const calling = `
roles:
  rate-limit: {tool: ask, arguments: {text: "kit-${nonce}"}, repeat: 3}
  gated:
    by-cost: {tool: pay, arguments: {text: "kit-${nonce}"}, observe: {tool: count, arguments: {text: "kit-${nonce}"}, mode: count}}
`

func TestLawful(t *testing.T) {
	over := func(name string, f *fee) lawful.Row {
		return lawful.Row{Name: name, Server: f.server(), Config: calling, Over: requirements.Stdio}
	}
	lawful.Servers(t, "ext-cost-latency", []lawful.Row{
		{Name: "claims cost and latency, and states none", Server: &fakeserver.Server{
			Capabilities: fakeserver.Offers("tools", "ext:cost_latency"), Tools: fakeserver.Tools(2),
		}},
		over("in tools/list", &fee{}),
		over("in _meta of tools/list", &fee{meta: true}),
		over("in the manifest", &fee{manifest: true}),
		over("in the manifest, with nothing claimed", &fee{manifest: true, unclaimed: true}),
		over("costs alone", &fee{manifest: true, costs: true}),
		over("a quota that lasts a moment", &fee{short: true}),
		over("a quota that has run out", &fee{spent: true}),
		over("more about a quota than the text names", &fee{more: true}),
		over("a refusal of what nobody approved", &fee{refuses: true}),
	})
}

// A fee is a server whose calls cost something.
type fee struct {
	meta, manifest bool // where costs stand; otherwise beside the name of a tool
	unclaimed      bool
	costs          bool // no latency
	short          bool // the quota is renewed each time
	spent          bool
	more           bool
	refuses        bool

	mu    sync.Mutex
	used  int
	paid  map[string]int
	asked map[string]int // in a row
}

// says is what the server says of a tool.
func (f *fee) says(tool string) object {
	f.mu.Lock()
	defer f.mu.Unlock()
	told := object{"cost": object{"category": "free"}, "latency": "instant"}
	switch tool {
	case "ask":
		left, until := 40-f.used, time.Now().Add(time.Hour)
		if f.short {
			left, until = 40, time.Now().Add(time.Second)
		}
		if f.spent {
			left = 0
		}
		told["cost"] = object{"category": "metered", "estimated_units": 0.5, "unit_label": "questions"}
		told["quota"] = object{"remaining": left, "resets_at": until.UTC().Format(time.RFC3339Nano)}
		if !f.short {
			told["quota"] = object{"remaining": left, "resets_at": until.UTC().Truncate(time.Hour).Add(time.Hour).Format(time.RFC3339)}
		}
		if f.more {
			told["quota"].(object)["limit"], told["quota"].(object)["unit"] = 40, "questions"
		}
	case "pay":
		told["cost"], told["latency"] = object{"category": "requires_approval"}, "minutes"
	}
	if f.costs {
		delete(told, "latency")
	}
	return told
}

func (f *fee) tool(name string, reads bool) object {
	tool := fakeserver.Tool(name, reads)
	switch {
	case f.manifest:
	case f.meta:
		tool["_meta"] = f.says(name)
	default:
		for property, value := range f.says(name) {
			tool[property] = value
		}
	}
	return tool
}

func (f *fee) tools() []object {
	return []object{f.tool("ask", false), f.tool("pay", false), f.tool("count", true)}
}

func (f *fee) server() *fakeserver.Server {
	f.paid, f.asked = map[string]int{}, map[string]int{}
	s := &fakeserver.Server{Capabilities: fakeserver.Offers("tools", "ext:cost_latency"), Tools: f.tools()}
	if f.unclaimed {
		s.Capabilities = fakeserver.Offers("tools")
	}
	s.Answer = fakeserver.Answers{
		"tools/list": func(fakeserver.Request) any { return object{"tools": f.tools()} },
		"tools/call": func(r fakeserver.Request) any {
			usual := s.Call(r)
			result, ok := usual.(object)
			if !ok || result["isError"] == true {
				return usual
			}
			arguments, _ := r.Params["arguments"].(object)
			text, _ := arguments["text"].(string)
			return f.call(r.Params["name"], text)
		},
	}
	if f.manifest {
		s.Answer["get_manifest"] = func(fakeserver.Request) any { return f.document() }
	}
	return s
}

func (f *fee) call(name any, text string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case name == "count":
		return fakeserver.Text(fmt.Sprint(f.paid[text]))
	case name == "ask":
		if f.asked[text]++; f.asked[text] > 3 {
			return object{"content": []any{object{"type": "text", "text": "asked too often"}}, "isError": true}
		}
		f.used++
	case f.refuses:
		return object{"content": []any{object{"type": "text", "text": "nobody approved the cost"}}, "isError": true}
	default:
		return fakeserver.Text("This waits for the approval of the treasurer.")
	}
	return fakeserver.Text("yes")
}

func (f *fee) document() object {
	var entries []any
	for _, tool := range f.tools() {
		name, _ := tool["name"].(string)
		entry := object{"name": name, "description": "A tool.", "input_schema": tool["inputSchema"]}
		for property, value := range f.says(name) {
			entry[property] = value
		}
		entries = append(entries, entry)
	}
	return object{
		"manifest_version": "0.1.0", "tools": entries,
		"server": object{"name": "rigged", "version": "1.0.0", "mcp_spec_version": "2025-11-25"},
		"auth":   object{"methods": []any{"none"}}, "rate_limits": object{"requests_per_minute": 600}, "supported_extensions": []any{},
	}
}
