package server_test

import (
	"fmt"
	"testing"

	"github.com/mcp-conform/mcp-conform/reference-server/server"
)

// Steps of both forms are taken back together, the last one first, at every revision.
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
			if meta, ok := r["_meta"].(map[string]any); ok && method == "tools/call" {
				return fmt.Sprint(meta["step_id"], " ", meta["compensation"])
			}
			return fmt.Sprint(r["status"], " ", r["step_id"], " ", r["steps_compensated"])
		}
		const berth, pilot = `{"vessel":"X","berth":"A4"}`, `{"vessel":"X","day":100}`
		for _, row := range []struct{ name, method, params, want string }{
			{"begin", "transaction/begin", `{"transaction_id":"x"}`, "begun <nil> <nil>"},
			{"begin again", "transaction/begin", `{"transaction_id":"x"}`, "id 1 1000"},
			{"step", "transaction/step", `{"transaction_id":"x","step_id":"a","tool":"book_berth","parameters":` + berth + `}`, "ok a <nil>"},
			{"call", "tools/call", `{"name":"order_pilot","arguments":` + pilot + `,"_meta":{"transaction_id":"x"}}`,
				"step-2 map[arguments:map[pilot:PL-1] description:Cancels pilot PL-1. tool:cancel_pilot]"},
			{"reading step", "transaction/step", `{"transaction_id":"x","step_id":"r","tool":"tide_table","parameters":{}}`, "ok r <nil>"},
			{"failing step", "transaction/step", `{"transaction_id":"x","step_id":"f","tool":"order_pilot","parameters":{"vessel":"X","day":1}}`,
				"failed f <nil>"},
			{"gated step", "transaction/step", `{"transaction_id":"x","step_id":"g","tool":"scrap_vessel","parameters":{"vessel":"X"}}`,
				"failed g <nil>"},
			{"no such tool", "transaction/step", `{"transaction_id":"x","step_id":"n","tool":"none","parameters":{}}`, "id 1 -32602"},
			{"used step id", "transaction/step", `{"transaction_id":"x","step_id":"a","tool":"order_pilot","parameters":` + pilot + `}`, "id 1 1000"},
			{"rollback", "transaction/rollback", `{"transaction_id":"x"}`,
				"rolled_back <nil> [map[status:compensated step_id:step-2] map[status:compensated step_id:a]]"},
			{"rollback again", "transaction/rollback", `{"transaction_id":"x"}`, "id 1 -32602"},
		} {
			if got := ask(row.method, row.params); got != row.want {
				t.Errorf("%s: %s: got %s, want %s", revision, row.name, got, row.want)
			}
		}
	}
}
