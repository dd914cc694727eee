package meta

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/frame"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
	"golang.org/x/net/publicsuffix"
)

// keyCases watch the metadata that the server writes.
func keyCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "meta/object",
			Title:  "_meta is an object",
			Checks: []requirements.ID{"meta-is-object"},
			Fix:    "write _meta as an object, or leave it out",
			Owns:   []suite.Part{{At: "/**/_meta", Depth: suite.AsObject}},
			Sees:   "_meta in a message of the server",
			Watch:  onPlaces(object),
		},
		{
			ID:     "meta/key-prefix",
			Title:  "the prefix of a _meta key is made of labels and dots",
			Checks: []requirements.ID{"meta-key-prefix-grammar"},
			Fix: "write a prefix as labels joined by dots, such as com.example/: a label begins with a letter, ends with a letter or digit, " +
				"and has letters, digits and hyphens",
			Sees:  "a _meta key with a prefix",
			Watch: onKeys(keyPrefix),
		},
		{
			ID:     "meta/key-name",
			Title:  "the name of a _meta key begins and ends with a letter or digit",
			Checks: []requirements.ID{"meta-key-name-grammar"},
			Fix:    "begin and end the name of a _meta key with a letter or digit",
			Sees:   "a _meta key of the server",
			Watch:  onKeys(keyName),
		},
		{
			ID:     "meta/key-reverse-dns",
			Title:  "the prefix of a _meta key is a domain in reverse order",
			Checks: []requirements.ID{"meta-key-reverse-dns"},
			Fix:    "write com.example/ instead of example.com/",
			Sees:   "a _meta key with a prefix of several labels",
			Watch:  onKeys(reverseDNS),
		},
		{
			ID:     "meta/key-reserved",
			Title:  "_meta keys with a prefix of the protocol are those that it defines",
			Checks: []requirements.ID{"meta-reserved-prefix-unused"},
			Fix:    "put keys of your own under a prefix of your own, such as com.example/",
			Sees:   "a _meta key with a prefix",
			Watch:  onKeys(reservedKey),
		},
		{
			ID:     "meta/trace-context",
			Title:  "traceparent, tracestate and baggage in _meta have the formats of the W3C",
			Checks: []requirements.ID{"meta-trace-context-format"},
			Fix:    "write the values as they stand in the HTTP headers of the same names, or leave them out",
			Sees:   "traceparent, tracestate or baggage in _meta",
			Watch:  onKeys(traceContext),
		},
	}
}

func object(m probe.Message, p place) probe.Opinion {
	return m.Wants(p.pointer, probe.AnObject())
}

var label = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
})

func keyPrefix(m probe.Message, key, pointer string, _ any) probe.Opinion {
	prefix, _, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return probe.Nothing()
	}
	for _, each := range strings.Split(prefix, ".") {
		if !label().MatchString(each) {
			return probe.Breaks("%s has the key %s, want a prefix of labels joined by dots, not the label %s",
				m.Where(pointer), probe.Show(key), probe.Show(each))
		}
	}
	return probe.Kept()
}

// keyName judges only the first and the last character. The text permits certain
// characters between them and forbids none.
func keyName(m probe.Message, key, pointer string, _ any) probe.Opinion {
	_, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		name = key
	}
	if name != "" && !(alphanumeric(name[0]) && alphanumeric(name[len(name)-1])) {
		return probe.Breaks("%s has the key %s, want a name that begins and ends with a letter or digit", m.Where(pointer), probe.Show(key))
	}
	return probe.Kept()
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// reverseDNS reports only a prefix that cannot be a domain in reverse order, but can be
// one read forwards. Some labels are top-level domains at either end.
func reverseDNS(m probe.Message, key, pointer string, _ any) probe.Opinion {
	prefix, _, prefixed := strings.Cut(strings.ToLower(key), "/")
	labels := strings.Split(prefix, ".")
	if !prefixed || len(labels) < 2 {
		return probe.Nothing()
	}
	if !topLevel(labels[0]) && topLevel(labels[len(labels)-1]) {
		slices.Reverse(labels)
		want := "the prefix " + strings.Join(labels, ".") + "/"
		if protocol.Reserved(strings.Join(labels, ".") + "/") {
			want = "a prefix that is a domain of your own in reverse order"
		}
		return probe.Breaks("%s has the key %s, want %s", m.Where(pointer), probe.Show(key), want)
	}
	return probe.Kept()
}

func topLevel(label string) bool {
	suffix, listed := publicsuffix.PublicSuffix(label)
	return listed && suffix == label
}

func reservedKey(m probe.Message, key, pointer string, _ any) probe.Opinion {
	prefix, _, prefixed := strings.Cut(key, "/")
	switch {
	case !prefixed:
		return probe.Nothing()
	case !protocol.ReservedMeta(m.Revision, prefix), slices.Contains(protocol.MetaKeys(), key):
		return probe.Kept()
	case extended(m, prefix):
		return probe.Nothing() // the extension may define the key
	}
	return probe.Breaks("%s has the key %s, want a prefix that is not one of the protocol's own", m.Where(pointer), probe.Show(key))
}

// extended reports whether either side declares an extension under a prefix.
func extended(m probe.Message, prefix string) bool {
	for _, declared := range []map[string]any{m.Survey().Extensions(), m.Request.Extensions()} {
		for name := range declared {
			// The tasks extension has no keys but those that are known.
			if strings.HasPrefix(name, prefix+"/") && name != protocol.TasksExtension {
				return true
			}
		}
	}
	return false
}

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
			said = said.And(judge(m, key, p.pointer, probe.ObjectOf(p.value)[key]))
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
		} else {
			f.own("/result", m.Value("/result")) // of an extension, which says itself what else is in the result
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
		f.found = append(f.found, place{pointer + "/_meta", meta, slices.Sorted(maps.Keys(probe.ObjectOf(meta)))})
	}
	return object
}

func (f *finder) result(value any) {
	result := f.own("/result", value)
	asked := probe.ObjectOf(result["inputRequests"])
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		at := frame.Escape(name)
		f.params("/result/inputRequests/"+at+"/params", probe.ObjectOf(asked[name])["params"])
	}
	if !f.inner {
		return
	}
	for _, name := range []string{"tools", "resources", "resourceTemplates", "prompts", "contents", "content", "messages"} {
		for i, item := range probe.ArrayOf(result[name]) {
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
