package security

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func logCases() []suite.Case {
	return []suite.Case{{
		ID:     "security/no-internals-in-logs",
		Title:  "log messages contain no connection strings with passwords and no stack traces",
		Checks: []requirements.ID{"security-no-internals-in-errors"},
		Fix:    "log what went wrong in words of your own, and keep connection strings and stack traces in the server's own log",
		Sees:   "a log message",
		Watch:  probe.OnNotification("notifications/message", noInternals),
	}}
}

// noInternals judges log messages, because a client may show them to any user or model.
func noInternals(n probe.Notice) probe.Opinion {
	said := probe.Kept()
	for _, text := range texts(n.Params["data"]) {
		said = said.And(opinion(n, text))
	}
	return said
}

// opinion first searches a text for a fixed string that every match contains: the
// expressions take a hundred times as long, and a server may log much.
func opinion(n probe.Notice, text string) probe.Opinion {
	if strings.Contains(text, "://") {
		for _, found := range connection().FindAllStringSubmatch(text, -1) {
			if scheme, password := found[1], found[2]; !placeholder().MatchString(password) {
				return probe.Breaks("%s contains a connection string that begins with %s:// and has a password, want none",
					n.Where("/params/data"), scheme)
			}
		}
	}
	traced := strings.Contains(text, "Traceback (") || strings.Contains(text, "goroutine ") || strings.Contains(text, "at ")
	if traced && trace().MatchString(text) {
		return probe.Breaks("%s contains a stack trace, want none", n.Where("/params/data")).AtMostWarn()
	}
	return probe.Kept()
}

// connection matches secrets in a log, and placeholder matches texts that stand in for a
// removed password.
var (
	connection = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b([a-zA-Z][a-zA-Z0-9+.-]*)://[^\s/:@"']*:([^\s/@"']+)@[^\s/"'@]`)
	})
	placeholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(\*+|x+|\.+|…|-+|<.*>|\[.*\]|\{.*\}|\$.*|%.*|pass(word|wd)?|pwd|secret|redacted|hidden|masked)$`)
	})
	trace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^Traceback \(most recent call last\):|^goroutine \d+ \[|^\s+at .+\([^()]+:\d+(:\d+)?\)\s*$`)
	})
)

// texts are the strings within a value.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, texts(item)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, texts(v[name])...)
		}
		return all
	}
	return nil
}
