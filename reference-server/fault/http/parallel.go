package http

import (
	"maps"
	"sync"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// parallel are faults of requests that come at the same time.
func parallel() []fault.Fault {
	calls := &calls{latest: map[string]string{}, results: map[string]fault.Message{}}
	return []fault.Fault{{
		Name: "http-parallel-calls-mixed", Title: "of two calls at the same time, the first one gets the result of the second",
		Breaks: "jsonrpc-response-id-echo", Kills: []string{"http/parallel-answers"}, In: newest(),
		Inbound: calls.begin, Reply: calls.answer,
	}}
}

// calls keeps, for each session, the call that came last, in one variable for all.
type calls struct {
	mu      sync.Mutex
	latest  map[string]string // the tool, by session
	results map[string]fault.Message
}

func (c *calls) begin(x fault.Exchange) fault.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.Method == "tools/call" {
		c.latest[x.Header.Get(headerSession)] = x.Tool()
	}
	return fault.Verdict{}
}

// answer gives the result of the call that came last, if that is known.
func (c *calls) answer(x fault.Exchange, m fault.Message) {
	result, ok := m.Result()
	if x.Method != "tools/call" || !ok {
		return
	}
	c.mu.Lock()
	c.results[x.Tool()] = maps.Clone(result)
	c.mu.Unlock()
	for range 5 { // another call may come
		time.Sleep(10 * time.Millisecond)
		if other := c.other(x); other != nil {
			m["result"] = other
			return
		}
	}
}

// other is the result of the call that came last, if that is another one and is known.
func (c *calls) other(x fault.Exchange) fault.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	if latest := c.latest[x.Header.Get(headerSession)]; latest != x.Tool() {
		return maps.Clone(c.results[latest])
	}
	return nil
}
