package schemas_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/schemas"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	value, ok := tryDecode(text)
	if !ok {
		t.Fatalf("%s is not JSON", text)
	}
	return value
}

func tryDecode(text string) (any, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err == nil
}

func core(t testing.TB, revision string) *schemas.Set {
	t.Helper()
	set, err := schemas.Load().Core(revision)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestFaultsReadAsSentences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, revision, definition, value string
		want                              []schemas.Fault
	}{
		{"wrong text block", "2025-11-25", "CallToolResult", `{"content":[{"type":"text","text":5}]}`,
			[]schemas.Fault{{"/content/0/text", "a string", "5"}}},
		{"unknown block", "2025-03-26", "CallToolResult", `{"content":[{"type":"video","data":""}]}`,
			[]schemas.Fault{{"/content/0/type", `"text", "image", "audio" or "resource"`, `"video"`}}},
		{"missing members, tenth after ninth", "2025-11-25", "ListToolsResult", `{"tools":[{"name":"a"},{"inputSchema":{"type":"string"}}]}`,
			[]schemas.Fault{{"/tools/0/inputSchema", "an object", "missing"}, {"/tools/1/inputSchema/type", `"object"`, `"string"`}, {"/tools/1/name", "a string", "missing"}}},
		{"no contents", "2025-06-18", "ReadResourceResult", `{"contents":[{"uri":"a:b"}]}`,
			[]schemas.Fault{{"/contents/0", "an object with text or blob", `{"uri":"a:b"}`}}},
		{"wrong blob is not a missing text", "2025-06-18", "ReadResourceResult", `{"contents":[{"uri":"a:b","blob":7}]}`,
			[]schemas.Fault{{"/contents/0/blob", "a string", "7"}}},
		{"not even an object", "2026-07-28", "ListToolsResult", `[]`, []schemas.Fault{{"", "an object", "[]"}}},
		{"null cursor", "2024-11-05", "ListToolsResult", `{"tools":[],"nextCursor":null}`, []schemas.Fault{{"/nextCursor", "a string", "null"}}},
		{"null id", "2024-11-05", "JSONRPCErrorResponse", `{"jsonrpc":"2.0","id":null,"error":{"code":0,"message":""}}`,
			[]schemas.Fault{{"/id", "an integer or a string", "null"}}},
		{"bounds", "2026-07-28", "ListToolsResult", `{"resultType":"complete","tools":[],"ttlMs":-1,"cacheScope":"shared"}`,
			[]schemas.Fault{{"/cacheScope", `"public" or "private"`, `"shared"`}, {"/ttlMs", "a number of at least 0", "-1"}}},
		{"enumeration of eight", "2025-11-25", "SetLevelParams", `{"level":"loud"}`,
			[]schemas.Fault{{"/level", `"debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency"`, `"loud"`}}},
		{"escaped pointer", "2026-07-28", "ResultMeta", `{"io.modelcontextprotocol/serverInfo":7}`,
			[]schemas.Fault{{"/io.modelcontextprotocol~1serverInfo", "an object", "7"}}},
		{"no result type", "2026-07-28", "CallToolOutcome", `{"content":[]}`, []schemas.Fault{{"/resultType", `a string`, "missing"}}},
		{"no such definition", "2024-11-05", "Icon", `{}`, []schemas.Fault{{"", "a definition called Icon", "none in this document"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := core(t, test.revision).Validate(test.definition, decode(t, test.value))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The values cut from a long list are as allowed as the shown ones, and no others are.
func TestLongEnumerationSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	set, err := schemas.Load().Extension("manifest")
	if err != nil {
		t.Fatal(err)
	}
	faults := set.Validate("Extensions", decode(t, `["telepathy"]`))
	if len(faults) != 1 || !strings.HasSuffix(faults[0].Want, ` or another allowed value`) {
		t.Errorf("got %+v, want one fault that says that other values are allowed", faults)
	}
}

func TestFaultsAreShortAndFew(t *testing.T) {
	t.Parallel()
	set := core(t, "2025-11-25")
	long := map[string]any{"tools": map[string]any{"a": strings.Repeat("ü", 5000), "b": []any{strings.Repeat("x", 5000)}}}
	for _, f := range set.Validate("ListToolsResult", long) {
		if n := utf8.RuneCountInString(f.Got); n > 80 || !strings.HasSuffix(f.Got, "...") {
			t.Errorf("got has %d characters: %s", n, f.Got)
		}
	}
	var items []any
	for range 5000 {
		items = append(items, "x")
	}
	if n := len(set.Validate("ListToolsResult", map[string]any{"tools": items})); n != 100 {
		t.Errorf("%d faults, want 100", n)
	}
}

func TestFaultsHaveOneOrder(t *testing.T) {
	t.Parallel()
	set := core(t, "2025-11-25")
	value := decode(t, `{"tools":[{},{"name":1,"title":2,"description":3,"inputSchema":4,"annotations":5,"icons":6},{},{},{},{},{},{},{},{},{"name":7}]}`)
	want := set.Validate("ListToolsResult", value)
	for range 20 {
		if diff := cmp.Diff(want, set.Validate("ListToolsResult", value)); diff != "" {
			t.Fatalf("a second reading differs:\n%s", diff)
		}
	}
	if last := want[len(want)-1].Pointer; last != "/tools/10/name" {
		t.Errorf("the last fault is at %s, want /tools/10/name", last)
	}
}

func TestEncodingsStandApart(t *testing.T) {
	t.Parallel()
	set := core(t, "2025-11-25")
	value := decode(t, `{"content":[{"type":"image","data":"?","mimeType":"image/png"},{"type":"image","data":"aGk=","mimeType":"image/png"},
		{"type":"resource","resource":{"uri":"a:b","blob":"a"}},{"type":"text","text":"?"}]}`)
	if faults := set.Validate("CallToolResult", value); len(faults) > 0 {
		t.Errorf("base64 is counted: %+v", faults)
	}
	want := []schemas.Fault{{"/content/0/data", "a string in base64", `"?"`}, {"/content/2/resource/blob", "a string in base64", `"a"`}}
	if diff := cmp.Diff(want, set.Encodings("CallToolResult", value)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIntegersAreNumbersWithoutFraction(t *testing.T) {
	t.Parallel()
	set := core(t, "2025-11-25")
	digits := strings.Repeat("9", 100_000)
	for text, fits := range map[string]bool{
		"1": true, "1.0": true, "-0": true, "1e3": true, "9007199254740993": true, "1e9999999": true, digits: true, digits + ".0": true,
		"1.5": false, "1e-3": false, "1e-9999999": false, "0." + digits: false, `"1"`: true, "null": false,
	} {
		got := len(set.Validate("RequestId", decode(t, text))) == 0
		if got != fits {
			t.Errorf("%.20s is an id: %v, want %v", text, got, fits)
		}
	}
	if faults := set.Validate("RequestId", 1.0); len(faults) > 0 {
		t.Errorf("a float64 that is whole is no integer: %+v", faults)
	}
}

func TestSetsServeManyAtOnce(t *testing.T) {
	t.Parallel()
	library := schemas.Load()
	value := decode(t, `{"content":[{"type":"text","text":5}]}`)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			set, err := library.Core(revisions()[i%len(revisions())])
			if err != nil {
				t.Error(err)
				return
			}
			if faults := set.Validate("CallToolResult", value); len(faults) == 0 {
				t.Errorf("no fault in %v", value)
			}
		})
	}
	group.Wait()
}
