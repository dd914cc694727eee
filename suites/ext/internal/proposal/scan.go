package proposal

import (
	"cmp"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Scanner looks for what does not belong into the answers of a server. It compiles
// its patterns when they are first needed, once; several may use it at a time.
type Scanner struct {
	secrets, internals, addresses, loopback, advice func() []sign
}

// NewScanner returns a Scanner.
func NewScanner() *Scanner {
	return &Scanner{
		secrets: sync.OnceValue(secretSigns), internals: sync.OnceValue(internalSigns), advice: sync.OnceValue(adviceSigns),
		addresses: sync.OnceValue(addressSigns), loopback: sync.OnceValue(loopbackSigns),
	}
}

// A Hit is something in a string that does not belong there.
type Hit struct {
	What string // "a stack trace"
	Text string // the part of the string that shows it; of a credential only the beginning
	Weak bool   // it may be harmless, and is worth a warning at most
}

// A sign is a pattern that shows something. The first group, where there is one,
// is the part that counts; spares says which finds are harmless after all.
type sign struct {
	what   string
	shape  *regexp.Regexp
	weak   bool
	spares func(found, before, after string) bool
}

// first is the first find in a text that is not spared, empty when there is none.
func (s sign) first(text string) string {
	for _, at := range s.shape.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[0], at[1]
		if len(at) > 2 && at[2] >= 0 {
			from, to = at[2], at[3]
		}
		if s.spares == nil || !s.spares(text[from:to], text[:from], text[to:]) {
			return text[from:to]
		}
	}
	return ""
}

// scan gives the finds in a text, what is no doubt first.
func scan(text string, signs []sign) []Hit {
	var hits []Hit
	for _, s := range signs {
		if found := s.first(text); found != "" {
			hits = append(hits, Hit{What: s.what, Text: found, Weak: s.weak})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Compare(map[bool]int{true: 1}[a.Weak], map[bool]int{true: 1}[b.Weak])
	})
	return hits
}

// Strings are the strings in a value, names of properties among them, in order.
func Strings(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, Strings(one)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(append(all, name), Strings(v[name])...)
		}
		return all
	default:
		return nil
	}
}

// shortestEcho is how long a string of a request is at least that is known again:
// shorter ones occur everywhere by chance.
const shortestEcho = 3

// WithoutEchoes takes the strings of a request, and the host that the request went
// to, out of a text: what the server only repeats is no leak.
func WithoutEchoes(text string, request any, host string) string {
	said := append(Strings(request), host)
	slices.SortFunc(said, func(a, b string) int { return len(b) - len(a) })
	for _, one := range said {
		if len(one) >= shortestEcho {
			text = strings.ReplaceAll(text, one, "\x00")
		}
	}
	return text
}

// Private reports whether a host is one that the internet does not reach. Over stdio
// there is no host, and the server is on the machine of its client.
func Private(host string) bool {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast()
	}
	inside := []string{"localhost", "local", "internal", "corp", "lan"}
	return host == "" || slices.Contains(inside, host[strings.LastIndexByte(host, '.')+1:])
}
