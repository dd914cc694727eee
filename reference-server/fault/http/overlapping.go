package http

import (
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// overlapping are faults of requests that have the same id in two sessions.
func overlapping() []fault.Fault {
	lost, crossed := &byID{last: map[string]string{}}, &byID{last: map[string]string{}}
	return []fault.Fault{{
		Breaks: "jsonrpc-ids-scoped-to-sender", Kills: []string{"http/session-ids-own"}, In: newest(),
		May: []string{"cancellation/foreign-spares-calls", "http/session-isolation"}, Each: []fault.Fault{{
			Name: "http-session-ids-lost", Title: "an answer is lost where another session has used the id of its request since", Hangs: true,
			Inbound: lost.begin, Send: lost.answer,
		}, {
			Name: "http-session-ids-crossed", Title: "a call gets the list that another session has asked for under its id",
			Inbound: crossed.begin, Reply: crossed.swap,
		}},
	}}
}

// firstOnly is a fault of a server that has its prompts for one session alone.
func firstOnly() []fault.Fault {
	return []fault.Fault{{
		Name: "http-prompts-for-first-session", Title: "only the first session that asks for prompts is shown any",
		Breaks: "http-several-clients", In: newest(),
		Reply: func(x fault.Exchange, m fault.Message) {
			if result, ok := m.Result(); ok && x.Method == "prompts/list" && !x.First {
				result["prompts"] = []any{}
				delete(result, "nextCursor")
			}
		},
	}}
}

// byID keeps the session that has used an id last, whoever waits for an answer under it. It
// leaves numbers alone: every client counts from 1.
type byID struct {
	mu   sync.Mutex
	last map[string]string
}

func (b *byID) begin(x fault.Exchange) fault.Verdict {
	b.mu.Lock()
	defer b.mu.Unlock()
	if strings.HasPrefix(string(x.ID), `"`) {
		b.last[string(x.ID)] = x.Header.Get(headerSession)
	}
	return fault.Verdict{}
}

// taken reports whether another session has used the id of a request since.
func (b *byID) taken(x fault.Exchange) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, used := b.last[string(x.ID)]
	return used && last != x.Header.Get(headerSession)
}

func (b *byID) answer(x fault.Exchange, m fault.Message) []fault.Message {
	if m["method"] == nil && b.taken(x) {
		return nil
	}
	return []fault.Message{m}
}

func (b *byID) swap(x fault.Exchange, m fault.Message) {
	if result, ok := m.Result(); ok && x.Method == "tools/call" && b.taken(x) {
		result["tools"] = []any{}
	}
}
