package server_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/schemas"
)

// walk pages through a list and returns its items.
func walk(t *testing.T, revision, method, member string) (items []map[string]any, pages int) {
	t.Helper()
	params := ""
	for {
		// Each page comes from a new process: every process has to know the cursor.
		p := newPeer(t, made(t, server.Options{}))
		p.open(revision)
		p.send(request(revision, "1", method, params))
		got := result(t, p.next())
		list, ok := got[member].([]any)
		if !ok {
			t.Fatalf("%s is %v", member, got[member])
		}
		for _, item := range list {
			items = append(items, item.(map[string]any))
		}
		pages++
		cursor, more := got["nextCursor"].(string)
		if !more {
			return items, pages
		}
		params = fmt.Sprintf(`"cursor":%q`, cursor)
	}
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		for method, member := range map[string]string{
			"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts",
		} {
			items, pages := walk(t, revision, method, member)
			var names []string
			for _, item := range items {
				names = append(names, item["name"].(string))
			}
			if pages < 3 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
				t.Errorf("%s at %s: %d pages, %v", method, revision, pages, names)
			}
		}
	}
}

func TestCursorsBelongToTheirList(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.open("2025-11-25")
	p.send(request("2025-11-25", "1", "tools/list", ""))
	cursor := result(t, p.next())["nextCursor"].(string)
	altered := []byte(cursor)
	altered[0] ^= 1
	for _, row := range []struct{ method, cursor, want string }{
		{"tools/list", cursor, "id 1 ok"},
		{"prompts/list", cursor, "id 1 -32602"},
		{"tools/list", string(altered), "id 1 -32602"},
		{"tools/list", cursor + "AAAA", "id 1 -32602"},
		{"tools/list", strings.Repeat("x", 5000), "id 1 -32602"},
	} {
		p.send(request("2025-11-25", "1", row.method, fmt.Sprintf(`"cursor":%q`, row.cursor)))
		if got := tell(p.next()); got != row.want {
			t.Errorf("%s with %.20s: got %s, want %s", row.method, row.cursor, got, row.want)
		}
	}
}

func TestItemsFitTheRevision(t *testing.T) {
	t.Parallel()
	since := map[string]string{"title": "2025-06-18", "outputSchema": "2025-06-18", "annotations": "2025-03-26", "icons": "2025-11-25"}
	for _, revision := range revisions() {
		seen := map[string]bool{}
		tools, _ := walk(t, revision, "tools/list", "tools")
		for _, tool := range tools {
			for member := range tool {
				seen[member] = true
				if first := since[member]; first > revision {
					t.Errorf("%s: the tool %v has %s", revision, tool["name"], member)
				}
			}
			if text := fmt.Sprint(tool["inputSchema"]); strings.Contains(text, "x-mcp-header") && revision != modern {
				t.Errorf("%s: the tool %v has header marks", revision, tool["name"])
			}
			output, _ := tool["outputSchema"].(map[string]any)
			if output != nil && output["type"] != "object" && revision != modern {
				t.Errorf("%s: the tool %v has an output that is no object", revision, tool["name"])
			}
		}
		for member, first := range since {
			if member != "icons" && first <= revision && !seen[member] {
				t.Errorf("%s: no tool has %s", revision, member)
			}
		}
	}
}

// Each kind of result is validated against the kit's own schema of the revision, which
// finds members of a wrong type.
func TestMessagesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	calls := []struct{ method, params string }{
		{"resources/read", `"uri":"test://static-binary"`}, {"resources/read", `"uri":"harbour://berths/A1"`},
		{"prompts/get", `"name":"test_prompt_with_image"`},
		{"prompts/get", `"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://x"}`},
		{"completion/complete",
			`"ref":{"type":"ref/prompt","name":"fee_letter"},"argument":{"name":"tone","value":"f"},"context":{"arguments":{"vessel":"A"}}`},
		{"tools/list", ""}, {"resources/list", ""}, {"resources/templates/list", ""}, {"prompts/list", ""},
		{"tools/call", `"name":"find_berth","arguments":{"length":{}}`},
	}
	for _, tool := range []string{
		"list_berths", "office_hours", "harbour_map", "tide_table", "tide_heights", "count_bookings", "basin_level",
		"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource",
		"test_multiple_content_types", "test_error_handling", "test_tool_with_progress", "test_tool_with_logging", "test_logging_tool",
	} {
		calls = append(calls, struct{ method, params string }{"tools/call", fmt.Sprintf(`"name":%q,"_meta":{"progressToken":0}`, tool)})
	}
	for _, revision := range revisions() {
		set, err := schemas.Load().Core(revision)
		if err != nil {
			t.Fatal(err)
		}
		p := newPeer(t, made(t, server.Options{}))
		p.open(revision)
		for _, call := range calls {
			line := spell(revision, "@"+call.method+" {"+call.params+"}")
			p.send(strings.Replace(line, `"io.modelcontextprotocol/client`,
				`"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/client`, 1))
			judgeUntilAnswer(t, p, set, revision, call.method)
		}
	}
}

func judgeUntilAnswer(t *testing.T, p *peer, set *schemas.Set, revision, method string) {
	t.Helper()
	for {
		got := p.next()
		decoder := json.NewDecoder(strings.NewReader(got))
		decoder.UseNumber()
		var message map[string]any
		if err := decoder.Decode(&message); err != nil {
			t.Fatalf("%s: %v: %s", method, err, got)
		}
		value := message["result"]
		var name string
		var known bool
		if sent, isNotification := message["method"].(string); isNotification {
			value = message
			name, known = set.NotificationOf(sent)
		} else {
			name, known = set.ResultOf(method)
		}
		if !known && !strings.Contains(got, `"error"`) {
			t.Errorf("%s at %s: no definition for %s", method, revision, got)
		}
		if known && value != nil {
			for _, f := range set.Validate(name, value) {
				t.Errorf("%s at %s: %s is %s, want %s", method, revision, f.Pointer, f.Got, f.Want)
			}
		}
		if _, answered := message["id"]; answered {
			return
		}
	}
}

func TestContentFitsTheRevision(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		tool  string
		kinds map[string]string
	}{
		{"test_audio_content", map[string]string{"2024-11-05": "text", "": "audio"}},
		{"harbour_map", map[string]string{"2024-11-05": "text", "2025-03-26": "text", "": "resource_link"}},
	} {
		for _, revision := range revisions() {
			p := newPeer(t, made(t, server.Options{}))
			p.open(revision)
			p.send(request(revision, "1", "tools/call", fmt.Sprintf(`"name":%q`, row.tool)))
			want, older := row.kinds[revision]
			if !older {
				want = row.kinds[""]
			}
			block := result(t, p.next())["content"].([]any)[0].(map[string]any)
			if block["type"] != want {
				t.Errorf("%s at %s: got %v, want %s", row.tool, revision, block["type"], want)
			}
		}
	}
}

func TestMediaAreWhatTheySay(t *testing.T) {
	t.Parallel()
	p := newPeer(t, made(t, server.Options{}))
	p.open("2025-11-25")
	p.send(request("2025-11-25", "1", "tools/call", `"name":"test_image_content"`))
	data, _ := result(t, p.next())["content"].([]any)[0].(map[string]any)["data"].(string)
	raw, err := base64.StdEncoding.Strict().DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
		t.Error(err)
	}
	items, _ := walk(t, "2025-11-25", "resources/list", "resources")
	for _, item := range items {
		if item["uri"] == "test://static-binary" && item["size"] != float64(len(raw)) {
			t.Errorf("the size is %v, want %d", item["size"], len(raw))
		}
	}
}
