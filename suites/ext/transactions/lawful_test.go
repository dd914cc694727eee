package transactions_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/internal/fakeserver"
	"github.com/mcp-conform/mcp-conform/suites/internal/lawful"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func TestLawful(t *testing.T) {
	lawful.Servers(t, "ext-transactions", []lawful.Row{
		{Name: "transactions, with no steps to show them", Server: claiming(ledger(&book{}))},
		{Name: "transactions by their oldest names", Server: shouted()},
		{Name: "one transaction at a time", Server: claiming(ledger(&book{single: true})), Over: requirements.HTTP},
		{Name: "transactions in the words of the example servers", Server: example(), Warned: []string{
			"ext-transactions/form", "ext-transactions/begin-without-id", "ext-transactions/begin-number-id",
			"ext-transactions/begin-duplicate", "ext-transactions/commit-without-id", "ext-transactions/commit-unknown",
			"ext-transactions/commit-twice", "ext-transactions/rollback-without-id", "ext-transactions/rollback-unknown",
		}},
	})
}

// A book holds the transactions of a server that does no more than it must.
type book struct {
	single bool // one transaction at a time
	mu     sync.Mutex
	open   map[string]bool
}

// begin and end say in one word what is wrong; empty is nothing.
func (b *book) begin(params map[string]any) (id, problem string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, ok := params["transaction_id"].(string)
	switch {
	case !ok || id == "":
		return "", "INVALID_INPUT"
	case b.open[id]:
		return id, "TRANSACTION_CONFLICT"
	case b.single && len(b.open) > 0:
		return id, "another transaction is open"
	}
	if b.open == nil {
		b.open = map[string]bool{}
	}
	b.open[id] = true
	return id, ""
}

func (b *book) end(params map[string]any) (id, problem string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, _ = params["transaction_id"].(string)
	if !b.open[id] {
		return id, "RESOURCE_NOT_FOUND"
	}
	delete(b.open, id)
	return id, ""
}

// answers are those of the methods, by what the example servers call them.
func (b *book) answers() map[string]func(params map[string]any) (result map[string]any, problem string) {
	return map[string]func(map[string]any) (map[string]any, string){
		"begin_transaction": func(params map[string]any) (map[string]any, string) {
			id, problem := b.begin(params)
			return map[string]any{"transaction_id": id, "status": "begun"}, problem
		},
		"commit_transaction": func(params map[string]any) (map[string]any, string) {
			id, problem := b.end(params)
			return map[string]any{"transaction_id": id, "status": "committed"}, problem
		},
		"rollback_transaction": func(params map[string]any) (map[string]any, string) {
			id, problem := b.end(params)
			return map[string]any{"transaction_id": id, "steps_compensated": []any{}}, problem
		},
	}
}

// ledger serves transactions as methods, and says no in plain JSON-RPC errors. Steps
// are tools/call, which nobody has configured.
func ledger(b *book) map[string]func(fakeserver.Request) any {
	methods := fakeserver.Answers{}
	for method, tool := range map[string]string{
		"transaction/begin": "begin_transaction", "transaction/commit": "commit_transaction", "transaction/rollback": "rollback_transaction",
	} {
		answer := b.answers()[tool]
		methods[method] = func(r fakeserver.Request) any {
			result, problem := answer(r.Params)
			if problem != "" {
				return &fakeserver.Error{Code: -32602, Message: problem}
			}
			return result
		}
	}
	return methods
}

// shouted serves them under their oldest names, and says so in a manifest too.
func shouted() *fakeserver.Server {
	methods, old := ledger(&book{}), fakeserver.Answers{}
	for name, older := range map[string]string{
		"transaction/begin": "BEGIN_TRANSACTION", "transaction/commit": "COMMIT", "transaction/rollback": "ROLLBACK",
	} {
		old[older] = methods[name]
	}
	s := claiming(old)
	tools := make([]any, len(s.Tools))
	for i, tool := range s.Tools {
		tools[i] = map[string]any{"name": tool["name"], "description": "Says a text.", "input_schema": tool["inputSchema"]}
	}
	old["get_manifest"] = func(fakeserver.Request) any {
		return map[string]any{
			"manifest_version": "0.1.0", "server": map[string]any{"name": "rigged", "version": "1.0.0", "mcp_spec_version": "2025-11-25"},
			"tools": tools, "auth": map[string]any{"methods": []any{"none"}}, "rate_limits": map[string]any{},
			"supported_extensions": []any{"idempotency", "transactions"},
		}
	}
	return s
}

// claiming is a server that claims both extensions.
func claiming(methods map[string]func(fakeserver.Request) any) *fakeserver.Server {
	return &fakeserver.Server{Capabilities: map[string]any{
		"tools": map[string]any{}, "extensions": map[string]any{
			protocol.ProposalPrefix + "idempotency": map[string]any{}, protocol.ProposalPrefix + "transactions": map[string]any{},
		},
	}, Tools: fakeserver.Tools(2), Answer: methods}
}

// example serves them like the example servers of the proposals: as tools that are
// not listed, with errors inside of successful results.
func example() *fakeserver.Server {
	b, s := &book{}, claiming(nil)
	said := func(v any) any {
		text, _ := json.Marshal(v)
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}}
	}
	s.Answer = fakeserver.Answers{"tools/call": func(r fakeserver.Request) any {
		name, _ := r.Params["name"].(string)
		answer := b.answers()[name]
		if answer == nil {
			return s.Call(r)
		}
		arguments, _ := r.Params["arguments"].(map[string]any)
		result, problem := answer(arguments)
		if problem != "" {
			return said(map[string]any{"error": map[string]any{"code": problem, "category": "permanent", "message": "no"}})
		}
		return said(result)
	}}
	return s
}
