package proposal_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/frame"
)

// Places are read in the order of the proposals' dialects; the later ones count
// only with the mark of their record, here the property source.
func TestLocate(t *testing.T) {
	t.Parallel()
	one := json.Number("1")
	for name, row := range map[string]struct {
		result string
		want   proposal.Located
		found  bool
	}{
		"nowhere":              {`{"content":[]}`, proposal.Located{}, false},
		"nothing at all":       {`null`, proposal.Located{}, false},
		"canonical prefix":     {`{"_meta":{"io.github.mcp-extension-proposals/key":"v"}}`, proposal.Located{Value: "v", Place: "_meta[io.github.mcp-extension-proposals/key]"}, true},
		"bare":                 {`{"_meta":{"key":"v"}}`, proposal.Located{Value: "v", Place: "_meta.key"}, true},
		"grouped":              {`{"_meta":{"group":{"key":"v"}}}`, proposal.Located{Value: "v", Place: "_meta.group.key"}, true},
		"null is a value":      {`{"_meta":{"key":null}}`, proposal.Located{Place: "_meta.key"}, true},
		"the result":           {`{"content":[],"key":"v"}`, proposal.Located{Value: "v", Place: "result.key"}, true},
		"its group":            {`{"content":[],"group":{"key":"v"}}`, proposal.Located{Value: "v", Place: "result.group.key"}, true},
		"no content, no mark":  {`{"key":"v"}`, proposal.Located{}, false},
		"no content, a mark":   {`{"key":"v","source":"s"}`, proposal.Located{Value: "v", Place: "result.key"}, true},
		"no content, in group": {`{"group":{"key":"v","source":"s"}}`, proposal.Located{Value: "v", Place: "result.group.key"}, true},
		"structured, no mark":  {`{"content":[],"structuredContent":{"key":"v"}}`, proposal.Located{}, false},
		"structured":           {`{"content":[],"structuredContent":{"key":"v","source":"s"}}`, proposal.Located{Value: "v", Place: "structuredContent.key"}, true},
		"structured, grouped":  {`{"content":[],"structuredContent":{"group":{"key":"v","source":"s"}}}`, proposal.Located{Value: "v", Place: "structuredContent.group.key"}, true},
		"text":                 {`{"content":[{"type":"text","text":"{\"key\":\"v\",\"source\":\"s\"}"}]}`, proposal.Located{Value: "v", Place: "the JSON of the first text block"}, true},
		"text, grouped":        {`{"content":[{"type":"image"},{"type":"text","text":"{\"group\":{\"key\":\"v\",\"source\":\"s\"}}"}]}`, proposal.Located{Value: "v", Place: "the JSON of the first text block, group"}, true},
		"second text":          {`{"content":[{"type":"text","text":"no"},{"type":"text","text":"{\"key\":\"v\",\"source\":\"s\"}"}]}`, proposal.Located{}, false},
		"the order": {`{"_meta":{"io.github.mcp-extension-proposals/key":1,"key":1.0,"group":{"key":1}},"content":[],"key":1}`,
			proposal.Located{Value: one, Place: "_meta[io.github.mcp-extension-proposals/key]"}, true},
		"disagreement": {`{"_meta":{"key":1,"group":{"key":2}},"content":[],"key":3}`,
			proposal.Located{Value: one, Place: "_meta.key", Disagree: "_meta.group.key"}, true},
		"what has no mark cannot disagree": {`{"_meta":{"key":1},"content":[],"structuredContent":{"key":2}}`,
			proposal.Located{Value: one, Place: "_meta.key"}, true},
		"null disagrees": {`{"_meta":{"key":null},"content":[],"key":1}`, proposal.Located{Place: "_meta.key", Disagree: "result.key"}, true},
		"odd places":     {`{"_meta":[],"content":"x","structuredContent":3,"group":null}`, proposal.Located{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := frame.Read([]byte(row.result)).Value.(map[string]any)
			got, found := proposal.Locate(in, "key", "group", func(r map[string]any) bool { return r["source"] != nil })
			if found != row.found {
				t.Errorf("found %v, want %v", found, row.found)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
