package probe_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// Places are read in the order of the proposals' dialects; the later ones count
// only with the mark of their record, here the member source.
func TestLocate(t *testing.T) {
	t.Parallel()
	one := json.Number("1")
	for name, row := range map[string]struct {
		result string
		want   probe.Located
		found  bool
	}{
		"nowhere":              {`{"content":[]}`, probe.Located{}, false},
		"nothing at all":       {`null`, probe.Located{}, false},
		"canonical prefix":     {`{"_meta":{"io.github.mcp-extension-proposals/key":"v"}}`, probe.Located{Value: "v", Place: "_meta[io.github.mcp-extension-proposals/key]"}, true},
		"bare":                 {`{"_meta":{"key":"v"}}`, probe.Located{Value: "v", Place: "_meta.key"}, true},
		"grouped":              {`{"_meta":{"group":{"key":"v"}}}`, probe.Located{Value: "v", Place: "_meta.group.key"}, true},
		"null is a value":      {`{"_meta":{"key":null}}`, probe.Located{Place: "_meta.key"}, true},
		"the result":           {`{"content":[],"key":"v"}`, probe.Located{Value: "v", Place: "result.key"}, true},
		"its group":            {`{"content":[],"group":{"key":"v"}}`, probe.Located{Value: "v", Place: "result.group.key"}, true},
		"no content, no mark":  {`{"key":"v"}`, probe.Located{}, false},
		"no content, a mark":   {`{"key":"v","source":"s"}`, probe.Located{Value: "v", Place: "result.key"}, true},
		"no content, in group": {`{"group":{"key":"v","source":"s"}}`, probe.Located{Value: "v", Place: "result.group.key"}, true},
		"structured, no mark":  {`{"content":[],"structuredContent":{"key":"v"}}`, probe.Located{}, false},
		"structured":           {`{"content":[],"structuredContent":{"key":"v","source":"s"}}`, probe.Located{Value: "v", Place: "structuredContent.key"}, true},
		"structured, grouped":  {`{"content":[],"structuredContent":{"group":{"key":"v","source":"s"}}}`, probe.Located{Value: "v", Place: "structuredContent.group.key"}, true},
		"text":                 {`{"content":[{"type":"text","text":"{\"key\":\"v\",\"source\":\"s\"}"}]}`, probe.Located{Value: "v", Place: "the JSON of the first text block"}, true},
		"text, grouped":        {`{"content":[{"type":"image"},{"type":"text","text":"{\"group\":{\"key\":\"v\",\"source\":\"s\"}}"}]}`, probe.Located{Value: "v", Place: "the JSON of the first text block, group"}, true},
		"second text":          {`{"content":[{"type":"text","text":"no"},{"type":"text","text":"{\"key\":\"v\",\"source\":\"s\"}"}]}`, probe.Located{}, false},
		"the order": {`{"_meta":{"io.github.mcp-extension-proposals/key":1,"key":1.0,"group":{"key":1}},"content":[],"key":1}`,
			probe.Located{Value: one, Place: "_meta[io.github.mcp-extension-proposals/key]"}, true},
		"disagreement": {`{"_meta":{"key":1,"group":{"key":2}},"content":[],"key":3}`,
			probe.Located{Value: one, Place: "_meta.key", Disagree: "_meta.group.key"}, true},
		"what has no mark cannot disagree": {`{"_meta":{"key":1},"content":[],"structuredContent":{"key":2}}`,
			probe.Located{Value: one, Place: "_meta.key"}, true},
		"null disagrees": {`{"_meta":{"key":null},"content":[],"key":1}`, probe.Located{Place: "_meta.key", Disagree: "result.key"}, true},
		"odd places":     {`{"_meta":[],"content":"x","structuredContent":3,"group":null}`, probe.Located{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := frame.Read([]byte(row.result)).Value.(map[string]any)
			got, found := probe.Locate(in, "key", "group", func(r map[string]any) bool { return r["source"] != nil })
			if found != row.found {
				t.Errorf("found %v, want %v", found, row.found)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPayload(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		result string
		want   any
	}{
		"structured":       {`{"structuredContent":{"a":1},"content":[{"type":"text","text":"2"}]}`, map[string]any{"a": 1}},
		"JSON in text":     {`{"content":[{"type":"image"},{"type":"text","text":"{\"a\":1}"}]}`, map[string]any{"a": 1}},
		"text":             {`{"content":[{"type":"text","text":"2026 is here"}]}`, "2026 is here"},
		"wrapped":          {`{"result":{"a":1}}`, map[string]any{"a": 1}},
		"wrapped, content": {`{"result":{"a":1},"content":[{"type":"text","text":"x"}]}`, "x"},
		"no text":          {`{"content":[{"type":"text"},7]}`, nil},
		"nothing":          {`{}`, nil},
	} {
		in, _ := frame.Read([]byte(row.result)).Value.(map[string]any)
		if got := probe.Payload(in); !probe.Same(got, row.want) {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

// Where a structured error record may stand, and what counts as a refusal.
func TestRecordsAndRefusals(t *testing.T) {
	t.Parallel()
	const record = `{"code":"X","category":"permanent"}`
	for name, row := range map[string]struct {
		server   *server
		method   string
		place    string
		declined bool
	}{
		"error.data":        {answers(refusal("1", `{"code":-32602,"data":`+record+`}`)), "x", "error.data", true},
		"error.data.error":  {answers(refusal("1", `{"code":-32602,"data":{"error":`+record+`}}`)), "x", "error.data.error", true},
		"prefixed":          {answers(result("1", `{"_meta":{"io.github.mcp-extension-proposals/error":`+record+`}}`)), "x", "_meta[io.github.mcp-extension-proposals/error]", true},
		"bare":              {answers(result("1", `{"_meta":{"error":`+record+`}}`)), "x", "_meta.error", true},
		"result":            {answers(result("1", `{"error":`+record+`}`)), "x", "result.error", true},
		"structured":        {answers(result("1", `{"structuredContent":`+record+`}`)), "x", "structuredContent", true},
		"structured error":  {answers(result("1", `{"structuredContent":{"error":`+record+`}}`)), "x", "structuredContent.error", true},
		"text":              {answers(result("1", `{"content":[{"type":"text","text":"{\"code\":\"X\",\"category\":\"transient\"}"}]}`)), "x", "the JSON of the first text block", true},
		"text error":        {answers(result("1", `{"content":[{"type":"text","text":"{\"error\":{\"code\":\"X\",\"category\":\"c\"}}"}]}`)), "x", "the JSON of the first text block, error", true},
		"a code of its own": {answers(result("1", `{"structuredContent":{"code":"X","category":"yacht"}}`)), "x", "", false},
		"no category":       {answers(result("1", `{"structuredContent":{"code":"X"}}`)), "x", "", false},
		"flag":              {answers(result("1", `{"isError":true}`)), "tools/call", "", true},
		"plain error":       {answers(refusal("1", `{"code":-32602}`)), "x", "", true},
		"internal error":    {answers(refusal("1", `{"code":-32603}`)), "x", "", false},
		"unknown method":    {answers(refusal("1", `{"code":-32601}`)), "x", "", false},
		"no code":           {answers(refusal("1", `{}`)), "x", "", true},
		"failed":            {answers(result("1", `{"status":"failed"}`)), "x", "", true},
		"denied":            {answers(result("1", `{"status":"denied"}`)), "x", "", true},
		"not allowed":       {answers(result("1", `{"allowed":false}`)), "x", "", true},
		"a tool's own":      {answers(result("1", `{"status":"failed","allowed":false}`)), "tools/call", "", false},
		"fine":              {answers(result("1", `{}`)), "x", "", false},
		"status 403":        {&server{http: true, hear: posts(403)}, "x", "", true},
		"status 500":        {&server{http: true, hear: posts(500)}, "x", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := connect(t, row.server).Call(t.Context(), row.method, nil)
			if err != nil {
				t.Fatal(err)
			}
			held, place, ok := reply.Record()
			if place != row.place || ok != (place != "") || ok && held["code"] != "X" {
				t.Errorf("got %v at %q, want %q", held, place, row.place)
			}
			if reply.Declined() != row.declined || (reply.WantDeclined() == nil) != row.declined {
				t.Errorf("declined %v, want %v", reply.Declined(), row.declined)
			}
			_, isResult := reply.Result()
			if done := reply.WantDone() == nil; done != (isResult && !row.declined) {
				t.Errorf("done %v", done)
			}
		})
	}
}
