package proposal

import (
	"cmp"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-conform/mcp-conform/internal/memo"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// A Scanner looks for what does not belong into the answers of a server. It compiles
// its patterns when they are first needed, once; several may use it at a time.
type Scanner struct {
	secrets, internals, addresses, loopback, advice *search
}

// NewScanner returns a Scanner.
func NewScanner() *Scanner {
	return &Scanner{
		secrets: searchFor(secretSigns), internals: searchFor(internalSigns), advice: searchFor(adviceSigns),
		addresses: searchFor(addressSigns), loopback: searchFor(loopbackSigns),
	}
}

// A Hit is something in a string that does not belong there.
type Hit struct {
	What string // "a stack trace"
	Text string // the part of the string that shows it; of a credential only the beginning
	Weak bool   // it may be harmless, and is worth a warning at most
}

// A sign is a pattern that shows something. The first group, where there is one,
// is the part that counts; spares says which finds are harmless after all, by what
// stands before and after the find.
type sign struct {
	what   string
	shape  *regexp.Regexp
	weak   bool
	whole  bool // the whole find is shown, and what stands before and after it is looked at
	spares func(found, before, after string) bool
}

// first is the first find in a text that is not spared, empty when there is none.
func (s sign) first(text string) string {
	for _, at := range s.shape.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[0], at[1]
		if len(at) > 2 && at[2] >= 0 {
			from, to = at[2], at[3]
		}
		begin, end := from, to
		if s.whole {
			begin, end = at[0], at[1]
		}
		if s.spares == nil || !s.spares(text[from:to], text[:begin], text[end:]) {
			return text[begin:end]
		}
	}
	return ""
}

// A search looks for signs in texts. A server says most of its texts often, so it keeps
// what it found in short ones.
type search struct {
	signs func() []sign
	known *memo.Table[string, []Hit]
}

// The bounds on the texts whose finds are kept.
const (
	mostKnown    = 5_000
	longestKnown = 1_000
)

func searchFor(signs func() []sign) *search {
	s := &search{signs: sync.OnceValue(signs)}
	s.known = memo.New(mostKnown, s.look)
	return s
}

// in gives the finds in a text, what is no doubt first. The caller owns them.
func (s *search) in(text string) []Hit {
	if len(text) > longestKnown {
		return s.look(text)
	}
	return slices.Clone(s.known.Of(text))
}

func (s *search) look(text string) []Hit {
	var hits []Hit
	for _, one := range s.signs() {
		if found := one.first(text); found != "" {
			hits = append(hits, Hit{What: one.what, Text: found, Weak: one.weak})
		}
	}
	return surestFirst(hits)
}

// surestFirst puts the finds that are no doubt before the weak ones.
func surestFirst(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Compare(map[bool]int{true: 1}[a.Weak], map[bool]int{true: 1}[b.Weak])
	})
	return hits
}

// shortestEcho is how long a string of a request is at least that is known again:
// shorter ones occur everywhere by chance.
const shortestEcho = 3

// WithoutEchoes takes the strings of a request, and the host that the request went
// to, out of a text: what the server only repeats is no leak.
func WithoutEchoes(text string, request any, host string) string {
	said := append(probe.Texts(request), host)
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

// Secrets are the credentials in a text: those that look like one, those that the
// configuration lists, and the tokens that came to light during the run. Placeholders of
// documentation are none.
func (s *Scanner) Secrets(text string, listed, tokens []string) []Hit {
	hits := s.secrets.in(text)
	known := func(what string, values []string) {
		for _, value := range values {
			if value != "" && strings.Contains(text, value) {
				hits = append(hits, Hit{What: what, Text: value})
			}
		}
	}
	known("a secret of the configuration", listed)
	known("a token that was given out", tokens)
	for i := range hits {
		hits[i].Text = beginning(hits[i].Text)
	}
	return hits
}

// beginning is enough of a credential to find it by, and too little to use it.
func beginning(secret string) string {
	const shown = 4
	if r := []rune(secret); len(r) > shown {
		return string(r[:shown]) + "…"
	}
	return "…"
}

func secretSigns() []sign {
	signs := []sign{
		{what: "a password in a URL", shape: regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s/?#@:"'<>]*:([^\s/?#@"']+)@`)},
		{what: "a credential in the query of a URL", shape: regexp.MustCompile(`[?&](?i:token|key|secret|password|sig)=([^&\s"'#]+)`)},
		{what: "an access key", shape: regexp.MustCompile(`\b(?:AKIA[0-9A-Z]{16})\b`)},
		{what: "an API key", shape: regexp.MustCompile(`\b(?:sk-|sk_live_|ghp_|xox[a-z]?-?)[A-Za-z0-9_-]{16,}`), spares: prose},
		{what: "a private key", shape: regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
		{what: "a bearer token", shape: regexp.MustCompile(`\bBearer ([A-Za-z0-9._~+/=-]{20,})`), spares: prose},
		{what: "a JSON web token", shape: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`)},
	}
	for i, s := range signs {
		further := s.spares
		signs[i].spares = func(found, before, after string) bool {
			return placeholder(found) || further != nil && further(found, before, after)
		}
	}
	return signs
}

// prose tells words that are joined, as in the name of a file, from a key.
func prose(found, before, _ string) bool {
	return strings.HasSuffix(before, "-") || !strings.ContainsAny(found, "0123456789") && found == strings.ToLower(found)
}

// placeholder reports whether a value only stands for one.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	marks := []string{"your_", "your-", "example", "xxxx", "****", "...", "…", "redacted", "<", "{"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(lower, mark) })
}

// Internals are what a text shows of the inside of a server: stack traces, queries,
// paths of its files, and addresses that lead inside. host is where the server was
// reached; over stdio it is empty.
func (s *Scanner) Internals(text, host string) []Hit {
	return append(s.internals.in(text), s.Addresses(text, host)...)
}

func internalSigns() []sign {
	trace := "a stack trace"
	query := "a database query"
	return slices.Concat([]sign{
		{what: trace, shape: regexp.MustCompile(`Traceback \(most recent call last\)`)},
		{what: trace, shape: regexp.MustCompile(`\bat [\w.$<>/\[\]]+(?: \[as \w+\])? ?\([^()\s]+\.\w+:\d+`)},
		{what: trace, shape: regexp.MustCompile(`\bgoroutine \d+ \[`)},
		{what: trace, shape: regexp.MustCompile(`(?m)^\s*(?:fatal: )?panic: `)},
		{what: query, shape: regexp.MustCompile(`(?s)\bSELECT\b.{1,500}?\bFROM\b`)},
		{what: query, shape: regexp.MustCompile(`\bINSERT\s+INTO\b`)},
		{what: query, shape: regexp.MustCompile(`(?s)\bUPDATE\b.{1,200}?\bSET\b`)},
		{what: query, shape: regexp.MustCompile(`\bDELETE\s+FROM\b`)},
	}, pathSigns())
}

// Addresses are those in a text that lead inside: private ones, and those of the
// server's own machine where the server itself is on the internet. A name is weaker
// than an address: a server within a company has no other.
func (s *Scanner) Addresses(text, host string) []Hit {
	hits := s.addresses.in(text)
	if !Private(host) {
		hits = append(s.loopback.in(text), hits...)
	}
	return surestFirst(hits)
}

const address = `\b\d{1,3}(?:\.\d{1,3}){3}\b|\bf[c-e][0-9a-f]{2}:[0-9a-f:]+`

func addressSigns() []sign {
	// A host is inside behind a scheme or a user, or before a port: "settings.local" is
	// a file, and "error.internal" a code.
	const inside = `(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:local|internal|corp|lan)`
	return []sign{
		{what: "an internal address", shape: regexp.MustCompile(address), spares: not(func(a netip.Addr) bool {
			return a.IsPrivate() || a.IsLinkLocalUnicast()
		})},
		{what: "an internal host name", shape: regexp.MustCompile(`(?://|@)` + inside + `\b|\b` + inside + `:\d{2,5}\b`), weak: true},
	}
}

func loopbackSigns() []sign {
	return []sign{{what: "an address of the server's own machine", shape: regexp.MustCompile(address), spares: not(netip.Addr.IsLoopback)}}
}

// not spares what is no address of the kind, and what is part of something longer,
// such as a version.
func not(kind func(netip.Addr) bool) func(found, before, after string) bool {
	const digits = "0123456789"
	return func(found, before, after string) bool {
		a, err := netip.ParseAddr(strings.TrimRight(found, ":"))
		longer := strings.HasSuffix(before, ".") || len(after) > 1 && after[0] == '.' && strings.ContainsRune(digits, rune(after[1]))
		return err != nil || longer || !kind(a)
	}
}
