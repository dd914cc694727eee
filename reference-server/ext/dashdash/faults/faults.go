// Package faults breaks the rules of dashdash in what is sent.
package faults

import (
	"strings"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
)

// key is the name of the block in _meta, within a JSON pointer.
const key = "io.github.visionik~1dashdash"

// block puts a value into the block, wherever the revision has it.
func block(pointer string, value any) fault.Change {
	return fault.Changes(
		fault.Set("initialize", "/result/dashdash"+pointer, value), fault.Set("server/discover", "/result/_meta/"+key+pointer, value),
	)
}

// without takes something out of the block.
func without(pointer string) fault.Change {
	return fault.Changes(
		fault.Drop("initialize", "/result/dashdash"+pointer), fault.Drop("server/discover", "/result/_meta/"+key+pointer),
	)
}

// entry changes the object of one item of a list.
func entry(
	list, name string, change func(object map[string]any, item fault.Message),
) func(fault.Exchange, []fault.Message) []fault.Message {
	return func(x fault.Exchange, items []fault.Message) []fault.Message {
		for _, item := range items {
			object, _ := item["dashdash"].(map[string]any)
			if x.Method == list && item["name"] == name && object != nil {
				change(object, item)
			}
		}
		return items
	}
}

// property puts a value into the object of one item.
func property(list, name, property string, value any) func(fault.Exchange, []fault.Message) []fault.Message {
	return entry(list, name, func(object map[string]any, _ fault.Message) { object[property] = value })
}

func long(n int) string { return strings.Repeat("a", n) }
