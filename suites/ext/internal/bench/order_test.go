package bench_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/bench"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

func TestReversed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		object probe.Object
		want   string
	}{
		{probe.Object{}, ""},
		{probe.Object{"berth": "A4"}, ""},
		{probe.Object{"berth": "A4", "nights": 2}, `{"nights":2,"berth":"A4"}`},
		{probe.Object{"hull": probe.Object{"beam": 3, "draught": 1.5}}, `{"hull":{"draught":1.5,"beam":3}}`},
		{probe.Object{"a": []any{1, 2}, "z": `"{"`}, `{"a":[1,2],"z":"\"{\""}`},
	} {
		if got := string(bench.Reversed(row.object)); got != row.want {
			t.Errorf("Reversed(%s) is %s, want %s", probe.JSON(row.object), got, row.want)
		}
	}
}
