package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Revisions says at which revisions to judge a server. The zero value is auto:
// the newest that the server speaks.
type Revisions struct {
	All   bool     // all that the server speaks
	Dates []string // these, in the order of the user
}

// Auto reports whether the selection is the newest revision that the server speaks.
func (r Revisions) Auto() bool { return !r.All && len(r.Dates) == 0 }

// String returns the selection as users write it.
func (r Revisions) String() string {
	switch {
	case r.All:
		return "all"
	case r.Auto():
		return "auto"
	default:
		return strings.Join(r.Dates, ",")
	}
}

// ParseRevisions reads auto, all, or dates; each word may hold several dates,
// joined by commas. Without known revisions every date is allowed.
func ParseRevisions(words []string, known []string) (Revisions, error) {
	var parsed Revisions
	for _, word := range words {
		for one := range strings.SplitSeq(word, ",") {
			one = strings.TrimSpace(one)
			switch {
			case (one == "auto" || one == "all") && (len(words) > 1 || one != word):
				return Revisions{}, fmt.Errorf("%s cannot be combined with dates", one)
			case one == "auto":
			case one == "all":
				parsed.All = true
			default:
				if err := knownRevision(one, known); err != nil {
					return Revisions{}, err
				}
				if !slices.Contains(parsed.Dates, one) {
					parsed.Dates = append(parsed.Dates, one)
				}
			}
		}
	}
	if len(words) == 0 {
		return Revisions{}, errors.New("no revision is given")
	}
	return parsed, nil
}

func knownRevision(date string, known []string) error {
	if slices.Contains(known, date) {
		return nil
	}
	if _, err := parseDate(date); err == nil && len(known) == 0 {
		return nil
	}
	if len(known) == 0 {
		return fmt.Errorf("%q is not a revision; want a date such as 2025-11-25", date)
	}
	return fmt.Errorf("unknown revision %q; known are %s", date, strings.Join(known, ", "))
}

func readRevisions(r *reader, n *node, path string) (Revisions, error) {
	nodes := []*node{n}
	if n.kind == list {
		nodes = n.items
	}
	var words []string
	for _, item := range nodes {
		word, err := readText(r, item, path)
		if err != nil {
			return Revisions{}, err
		}
		if _, err := ParseRevisions([]string{word}, r.known.Revisions); err != nil {
			return Revisions{}, r.failNode(item, "%s: %s", path, err)
		}
		words = append(words, word)
	}
	parsed, err := ParseRevisions(words, r.known.Revisions)
	if err != nil {
		return Revisions{}, r.failNode(n, "%s: %s", path, err)
	}
	return parsed, nil
}

// Transport says over which transports to judge a server.
type Transport string

// The transports. Auto is every transport of the target.
const (
	Auto  Transport = "auto"
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

func readTransport(r *reader, n *node, path string) (Transport, error) {
	value, err := oneOf(string(Auto), string(Stdio), string(HTTP), string(SSE))(r, n, path)
	return Transport(value), err
}

// Claims are the extensions to judge a server by whatever it declares, and the
// extensions not to judge it by.
type Claims struct {
	Forced     []string
	Suppressed []string
}

// Extensions returns the words allowed in claims and dialect, sorted.
func Extensions() []string {
	return []string{
		"confirmation", "content", "cost-latency", "dashdash-ai-help", "dashdash-init", "dashdash-resources", "dashdash-tools",
		"data-references", "idempotency", "intent", "manifest", "multimodal", "permissions", "progress", "provenance", "push",
		"server-discovery", "session-state", "streaming", "structured-errors", "transactions", "well-known",
	}
}

// A family stands for all its parts.
const family = "dashdash"

func readClaims(r *reader, n *node, path string) (Claims, error) {
	var claims Claims
	if n.kind != list {
		return claims, r.wantList(n, path)
	}
	for _, item := range n.items {
		written, err := readText(r, item, path)
		if err != nil {
			return Claims{}, err
		}
		word, suppressed := strings.CutPrefix(written, "-")
		place, other := &claims.Forced, claims.Suppressed
		if suppressed {
			place, other = &claims.Suppressed, claims.Forced
		}
		parts := r.known.parts(word)
		if len(parts) == 0 {
			return Claims{}, r.failNode(item, "%s: unknown extension %q%s", path, word, hint(word, r.known.extensionWords()))
		}
		for _, part := range parts {
			if slices.Contains(other, part) {
				return Claims{}, r.failNode(item, "%s: %s is both forced and suppressed", path, part)
			}
			if !slices.Contains(*place, part) {
				*place = append(*place, part)
			}
		}
	}
	return claims, nil
}

// extensionWords are the words that name extensions.
func (k Known) extensionWords() []string {
	return slices.Concat(k.Extensions, []string{family})
}

// parts are the extensions that a word names.
func (k Known) parts(word string) []string {
	if slices.Contains(k.Extensions, word) {
		return []string{word}
	}
	var parts []string
	for _, extension := range k.Extensions {
		if word == family && strings.HasPrefix(extension, family+"-") {
			parts = append(parts, extension)
		}
	}
	return parts
}

// Dialect fixes how the server speaks an extension; the kit finds out what is
// empty.
type Dialect struct {
	Carriers []string // the places of its members: B, P, I, H, A
	Method   string   // the form of its methods: M, T, W
}

func readDialects(r *reader, n *node, path string) (map[string]Dialect, error) {
	if n.kind != object {
		return nil, r.want(n, path, "a map of extensions")
	}
	dialects := make(map[string]Dialect, len(n.members))
	for _, m := range n.members {
		parts := r.known.parts(m.key)
		if len(parts) == 0 {
			return nil, r.unknown(m, path, r.known.extensionWords())
		}
		var dialect Dialect
		err := r.object(m.value, join(path, m.key), keys{
			"carrier": into(listOf(oneOf("B", "P", "I", "H", "A")), &dialect.Carriers),
			"method":  into(oneOf("M", "T", "W"), &dialect.Method),
		})
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			dialects[part] = dialect
		}
	}
	return dialects, nil
}
