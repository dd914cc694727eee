package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

func TestPinnedDialectsAreNotLearned(t *testing.T) {
	t.Parallel()
	m := &probe.Memory{}
	pin(m, map[string]config.Dialect{
		"idempotency":  {Carriers: []string{"B", "P"}},
		"transactions": {Method: "T"},
	})
	learned := func() (string, error) { return "learned", nil }
	for key, want := range map[string]string{
		"dialect:idempotency": "BP", "method:idempotency": "learned", "dialect:transactions": "learned", "method:transactions": "T",
	} {
		got, err := m.Learn("case", key, learned)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
