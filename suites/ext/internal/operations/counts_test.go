package operations_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// counts are what a dialect has to remember of one conversation to the next
// message; conversations of one run share them.
type counts struct {
	mu   sync.Mutex
	held map[string]any
}

func (c *counts) put(key string, value any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[string]any{}
	}
	c.held[key] = value
}

func (c *counts) get(key string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[key]
}

// count gives a checkpoint the number of the step behind which it lies.
func (c *counts) count(m object) bool {
	params, _ := m["params"].(object)
	meta, _ := params["_meta"].(object)
	for _, record := range []object{params, meta} {
		if token, ok := record["checkpoint_token"].(string); ok {
			step, _, _ := strings.Cut(token, ".")
			record["checkpoint_token"] = "ck-" + step
			c.put(fmt.Sprint(record["operation_id"], " ck-", step), token)
		}
	}
	return true
}

func (c *counts) back(m object) {
	params, _ := m["params"].(object)
	if m["method"] != "resume" || params["checkpoint_token"] == nil {
		return
	}
	if token := c.get(fmt.Sprint(params["operation_id"], " ", params["checkpoint_token"])); token != nil {
		params["checkpoint_token"] = token
	}
}

// remember keeps the token of a request by its operation.
func (c *counts) remember(m object) {
	params, _ := m["params"].(object)
	meta, _ := params["_meta"].(object)
	for _, id := range []any{meta["operation_id"], params["operation_id"]} {
		if id != nil && meta["progressToken"] != nil {
			c.put(fmt.Sprint(id), meta["progressToken"])
		}
	}
}

// carry lets chunks ride on progress notifications, and leaves out the others of
// such a call.
func (c *counts) carry(m object) bool {
	params, _ := m["params"].(object)
	if m["method"] != "notifications/stream_chunk" {
		return true
	}
	done, _ := params["sequence"].(json.Number)
	m["method"] = "notifications/progress"
	m["params"] = object{"progressToken": c.get(fmt.Sprint(params["operation_id"])), "progress": done, "_meta": params}
	return true
}

// again serves resumption as the call made again.
func (c *counts) again(m object) {
	params, _ := m["params"].(object)
	meta, _ := params["_meta"].(object)
	switch {
	case m["method"] == "resume":
		m["method"] = "unknown"
	case m["method"] == "tools/call" && meta["checkpoint_token"] != nil:
		m["method"] = "resume"
		params["operation_id"], params["checkpoint_token"] = meta["operation_id"], meta["checkpoint_token"]
		c.put(fmt.Sprint("resumed ", meta["operation_id"]), true)
	}
}

// withoutChunks leaves out the chunks of resumed operations.
func (c *counts) withoutChunks(m object) bool {
	params, _ := m["params"].(object)
	return m["method"] != "notifications/stream_chunk" || c.get(fmt.Sprint("resumed ", params["operation_id"])) == nil
}
