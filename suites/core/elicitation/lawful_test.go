package elicitation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
)

func TestLawful(t *testing.T) {
	asks := []map[string]any{fakeserver.Tool("test_elicitation", true)}
	lawful.Servers(t, "elicitation", []lawful.Row{
		{
			Name:   "the tool does without an answer where the client has no user",
			Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: asks},
		},
		{
			Name:   "no tool asks at all",
			Server: &fakeserver.Server{Capabilities: fakeserver.Offers("tools"), Tools: asks},
			Config: "roles: {client-request: {elicitation: {tool: test_elicitation, arguments: {text: a}}, url: {tool: test_elicitation, arguments: {text: a}}}}",
		},
	})
}

const create = "elicitation/create"

// unusual is a form with all that the schema leaves open.
func unusual(_ fault.Exchange, params fault.Message) {
	form := params.Object("requestedSchema")
	if params["mode"] == "url" {
		delete(params, "requestedSchema")
		params["url"] = "http://127.0.0.1:8080/permits?id=a%2Fb&api_key=public#sign"
		return
	}
	form["$schema"], form["additionalProperties"] = "https://json-schema.org/draft/2020-12/schema", false
	for name, field := range map[string]map[string]any{
		"berth":         {"type": "string", "enum": []any{"A4", "B2"}, "format": "berth", "enumNames": []any{"North"}},
		"depth":         {"type": "integer", "enum": []any{3, 4}, "default": 3},
		"password_hint": {"type": "string", "title": "Password hint", "pattern": "^[a-z]*$"},
		"has_password":  {"type": "boolean", "title": "Password"},
		"key_name":      {"type": "string", "title": "Name of the API key"},
		"homepage":      {"type": "string", "format": "uri", "description": "such as https://harbour.test/"},
		"source":        {"type": "string", "description": "An address such as https://example.com/a."},
		"cargo":         {"type": "array", "items": map[string]any{"enum": []any{"grain"}, "type": "string"}, "default": []any{}},
		"tokens":        {"type": "string", "title": "Number of tokens", "minLength": 1, "default": "many"},
		"a/b~c":         {"type": "string", "oneOf": []any{map[string]any{"const": "x", "title": "X", "description": "the unknown"}}},
	} {
		form.Object("properties")[name] = field
	}
}

func TestUnusualForms(t *testing.T) {
	habit := fault.Fault{}.Asking(create, unusual)
	lawful.Stateless(t, "forms with all that the schema leaves open, by a result", lawful.Contents, &habit)
	lawful.Handshake(t, "forms with all that the schema leaves open, by a request", lawful.Contents, &habit)
}

// declineFails marks the result of a call as an error when the user does not accept.
func declineFails(_ fault.Exchange, m fault.Message) {
	text, _ := json.Marshal(m)
	if result, ok := m.Result(); ok && (strings.Contains(string(text), "action=decline") || strings.Contains(string(text), "action=cancel")) {
		result["isError"] = true
	}
}

// also asks a second time, before or after the question, and waits for one answer only.
func also(before bool) func(fault.Exchange, fault.Message) []fault.Message {
	return func(_ fault.Exchange, m fault.Message) []fault.Message {
		if m["method"] != create {
			return []fault.Message{m}
		}
		id, _ := m["id"].(string)
		params, _ := m["params"].(map[string]any)
		other := m.With("id", "also-"+id).With("params", map[string]any(fault.Message(params).Without("_meta")))
		if before {
			return []fault.Message{other, m}
		}
		return []fault.Message{m, other}
	}
}

func TestUnusualAnswers(t *testing.T) {
	lawful.Stateless(t, "a declined form makes the call fail, by a result", lawful.Contents, &fault.Fault{Reply: declineFails})
	lawful.Handshake(t, "a declined form makes the call fail, by a request", lawful.Contents, &fault.Fault{Reply: declineFails})
	lawful.Handshake(t, "two forms at once, the second one counts", lawful.Contents, &fault.Fault{Send: also(true)})
	lawful.Handshake(t, "two forms at once, the first one counts", lawful.Contents, &fault.Fault{Send: also(false)})
}
