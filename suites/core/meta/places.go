package meta

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
)

// A place is a _meta of the server where the schema of the revision defines one. Servers
// and tools may use the name _meta elsewhere as they like.
type place struct {
	pointer string
	value   any
	keys    []string // the keys of an object, in order
}

// onPlaces judges each _meta by itself.
func onPlaces(judge func(m probe.Message, p place) probe.Opinion) func() probe.Watcher {
	return probe.OnBinding(func(m probe.Message) probe.Opinion {
		said := probe.Nothing()
		if !bytes.Contains(m.Frame.Raw(), []byte(`"_meta"`)) {
			return said
		}
		for _, p := range probe.Shared(m, "_meta", func() []place { return places(m) }) {
			said = said.And(judge(m, p))
		}
		return said
	})
}

// onKeys judges each key of each _meta.
func onKeys(judge func(m probe.Message, key, pointer string, value any) probe.Opinion) func() probe.Watcher {
	return onPlaces(func(m probe.Message, p place) probe.Opinion {
		said := probe.Nothing()
		for _, key := range p.keys {
			said = said.And(judge(m, key, p.pointer, record(p.value)[key]))
		}
		return said
	})
}

// places finds every _meta in a message.
func places(m probe.Message) []place {
	f := finder{inner: protocol.InnerMeta().At(m.Revision)}
	switch m.Class {
	case frame.Result:
		if asked, known := protocol.MethodOf(protocol.Client, m.Request.Method); known && asked.In(m.Revision) {
			f.result(m.Value("/result"))
		}
	case frame.Notification, frame.Request:
		f.params("/params", m.Value("/params"))
	case frame.Error, frame.Batch, frame.NotAMessage, frame.NotJSON:
	}
	return f.found
}

type finder struct {
	inner bool // objects within a result may have metadata too
	found []place
}

// own records the _meta of an object.
func (f *finder) own(pointer string, value any) map[string]any {
	object, _ := value.(map[string]any)
	if meta, ok := object["_meta"]; ok {
		f.found = append(f.found, place{pointer + "/_meta", meta, slices.Sorted(maps.Keys(record(meta)))})
	}
	return object
}

func (f *finder) result(value any) {
	result := f.own("/result", value)
	asked := record(result["inputRequests"])
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		at := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		f.params("/result/inputRequests/"+at+"/params", record(asked[name])["params"])
	}
	if !f.inner {
		return
	}
	for _, name := range []string{"tools", "resources", "resourceTemplates", "prompts", "contents", "content", "messages"} {
		items, _ := result[name].([]any)
		for i, item := range items {
			f.block("/result/"+name+"/"+strconv.Itoa(i), item)
		}
	}
}

// block visits an entry of a list, a content block, or a message with one.
func (f *finder) block(pointer string, value any) {
	object := f.own(pointer, value)
	if object["type"] == "resource" {
		f.own(pointer+"/resource", object["resource"])
	}
	if content, ok := object["content"].(map[string]any); ok {
		f.block(pointer+"/content", content)
	}
}

func (f *finder) params(pointer string, value any) {
	params := f.own(pointer, value)
	if !f.inner {
		return
	}
	messages, _ := params["messages"].([]any)
	for i, each := range messages {
		f.block(pointer+"/messages/"+strconv.Itoa(i), each)
	}
}

func record(v any) map[string]any { o, _ := v.(map[string]any); return o }
