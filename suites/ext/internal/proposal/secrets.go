package proposal

import (
	"regexp"
	"slices"
	"strings"
)

// Secrets are the credentials in a text: those that look like one, and those that
// the configuration lists. Placeholders of documentation are none.
func (s *Scanner) Secrets(text string, listed []string) []Hit {
	hits := scan(text, s.secrets())
	for _, secret := range listed {
		if secret != "" && strings.Contains(text, secret) {
			hits = append(hits, Hit{What: "a secret of the configuration", Text: secret})
		}
	}
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
