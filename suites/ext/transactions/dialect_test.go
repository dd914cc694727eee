package transactions_test

import (
	"strings"
	"testing"

	reference "github.com/mcp-conform/mcp-conform/reference-server/ext/transactions"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/reference-server/server"
	"github.com/mcp-conform/mcp-conform/reports"
	"github.com/mcp-conform/mcp-conform/suites/config"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/dialects"
	"github.com/mcp-conform/mcp-conform/suites/ext/transactions"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

type object = dialects.Object

// onRequest changes the params of what a client asks, and their metadata.
func onRequest(change func(message, params, meta object)) dialects.Translator {
	return dialects.Translator{In: func(message object) {
		if params, ok := message["params"].(object); ok {
			meta, _ := params["_meta"].(object)
			change(message, params, meta)
		}
	}}
}

// onResult changes the results of the server, and their metadata.
func onResult(change func(result, meta object)) dialects.Translator {
	return dialects.Translator{Out: func(message object) bool {
		if result, ok := message["result"].(object); ok {
			meta, _ := result["_meta"].(object)
			change(result, meta)
		}
		return true
	}}
}

func page() dialects.Page {
	return dialects.Page{Suites: []suite.Suite{transactions.Suite()}, Config: func(c *config.Config) { c.Transport = config.Stdio }}
}

// noMethod makes transaction/step a method that the server does not have.
func noMethod(message, _, _ object) {
	if message["method"] == "transaction/step" {
		message["method"] = "transaction/none"
	}
}

// Every form in which a server may take steps passes, and what it does not offer is
// not judged.
func TestForms(t *testing.T) {
	t.Parallel()
	const (
		method = "compensation step-id-kept step-ok step-failed step-without-transaction step-without-id step-without-tool " +
			"step-without-parameters unknown-transaction rollback-undoes confirmation-kept"
		call  = "compensation-call step-failed-call unknown-transaction-call rollback-undoes-call replay-once confirmation-kept-call"
		alone = "needs-idempotency foreign-rollback" // the suite of idempotency is left out here, and HTTP
	)
	page().Dialects(t, []dialects.Row{
		{Name: "both", Skips: alone},
		{Name: "calls", Skips: alone, Unseen: method, Server: onRequest(noMethod)},
		{Name: "calls that name the transaction beside their arguments", Skips: alone, Unseen: method, Noted: "params.transaction_id, an older form",
			Server: onRequest(func(message, params, meta object) {
				noMethod(message, params, meta)
				if message["method"] != "tools/call" {
					return
				}
				for _, name := range []string{"transaction_id", "step_id"} {
					delete(meta, name)
					delete(meta, dialects.Prefix+name)
					if value, ok := params[name]; ok {
						meta[name] = value
					}
				}
			})},
		{Name: "calls that nothing is said of", Skips: alone, Unseen: method + " step-id-used step-id-parallel",
			Server: onRequest(func(message, params, meta object) {
				noMethod(message, params, meta)
				delete(meta, "step_id")
				delete(meta, dialects.Prefix+"step_id")
			})},
		{Name: "transaction/step", Skips: alone, Unseen: call, Server: onRequest(func(message, _, meta object) {
			if message["method"] == "tools/call" {
				delete(meta, "transaction_id")
				delete(meta, dialects.Prefix+"transaction_id")
			}
		})},
		{Name: "compensations in a group", Skips: alone, Server: onResult(func(_, meta object) {
			if undo, ok := meta["compensation"]; ok {
				delete(meta, "compensation")
				delete(meta, dialects.Prefix+"compensation")
				meta["transaction"] = object{"compensation": undo}
			}
		})},
		{Name: "the word failed for what cannot be undone", Skips: alone, Noted: "compensation_failed is the canonical word",
			Server: onResult(func(result, _ object) {
				list, _ := result["steps_compensated"].([]any)
				for _, entry := range list {
					if e, ok := entry.(object); ok && e["status"] == "compensation_failed" {
						e["status"] = "failed"
					}
				}
			})},
		{Name: "compensations that are names of tools", Skips: alone, Warns: "compensation compensation-call",
			Server: onResult(func(result, meta object) {
				for _, place := range []object{result, meta} {
					if undo, ok := place["compensation"].(object); ok {
						place["compensation"] = undo["tool"]
						delete(place, dialects.Prefix+"compensation")
					}
				}
			})},
		{Name: "the names of the text as methods", Skips: alone, Noted: "transaction/begin is offered as begin_transaction",
			Server: onRequest(func(message, _, _ object) {
				for _, word := range []string{"begin", "commit", "rollback"} {
					switch message["method"] {
					case "transaction/" + word, strings.ToUpper(word), strings.ToUpper(word) + "_TRANSACTION":
						message["method"] = "transaction/none"
					case word + "_transaction":
						message["method"] = "transaction/" + word
					}
				}
			})},
		{Name: "a rollback that stops at what cannot be undone, and says so", Skips: alone, Noted: "is not undone either",
			Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Ext: reference.Switches{StopsAndSays: true}}}}},
		{Name: "a failed step undoes the others, and the commit says so", Skips: alone, Warns: "commit-counts",
			Server: dialects.Translator{Options: server.Options{Fault: &fault.Fault{Ext: reference.Switches{FailureTold: true}}}}},
		{Name: "errors of steps as strings", Skips: alone, Server: onResult(func(result, _ object) {
			list, _ := result["steps_compensated"].([]any)
			for _, entry := range list {
				if e, ok := entry.(object); ok && e["error"] != nil {
					e["error"] = "no"
				}
			}
		})},
	})
}

// A server that claims transactions and takes steps in no form fails.
func TestStepsInNoForm(t *testing.T) {
	t.Parallel()
	report := page().Judge(t, onRequest(func(message, params, meta object) {
		noMethod(message, params, meta)
		for _, name := range []string{"transaction_id", "step_id"} {
			delete(meta, name)
			delete(meta, dialects.Prefix+name)
		}
	}), nil)
	failed := map[string]bool{}
	for _, f := range report.Findings {
		if f.Status == reports.Fail {
			failed[f.Case] = true
		}
	}
	for _, id := range []string{"ext-transactions/compensation-call", "ext-transactions/rollback-undoes-call"} {
		if !failed[id] {
			t.Errorf("%s did not fail; failed are %v", id, failed)
		}
	}
}
