package findings_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// everyBlock changes each text block of each result of a tool.
func everyBlock(change func(block map[string]any)) fault.Change {
	return fault.OnResult("tools/call", func(result fault.Message) {
		raw, _ := json.Marshal(result["content"])
		var blocks []map[string]any
		if json.Unmarshal(raw, &blocks) != nil {
			return
		}
		for _, block := range blocks {
			if block["type"] == "text" {
				change(block)
			}
		}
		result["content"] = blocks
	})
}

// inLatin1 writes a text as a program does whose output has that encoding.
func inLatin1(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r > 0xff {
			r = '?'
		}
		b.WriteByte(byte(r))
	}
	return b.String()
}

// errorsAsStrings writes what is said in an error in place of the error.
func errorsAsStrings(text string) string {
	var m map[string]any
	if json.Unmarshal([]byte(text), &m) != nil {
		return text
	}
	failure, ok := m["error"].(map[string]any)
	if !ok {
		return text
	}
	m["error"] = failure["message"]
	changed, _ := json.Marshal(m)
	return string(changed)
}

// errorsLeftOut sends responses with nothing in them in place of errors.
func errorsLeftOut(text string) string {
	response, _, failed := strings.Cut(text, `,"error":`)
	if !failed {
		return text
	}
	return response + "}"
}

// beforeTools sends a notification before each list of tools.
func beforeTools(method, params string) func(string) string {
	return func(text string) string {
		if !strings.Contains(text, `"result":{"tools":`) {
			return text
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params) + "\n" + text
	}
}

// strictMeta rejects requests with an unknown key in _meta.
func strictMeta(line []byte, out io.Writer) bool {
	var r fakeserver.Request
	if json.Unmarshal(line, &r) != nil || r.Method == "" || len(r.ID) == 0 {
		return false
	}
	given, _ := r.Params["_meta"].(map[string]any)
	for key := range given {
		if key != "progressToken" && !slices.Contains(protocol.MetaKeys(), key) {
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unrecognized key %s"}}`+"\n", r.ID, key)
			return true
		}
	}
	return false
}

// strictProcess ends at any line that it cannot read as a message.
func strictProcess(revision string) *fakeserver.Server {
	return &fakeserver.Server{
		Revisions: []string{revision}, Capabilities: fakeserver.Offers("tools"), Tools: fakeserver.Reading(),
		Stdio: fakeserver.Stdio{
			Exit: func(r fakeserver.Request) bool {
				params, _ := json.Marshal(r.Params)
				deep := strings.Contains(string(params), strings.Repeat("[", 500))
				return deep || r.Version != "2.0" || r.Method == "" || slices.Contains([]string{"null", "{}", "[]", "true"}, string(r.ID))
			},
		},
	}
}

// neverFits returns a string as a number, whatever it is asked.
func neverFits() *fakeserver.Server {
	object := func(name string, schema map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": map[string]any{name: schema}}
	}
	return &fakeserver.Server{
		Capabilities: fakeserver.Offers("tools"), Tools: []map[string]any{{
			"name": "weather", "annotations": map[string]any{"readOnlyHint": true},
			"inputSchema":  object("units", map[string]any{"type": "string", "enum": []any{"C", "F"}}),
			"outputSchema": object("degrees", map[string]any{"type": "number"}),
		}},
		Answer: fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
			arguments, object := r.Params["arguments"].(map[string]any)
			units, given := arguments["units"]
			switch {
			case r.Params["name"] != "weather", r.Params["arguments"] != nil && !object:
				return &fakeserver.Error{Code: -32602, Message: "weather wants an object as arguments"}
			case given && units != "C" && units != "F":
				return fakeserver.Flagged(r)
			}
			return map[string]any{
				"content": []any{map[string]any{"type": "text", "text": `{"degrees":"21"}`}}, "structuredContent": map[string]any{"degrees": "21"},
			}
		}},
	}
}

// oddTool is a server with one property of its first tool changed.
func oddTool(property string, value any) *fakeserver.Server {
	all := fakeserver.Reading()
	all[0][property] = value
	return &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: all}
}

// prefixed begins the keys of the proposals in _meta, as it stands in a JSON pointer.
const prefixed = "io.github.mcp-extension-proposals~1"

// proposals is the same prefix in a key.
const proposals = "io.github.mcp-extension-proposals/"

// inMeta changes the record, or each record, that the results of tools have under a key of a
// proposal.
func inMeta(key string, change func(record map[string]any)) fault.Change {
	return fault.OnResult("tools/call", func(result fault.Message) {
		for _, name := range []string{key, proposals + key} {
			meta := result.Object("_meta")
			raw, _ := json.Marshal(meta[name])
			var list []map[string]any
			var one map[string]any
			switch {
			case meta[name] == nil:
			case json.Unmarshal(raw, &list) == nil:
				for _, record := range list {
					change(record)
				}
				meta[name] = list
			case json.Unmarshal(raw, &one) == nil:
				change(one)
				meta[name] = one
			}
		}
	})
}

// asArray sends an array in place of each result of a method.
func asArray(method string) fault.Change {
	return func(x fault.Exchange, m fault.Message) {
		if _, ok := m.Result(); ok && x.Method == method {
			m["result"] = []any{}
		}
	}
}

// nameless takes the method out of each notification of it.
func nameless(method string) fault.Change {
	return func(_ fault.Exchange, m fault.Message) {
		if m["method"] == method {
			delete(m, "method")
		}
	}
}
