package manifest

import (
	"regexp"
	"slices"
	"strings"
)

// A sign is a pattern that shows a credential, which is its group.
type sign struct {
	kind  string
	shape *regexp.Regexp
}

func signs() []sign {
	return []sign{
		{"a password in a URL", regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s/?#@:]*:([^\s/?#@]+)@`)},
		{"a credential in the query of a URL", regexp.MustCompile(`[?&](?i:token|key|secret|password|sig)=([^&\s"'#]+)`)},
		{"an access key", regexp.MustCompile(`\b(AKIA[0-9A-Z]{16})\b`)},
		{"an API key", regexp.MustCompile(`\b((?:sk-|sk_live_|ghp_|xox[a-z]?-)[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{15,})`)},
		{"a private key", regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY)`)},
		{"a bearer token", regexp.MustCompile(`\bBearer ([A-Za-z0-9._~+/=-]{20,})`)},
		{"a JSON web token", regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)`)},
	}
}

// shown reports whether a text holds a credential of the kind. A placeholder of
// documentation is none.
func (s sign) shown(text string) bool {
	return slices.ContainsFunc(s.shape.FindAllStringSubmatch(text, -1), func(found []string) bool { return !placeholder(found[1]) })
}

func placeholder(value string) bool {
	lower := strings.ToLower(value)
	return slices.ContainsFunc([]string{"your", "example", "xxxx", "****", "...", "<", "{", "redacted"}, func(part string) bool {
		return strings.Contains(lower, part)
	})
}
