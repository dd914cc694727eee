package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/schemas"
)

const asker = "test_input_required_result_elicitation"

// askFor is a call of the tool that asks, with the client's capabilities.
func askFor(capabilities, params string) string {
	params = strings.TrimSuffix(fmt.Sprintf(`"name":%q,%s`, asker, params), ",")
	return strings.Replace(request(modern, "1", "tools/call", params), `Capabilities":{}`, `Capabilities":`+capabilities, 1)
}

// outcome describes the answer of the asking tool in few words.
func outcome(t *testing.T, line string) string {
	t.Helper()
	if told := tell(line); told != "id 1 ok" {
		return told
	}
	got := result(t, line)
	if got["resultType"] == "input_required" {
		asked, _ := got["inputRequests"].(map[string]any)
		form, _ := asked["user_name"].(map[string]any)
		return fmt.Sprint("asks by ", form["method"])
	}
	return fmt.Sprint(got["content"].([]any)[0].(map[string]any)["text"])
}

func TestInputIsAskedForByTheResult(t *testing.T) {
	t.Parallel()
	const able, asks = `{"elicitation":{}}`, "asks by elicitation/create"
	p := newPeer(t, made(t, server.Options{}))
	for _, row := range []struct{ name, capabilities, params, want string }{
		{"first call", able, ``, asks},
		{"able to show forms", `{"elicitation":{"form":{},"url":{}}}`, ``, asks},
		{"accepted", able, `"inputResponses":{"user_name":{"action":"accept","content":{"name":"Lina"}}}`, "Hello, Lina!"},
		{"accepted, with more", able, `"inputResponses":{"user_name":{"action":"accept","content":{"name":"Lina","age":3}},"else":{}}`,
			"Hello, Lina!"},
		{"accepted, with empty arguments", able, `"arguments":{},"inputResponses":{"user_name":{"action":"accept","content":{"name":"Lina"}}}`,
			"Hello, Lina!"},
		{"declined", able, `"inputResponses":{"user_name":{"action":"decline"}}`, "The user gave no name."},
		{"cancelled", able, `"inputResponses":{"user_name":{"action":"cancel"}}`, "The user gave no name."},
		{"another question answered", able, `"inputResponses":{"else":{"action":"accept","content":{"name":"Lina"}}}`, asks},
		{"nothing answered", able, `"inputResponses":{}`, asks},
		{"accepted without content", able, `"inputResponses":{"user_name":{"action":"accept"}}`, asks},
		{"accepted with a number", able, `"inputResponses":{"user_name":{"action":"accept","content":{"name":5}}}`, asks},
		{"answers are a number", able, `"inputResponses":12345`, "id 1 -32602"},
		{"answers are null", able, `"inputResponses":null`, "id 1 -32602"},
		{"answers are a list", able, `"inputResponses":[]`, "id 1 -32602"},
		{"an answer is a number", able, `"inputResponses":{"user_name":5}`, "id 1 -32602"},
		{"an answer is null", able, `"inputResponses":{"user_name":null}`, "id 1 -32602"},
		{"no such action", able, `"inputResponses":{"user_name":{"action":"shrug"}}`, "id 1 -32602"},
		{"content is a text", able, `"inputResponses":{"user_name":{"action":"accept","content":"Lina"}}`, "id 1 -32602"},
		{"nothing declared", `{}`, ``, "id 1 -32021"},
		{"declared before only", `{"sampling":{}}`, `"inputResponses":{}`, "id 1 -32021"},
		{"URLs only", `{"elicitation":{"url":{}}}`, ``, "id 1 -32021"},
	} {
		p.send(askFor(row.capabilities, row.params))
		if got := outcome(t, p.next()); got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
}

func TestAskingFitsTheSchema(t *testing.T) {
	t.Parallel()
	set, err := schemas.Load().Core(modern)
	if err != nil {
		t.Fatal(err)
	}
	p := newPeer(t, made(t, server.Options{}))
	p.send(askFor(`{"elicitation":{}}`, ""))
	got := result(t, p.next())
	if _, both := got["content"]; both {
		t.Errorf("the result asks and has content: %v", got)
	}
	for _, f := range set.Validate("InputRequiredResult", got) {
		t.Errorf("%s is %s, want %s", f.Pointer, f.Got, f.Want)
	}
}

func TestMissingCapabilityIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t, server.Options{})
	for capabilities, want := range map[string]string{
		`{}`:                         `{"elicitation":{}}`,
		`{"elicitation":null}`:       `{"elicitation":{}}`,
		`{"elicitation":{"url":{}}}`: `{"elicitation":{"form":{}}}`,
	} {
		response := s.do("POST", askFor(capabilities, ""), "Mcp-Protocol-Version: "+modern, "Mcp-Method: tools/call", "Mcp-Name: "+asker)
		var m struct {
			Error struct {
				Code int
				Data struct{ RequiredCapabilities json.RawMessage }
			}
		}
		if err := json.NewDecoder(response.Body).Decode(&m); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != 400 || m.Error.Code != -32021 || string(m.Error.Data.RequiredCapabilities) != want {
			t.Errorf("%s: got status %d, code %d and %s, want 400, -32021 and %s",
				capabilities, response.StatusCode, m.Error.Code, m.Error.Data.RequiredCapabilities, want)
		}
	}
}

// A key belongs to one outcome, and a question is not an outcome.
func TestAskingUsesUpNoKey(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	keyed := func(params string) string {
		return strings.Replace(askFor(`{"elicitation":{}}`, params), `"_meta":{`, `"_meta":{"idempotency_key":"K-1",`, 1)
	}
	p.send(keyed(""))
	if got := outcome(t, p.next()); got != "asks by elicitation/create" {
		t.Errorf("the first call led to %s", got)
	}
	p.send(keyed(`"inputResponses":{"user_name":{"action":"accept","content":{"name":"Lina"}}}`))
	if got := outcome(t, p.next()); got != "Hello, Lina!" {
		t.Errorf("the second call led to %s", got)
	}
}

// Before 2026-07-28 a result cannot ask.
func TestAskingToolIsOfOneEra(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		items, _ := walk(t, revision, "tools/list", "tools")
		listed := slices.ContainsFunc(items, func(tool map[string]any) bool { return tool["name"] == asker })
		p := newPeer(t, made(t, server.Options{}))
		p.open(revision)
		p.send(request(revision, "1", "tools/call", fmt.Sprintf(`"name":%q`, asker)))
		want := "id 1 -32602"
		if revision == modern {
			want = "id 1 -32021"
		}
		if got := tell(p.next()); listed != (revision == modern) || got != want {
			t.Errorf("%s: listed %t, got %s, want %s", revision, listed, got, want)
		}
	}
}
