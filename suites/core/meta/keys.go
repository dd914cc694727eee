package meta

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
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
	if _, ok := p.value.(map[string]any); !ok {
		return probe.Breaks("%s is %s, want an object", m.Where(p.pointer), probe.Show(p.value))
	}
	return probe.Kept()
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
	for _, declared := range []map[string]any{m.Survey.Extensions(), m.Request.Extensions()} {
		for name := range declared {
			if strings.HasPrefix(name, prefix+"/") {
				return true
			}
		}
	}
	return false
}
