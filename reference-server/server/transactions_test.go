package server_test

import (
	"fmt"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// A step that only reads is not undone, and a call of an unknown tool is not a step.
// The cases of the kit show the other rules of transactions.
func TestTransactions(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions() {
		d := newDesk(t, revision, server.Options{})
		ask := func(method, params string) string {
			d.send(spell(revision, "@"+method+" "+params))
			got := d.next()
			if told := tell(got); told != "id 1 ok" {
				return told
			}
			r := result(t, got)
			return fmt.Sprint(r["status"], " ", r["step_id"], " ", r["steps_compensated"])
		}
		for _, row := range []struct{ name, method, params, want string }{
			{"begin", "transaction/begin", `{"transaction_id":"x"}`, "begun <nil> <nil>"},
			{"step", "transaction/step", `{"transaction_id":"x","step_id":"a","tool":"book_berth","parameters":{` + berthA4 + `}}`, "ok a <nil>"},
			{"reading step", "transaction/step", `{"transaction_id":"x","step_id":"r","tool":"tide_table","parameters":{}}`, "ok r <nil>"},
			{"no such tool", "transaction/step", `{"transaction_id":"x","step_id":"n","tool":"none","parameters":{}}`, "id 1 -32602"},
			{"rollback", "transaction/rollback", `{"transaction_id":"x"}`,
				"rolled_back <nil> [map[status:compensated step_id:a]]"},
		} {
			if got := ask(row.method, row.params); got != row.want {
				t.Errorf("%s: %s: got %s, want %s", revision, row.name, got, row.want)
			}
		}
	}
}
