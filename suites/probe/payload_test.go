package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

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
