package proposal

import (
	"net/netip"
	"regexp"
	"strings"
)

// Internals are what a text shows of the inside of a server: stack traces, queries,
// paths of its files, and addresses that lead inside. host is where the server was
// reached; over stdio it is empty.
func (s *Scanner) Internals(text, host string) []Hit {
	return append(scan(text, s.internals()), s.Addresses(text, host)...)
}

func internalSigns() []sign {
	trace := "a stack trace"
	query := "a database query"
	path := "a path of the server's files"
	return []sign{
		{what: trace, shape: regexp.MustCompile(`Traceback \(most recent call last\)`)},
		{what: trace, shape: regexp.MustCompile(`\bat [\w.$<>/\[\]]+(?: \[as \w+\])? ?\([^()\s]+\.\w+:\d+`)},
		{what: trace, shape: regexp.MustCompile(`\bgoroutine \d+ \[`)},
		{what: trace, shape: regexp.MustCompile(`(?m)^\s*(?:fatal: )?panic: `)},
		{what: query, shape: regexp.MustCompile(`(?s)\bSELECT\b.{1,500}?\bFROM\b`)},
		{what: query, shape: regexp.MustCompile(`\bINSERT\s+INTO\b`)},
		{what: query, shape: regexp.MustCompile(`(?s)\bUPDATE\b.{1,200}?\bSET\b`)},
		{what: query, shape: regexp.MustCompile(`\bDELETE\s+FROM\b`)},
		// The path of a URL is none of a file.
		{what: path, shape: regexp.MustCompile(`(?:^|file://|[^\w./~-])((?:/home|/root|/Users|/var/lib)/[\w.-][^\s"']*)`)},
		{what: path, shape: regexp.MustCompile(`\b[A-Za-z]:\\Users\\[^\s"']*`)},
	}
}

// Addresses are those in a text that lead inside: private ones, and those of the
// server's own machine where the server itself is on the internet. A name is weaker
// than an address: a server within a company has no other.
func (s *Scanner) Addresses(text, host string) []Hit {
	signs := s.addresses()
	if !Private(host) {
		signs = append(s.loopback(), signs...)
	}
	return scan(text, signs)
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
