package probe_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/schemas"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// The tables of protocol agree with the schemas.
func TestTablesAndSchemas(t *testing.T) {
	t.Parallel()
	for _, r := range requirements.Revisions() {
		set, err := schemas.Load().Core(string(r))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range protocol.Methods() {
			got, known := set.ResultOf(m.Name)
			// A request within a result has its own result type even after the last
			// revision of the method.
			if m.In(r) != known && m.By == protocol.Client {
				t.Errorf("%s: %s in the table %v, in the schema %v", r, m.Name, m.In(r), known)
			}
			if want := m.Result.At(r); m.In(r) && got != want {
				t.Errorf("%s: the result of %s is %s, in the table %s", r, m.Name, got, want)
			}
		}
		for _, n := range protocol.Notifications() {
			got, known := set.NotificationOf(n.Name)
			if n.In(r) != known || known && got != n.Definition {
				t.Errorf("%s: %s is %q in the schema, in the table %q, %v", r, n.Name, got, n.Definition, n.In(r))
			}
		}
		for _, l := range protocol.Lists() {
			if got, _ := set.ResultOf(l.Method); got != l.Result || !set.Has(l.Item) {
				t.Errorf("%s: the schema does not have %s and %s", r, l.Result, l.Item)
			}
		}
	}
}
