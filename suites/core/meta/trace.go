package meta

import (
	"regexp"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/suites/probe"
)

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
