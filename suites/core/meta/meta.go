// Package meta holds the cases of basic/index#meta: the contents of _meta, and how a
// server treats the metadata of a client.
package meta

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// Suite returns the cases in the order of the specification page.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "meta",
		Title: "metadata is kept apart from what it describes",
		Cases: slices.Concat(keyCases(), toleranceCases(), requiredCases(), identityCases(), undeclaredCases(), listenCases()),
	}
}

// toleranceCases put keys into _meta that mean nothing to the server.
func toleranceCases() []suite.Case {
	return []suite.Case{
		{
			ID:     "meta/foreign-keys",
			Title:  "keys of somebody else in _meta are ignored",
			Checks: []requirements.ID{"meta-unknown-keys-tolerated", "meta-unknown-keys-tolerated-early"},
			Fix:    "read the keys of _meta that you know, and ignore the others",
			Run: func(c *probe.Client) error {
				return tolerated(c, protocol.ForeignMeta(), nil)
			},
		},
		{
			ID:     "meta/reserved-keys",
			Title:  "unknown keys in _meta with the prefix of the protocol are ignored",
			Checks: []requirements.ID{"meta-no-assumptions-on-reserved"},
			Fix:    "ignore the keys that you do not know, whatever their prefix and their values are",
			Run: func(c *probe.Client) error {
				key := protocol.UnknownReserved().At(c.Revision())
				reserved := probe.Object{key: []any{probe.Object{}, 7}, key + "-text": "no", key + "-null": nil}
				return tolerated(c, reserved, protocol.ForeignMeta())
			},
		},
	}
}

// tolerated sends a plain request with further keys. If the server does not serve it, the
// same request without them shows whether the keys are the reason. A server that does not
// serve it with the other keys either breaks the rule about those.
func tolerated(c *probe.Client, keys, others probe.Object) error {
	method := c.PlainMethod()
	with := c.Call(method, probe.Object{"_meta": keys})
	if with.Served() {
		return nil
	}
	if with.Died() {
		c = c.Opened()
	}
	plain := c.Call(method, nil)
	c.NotSeenIf(!plain.Served(), method+" is not served without them either")
	if others != nil {
		c.NotSeenIf(!c.Call(method, probe.Object{"_meta": others}).Served(),
			"keys of somebody else are not ignored either; meta/foreign-keys judges that")
	}
	return probe.Shown(plain, with).Violation("%s with %s in _meta got %s, want a result as without them",
		method, probe.JSON(keys), with.Outcome())
}

var (
	traceparent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$`)
	})
	stateMember = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9][a-z0-9_*/@-]*=[\x20-\x2b\x2d-\x3c\x3e-\x7e]*[\x21-\x2b\x2d-\x3c\x3e-\x7e]$`)
	})
	bagMember = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[!#$%&'*+.^_\x60|~0-9A-Za-z-]+[ \t]*=[ \t]*[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*[ \t]*(;.*)?$`)
	})
)

// traceContext checks the values against the two recommendations of the W3C, and allows
// what later versions of them may add.
func traceContext(m probe.Message, key, pointer string, value any) probe.Opinion {
	fits, ok := map[string]func(string) bool{"traceparent": isTraceparent, "tracestate": isTracestate, "baggage": isBaggage}[key]
	if !ok {
		return probe.Nothing()
	}
	if text, ok := value.(string); !ok || !fits(text) {
		return probe.Breaks("%s is %s, want a value as the W3C defines it", m.Where(pointer+"/"+key), probe.Show(value))
	}
	return probe.Kept()
}

// isTraceparent allows a longer value in versions after 00. Ids of zeros only and the
// version ff are invalid.
func isTraceparent(text string) bool {
	parts := strings.Split(text, "-")
	return traceparent().MatchString(text) && parts[0] != "ff" && (parts[0] != "00" || len(parts) == 4) &&
		strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
}

// isTracestate checks the limit of 256 characters itself, because a regular expression
// with that limit takes a hundred times the memory.
func isTracestate(text string) bool {
	return eachMember(text, func(member string) bool {
		key, value, _ := strings.Cut(member, "=")
		return len(key) <= 256 && len(value) <= 256 && stateMember().MatchString(member)
	})
}

func isBaggage(text string) bool { return eachMember(text, bagMember().MatchString) }

// eachMember checks each member of a list; members may be empty.
func eachMember(text string, fits func(string) bool) bool {
	for _, member := range strings.Split(text, ",") {
		if member = strings.Trim(member, " \t"); member != "" && !fits(member) {
			return false
		}
	}
	return true
}
